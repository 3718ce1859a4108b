#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/greedy/fit.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  std::size_t
  Fit::n_kept() const
  {
    return coefficients.size();
  }


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
  Fit::atoms(const Dictionary &dictionary, const std::size_t n) const
  {
    return atoms(dictionary, AtomList(dictionary.dim()), n);
  }


  AtomList
  Fit::atoms(const Dictionary &dictionary,
             const AtomList   &own,
             const std::size_t n) const
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


  std::vector<HistoryPoint>
  history(const std::vector<Fit>    &fits,
          const std::vector<double> &weights,
          const MPI_Comm             comm)
  {
    std::size_t n = 0;
    for (const Fit &fit : fits)
      n = std::max(n, fit.train_squares.size());
    n = static_cast<std::size_t>(Collective::maximum(comm, double(n)));

    std::vector<double> squares(2 * n);
    for (std::size_t s = 0; s < fits.size(); ++s)
      if (fits[s].reason != StopReason::unfinished)
        for (std::size_t i = 0; i < n; ++i)
          {
            const auto value = [&](const std::vector<double> &values) {
              return values.empty() ? 0.
                                    : values[std::min(i, values.size() - 1)];
            };
            const double weight = weights.empty() ? 1. : weights[s];
            squares[i] += weight * value(fits[s].train_squares);
            squares[n + i] += weight * value(fits[s].validation_squares);
          }
    Collective::sum(comm, squares.data(), squares.size());

    std::vector<HistoryPoint> points(n);
    for (std::size_t i = 0; i < n; ++i)
      {
        const auto relative = [&](const double *values) {
          return values[0] > 0 ? std::sqrt(values[i] / values[0]) : 0.;
        };
        points[i].n_neurons        = i;
        points[i].train_error      = relative(squares.data());
        points[i].validation_error = relative(squares.data() + n);
      }
    return points;
  }
} // namespace Evergreen
