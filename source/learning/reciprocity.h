// What G(x, y) = G(y, x), which holds for symmetric problems, says about a
// kernel: it vanishes where y is on the boundary, because the solutions do, and
// its transpose is another estimate of the same kernel.

#ifndef evergreen_source_learning_reciprocity_h
#define evergreen_source_learning_reciprocity_h

#include <evergreen/fem/space_rule.h>
#include <evergreen/kernel/learned_kernel.h>

#include <vector>

namespace Evergreen
{
  /**
   * The functionals of \f$\hat g\f$ that give a slice's values at the boundary
   * nodes, times the roots of the nodes' weights: rows of \f$M^{-1}\f$, M the
   * mass matrix, because \f$M^{-1}\hat g\f$ are the nodal values of g's
   * projection to the finite elements. One after the other, for all nodes; the
   * same on all ranks. Collective.
   */
  template <int dim>
  std::vector<double>
  boundary_functionals(const Space<dim>          &space,
                       const std::vector<double> &node_weights);


  /**
   * Makes the table of a symmetrised kernel. From the integrals K of the
   * slices against the shape functions come the values \f$G=KM^{-1}\f$ of two
   * estimates for every pair of nodes, \f$G_{st}\f$ and \f$G_{ts}\f$. Slices
   * are unreliable near nodes t where no forcing looks closely, the boundary
   * above all, whichever slice it is; so
   * \f[T_{st}=\frac{a_tG_{st}+a_sG_{ts}}{a_t+a_s},\qquad
   *    a_t^{-1}=\frac{\sum_sw_s(G_{st}-G_{ts})^2}{\sum_sw_s}:\f]
   * how much the estimates differ tells what they are worth. Collective.
   */
  template <int dim>
  void
  symmetrise(LearnedKernel             &kernel,
             const Space<dim>          &space,
             const DistributedRule     &rule,
             const std::vector<double> &node_weights);
} // namespace Evergreen

#endif
