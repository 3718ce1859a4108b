// The transpose of a learned kernel, which for symmetric problems is another
// estimate of the same one.

#ifndef evergreen_source_kernel_reciprocity_h
#define evergreen_source_kernel_reciprocity_h

#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/kernel/learning_data.h>

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * The integrals \f$\int\tilde G(y,x_s)\varphi_k(y)\,dy\f$ of the transposed
   * kernel against all @p n_nodes shape functions, for one response node s
   * after the other; the same on all ranks. With the mass matrix M and the
   * kernel's own integrals K, of which \f$KM^{-1}\f$ are the nodal values of
   * its projection to the finite elements, they are \f$MKM^{-1}\f$. Dense
   * matrices of n_nodes rows and columns are needed on the way. Collective.
   */
  std::vector<double>
  transposed_actions(const LearnedKernel   &kernel,
                     const DistributedRule &rule,
                     const std::size_t      n_nodes,
                     const MPI_Comm         communicator);
} // namespace Evergreen

#endif
