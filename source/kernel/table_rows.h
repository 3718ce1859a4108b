// Symmetrised kernels on their own mesh: rows of the table as finite element
// functions at quadrature points.

#ifndef evergreen_kernel_table_rows_h
#define evergreen_kernel_table_rows_h

#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/kernel/learned_kernel.h>

#include <cstdint>
#include <vector>

namespace Evergreen
{
  /** The rows of a symmetrised kernel's table at the points of a rule. */
  class TableRows
  {
  public:
    /** Both must outlive this object. */
    TableRows(const LearnedKernel &kernel, const QuadratureRule &rule);

    /**
     * Whether the kernel has a table and the rule, by the nodes of its rows, is
     * one of the kernel's own mesh.
     */
    bool
    are_usable() const;

    /** The values of row @p s at the points begin, ..., begin + n - 1. */
    void
    evaluate(const std::size_t s,
             const std::size_t begin,
             const std::size_t n,
             double           *values) const;

  private:
    const LearnedKernel      &kernel;
    const QuadratureRule     &rule;
    std::vector<std::int64_t> slice_of_row; // or -1
  };
} // namespace Evergreen

#endif
