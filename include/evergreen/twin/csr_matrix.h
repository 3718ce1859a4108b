// Sparse matrices by rows, as plain arrays that go into files as they are.

#ifndef evergreen_twin_csr_matrix_h
#define evergreen_twin_csr_matrix_h

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * A matrix in compressed rows: those of row i are the entries
   * <tt>starts[i] <= k < starts[i + 1]</tt> of @p columns and @p values.
   */
  struct CsrMatrix
  {
    std::size_t                n_columns = 0;
    std::vector<std::size_t>   starts    = {0};
    std::vector<std::uint32_t> columns;
    std::vector<double>        values;

    std::size_t
    n_rows() const
    {
      return starts.size() - 1;
    }

    /** Appends a row of columns with their values. */
    void
    add_row(const std::vector<std::pair<std::uint32_t, double>> &entries);

    /**
     * Y = A X for @p n columns, which follow one another in memory; on several
     * threads. Nothing of Y is read.
     */
    void
    multiply(const double *x, double *y, std::size_t n) const;

    /** Whether the arrays fit together and all values are finite. */
    bool
    is_valid() const;
  };
} // namespace Evergreen

#endif
