#include <evergreen/base/error.h>
#include <evergreen/greedy/function_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <cmath>

namespace Evergreen
{
  Fit
  approximate_function(const std::vector<double> &points,
                       const std::vector<double> &weights,
                       const std::vector<double> &values,
                       const Dictionary          &dictionary,
                       const GreedyParameters    &parameters)
  {
    if (weights.size() != values.size() ||
        points.size() != values.size() * dictionary.dim())
      throw Error("There are ",
                  values.size(),
                  " values, ",
                  weights.size(),
                  " weights and ",
                  points.size(),
                  " coordinates of points in ",
                  dictionary.dim(),
                  " dimensions: they do not match.");

    std::vector<double> roots(weights.size()), target(weights.size());
    for (std::size_t q = 0; q < weights.size(); ++q)
      {
        if (!(weights[q] > 0))
          throw Error("Quadrature weight ",
                      q,
                      " is ",
                      weights[q],
                      ": it must be positive.");
        roots[q]  = std::sqrt(weights[q]);
        target[q] = roots[q] * values[q];
      }
    const QuadratureRule rule = diagonal_rule(dictionary.dim(), points, roots);
    const Coordinates    coordinates(target);
    std::vector<Fit>     fits;
    PointwiseGreedy(rule, coordinates, dictionary, parameters, MPI_COMM_SELF)
      .run(fits);
    return fits[0];
  }
} // namespace Evergreen
