// How good the answers of a surrogate are.

#ifndef evergreen_surrogate_surrogate_error_h
#define evergreen_surrogate_surrogate_error_h

#include <evergreen/data/samples.h>
#include <evergreen/surrogate/surrogate_solver.h>

namespace Evergreen
{
  /**
   * \f$\varepsilon_u=\frac1N\sum_j\|u_j-\tilde u_j\|/\|u_j\|\f$ in L2 for the
   * pairs \f$(f_j,u_j)\f$ of @p samples and the answers \f$\tilde u_j\f$ of
   * @p solver to their forcings. Samples with u = 0 are left out; an Error says
   * so if there are no others. Collective.
   */
  template <int dim>
  double
  mean_relative_error(const SurrogateSolver<dim> &solver,
                      const Samples              &samples);
} // namespace Evergreen

#endif
