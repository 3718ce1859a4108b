#include <evergreen/base/error.h>
#include <evergreen/greedy/fit.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  std::vector<double>
  Fit::coefficients_of(const std::size_t n) const
  {
    const std::size_t count = std::min(n, chosen.size());
    if (projection.size() < count)
      throw Error("The coefficients of ",
                  count,
                  " neurons are asked for, but the factors were not kept: set "
                  "keep_factors.");

    // T x = y by columns, from the last to the first.
    std::vector<double> x(projection.begin(), projection.begin() + count);
    for (std::size_t j = count; j-- > 0;)
      {
        const double *const column = factor.data() + j * (j + 1) / 2;
        x[j] /= column[j];
        for (std::size_t i = 0; i < j; ++i)
          x[i] -= column[i] * x[j];
      }
    return x;
  }


  AtomList
  Fit::atoms(const Dictionary &dictionary,
             const std::size_t n,
             const AtomList   &own) const
  {
    AtomList result(dictionary.dim());
    for (std::size_t i = 0; i < std::min(n, chosen.size()); ++i)
      if (chosen[i] < dictionary.size())
        dictionary.draw(i, chosen[i], result);
      else
        result.push_back(own, chosen[i] - dictionary.size());
    return result;
  }


  void
  Fit::check_stop(const GreedyParameters &parameters,
                  const std::size_t       rank,
                  const double            square_norm)
  {
    const std::size_t n = chosen.size();
    const double      tolerance =
      std::max(parameters.tolerance,
               4 * std::numeric_limits<double>::epsilon());
    const auto best =
      std::min_element(validation_squares.begin(), validation_squares.end());
    if (train_squares.back() <= tolerance * tolerance * square_norm)
      reason = StopReason::tolerance;
    else if (n >= rank)
      reason = StopReason::rank;
    else if (n >= parameters.n_neurons)
      reason = StopReason::neurons;
    else if (parameters.patience > 0 && !validation_squares.empty() &&
             validation_squares.end() - best >
               static_cast<std::ptrdiff_t>(parameters.patience))
      reason = StopReason::validation;
  }


  void
  Fit::finish(const GreedyParameters &parameters)
  {
    const auto best =
      std::min_element(validation_squares.begin(), validation_squares.end());
    coefficients = coefficients_of(validation_squares.empty()
                                     ? chosen.size()
                                     : best - validation_squares.begin());
    if (!parameters.keep_factors)
      {
        std::vector<double>().swap(factor);
        std::vector<double>().swap(projection);
      }
  }
} // namespace Evergreen
