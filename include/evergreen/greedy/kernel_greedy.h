// OGA for the whole kernel, the paper's Algorithm 3: atoms in (x, y).

#ifndef evergreen_greedy_kernel_greedy_h
#define evergreen_greedy_kernel_greedy_h

#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/fit.h>

namespace Evergreen
{
  /**
   * The orthogonal greedy algorithm for kernels $G(x, y)$ in the norm
   * $\sum_i w_i \frac 1N \sum_j (G(x_i, \cdot) * f_j)^2$ over the response
   * points $x_i$ with weights $w_i$. An atom has the coordinates
   * $W_x^{1/2} \hat G C^T$. The search
   * $\sum_{iq} g(x_i, y_q) P_{iq}$, $P = W_x^{1/2} R C B$, evaluates atoms on
   * the fly and never stores them; R is the residual.
   *
   * On several ranks each searches at its own quadrature points, and holds the
   * rows of the residual and of the basis of its own response points.
   *
   * @p response_points are this rank's $x_i$ (one after the other) and
   * @p response_weights their $w_i$, in the order of the slices. An unfinished
   * @p fit of an earlier run is taken up where it ended: its atoms are
   * projected again, without search. The observer is called after every neuron.
   * Collective; returns false if the observer stopped it.
   */
  bool
  approximate_kernel(const GreedyProblem       &problem,
                     const std::vector<double> &response_points,
                     const std::vector<double> &response_weights,
                     Fit                       &fit,
                     const GreedyObserver      &observer = {});
} // namespace Evergreen

#endif
