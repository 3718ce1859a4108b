// OGA for plain function approximation, the paper's Algorithm 2.

#ifndef evergreen_greedy_function_greedy_h
#define evergreen_greedy_function_greedy_h

#include <evergreen/greedy/fit.h>

#include <vector>

namespace Evergreen
{
  /**
   * Approximates a function, given by its values at quadrature points, in the
   * norm $\|g\|^2 = \sum_q w_q g(y_q)^2$ by atoms of the dictionary.
   *
   * @param points  The points, one after the other, with as many coordinates
   *                as the atoms have variables.
   * @param weights The positive weights $w_q$.
   * @param values  The values of the function.
   */
  Fit
  approximate_function(const std::vector<double> &points,
                       const std::vector<double> &weights,
                       const std::vector<double> &values,
                       const Dictionary          &dictionary,
                       const GreedyParameters    &parameters);
} // namespace Evergreen

#endif
