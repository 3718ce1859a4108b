// A matrix in plain memory, where it passes from function to function.

#ifndef evergreen_base_matrix_view_h
#define evergreen_base_matrix_view_h

#include <cstddef>
#include <type_traits>

namespace Evergreen
{
  /**
   * A matrix stored column by column in memory of somebody else, column j
   * beginning at <tt>data + j * ld</tt>. Numbers are const in a view to read.
   */
  template <typename Number>
  struct MatrixView
  {
    /** Columns stand one after the other unless @p leading is given. */
    MatrixView(Number           *numbers,
               const std::size_t rows,
               const std::size_t columns,
               const std::size_t leading = 0)
      : data(numbers)
      , n_rows(rows)
      , n_columns(columns)
      , ld(leading == 0 ? rows : leading)
    {}

    /** Of numbers that may change, to read. */
    template <typename Other,
              typename = std::enable_if_t<std::is_same_v<const Other, Number>>>
    MatrixView(const MatrixView<Other> &other)
      : MatrixView(other.data, other.n_rows, other.n_columns, other.ld)
    {}

    /** The beginning of a column. */
    Number *
    column(const std::size_t j) const
    {
      return data + j * ld;
    }

    /** The columns [first, first + n). */
    MatrixView
    columns(const std::size_t first, const std::size_t n) const
    {
      return {column(first), n_rows, n, ld};
    }

    Number     *data;
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t ld;
  };
} // namespace Evergreen

#endif
