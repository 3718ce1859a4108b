// A kernel as low-rank blocks on cluster trees of response points and nodes.

#ifndef evergreen_surrogate_hierarchical_operator_h
#define evergreen_surrogate_hierarchical_operator_h

#include <evergreen/surrogate/kernel_operator.h>

namespace Evergreen
{
  /**
   * The nodal matrix of a kernel as a hierarchical matrix, or nullptr if it
   * outgrows the memory. Blocks of clusters that are far apart are compressed
   * by adaptive cross approximation and recompressed; blocks of neighbours are
   * dense. Everything is stored in single precision, since blocks are accurate
   * to the tolerance only, and grouped by clusters, so that products are few
   * and large.
   *
   * Rows are computed one panel (leaf of the row tree) after the other, each as
   * a whole, and the parts of a far block are merged when its last panel is
   * done: so the memory is that of the result and one panel. Computing every
   * entry costs less than learning did. To compute single columns on demand
   * would not save work: each entry of a column needs all quadrature points
   * around its node, of which neighbouring entries of a row share most.
   */
  std::unique_ptr<KernelOperator>
  make_hierarchical_operator(const RowSource        &source,
                             const SurrogateOptions &options);
} // namespace Evergreen

#endif
