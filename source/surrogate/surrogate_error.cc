#include <evergreen/base/error.h>
#include <evergreen/surrogate/surrogate_error.h>

#include <cmath>
#include <vector>

namespace Evergreen
{
  template <int dim>
  double
  mean_relative_error(const SurrogateSolver<dim> &solver,
                      const Samples              &samples)
  {
    const std::size_t   n = samples.n_samples;
    std::vector<double> errors(samples.solutions.size());
    solver.apply(samples.forcings.data(), errors.data(), n);
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] -= samples.solutions[i];
    const auto  error_squares = solver.space().square_norms(errors, n);
    const auto  squares = solver.space().square_norms(samples.solutions, n);
    double      sum     = 0;
    std::size_t n_used  = 0;
    for (std::size_t j = 0; j < n; ++j)
      if (squares[j] > 0)
        {
          sum += std::sqrt(error_squares[j] / squares[j]);
          ++n_used;
        }
    if (n_used == 0)
      throw Error(
        "There are no samples to measure errors with: "
        "'Dataset/Test samples' must be positive.");
    return sum / n_used;
  }


  template double
  mean_relative_error(const SurrogateSolver<1> &, const Samples &);
  template double
  mean_relative_error(const SurrogateSolver<2> &, const Samples &);
  template double
  mean_relative_error(const SurrogateSolver<3> &, const Samples &);
} // namespace Evergreen
