#include <evergreen/twin/csr_matrix.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // Columns that are multiplied at once: entries are read once for all.
    constexpr std::size_t n_at_once = 8;


    template <std::size_t n>
    void
    multiply_rows(const CsrMatrix &matrix,
                  const double    *x,
                  double          *y,
                  std::size_t      first,
                  std::size_t      last)
    {
      for (std::size_t i = first; i < last; ++i)
        {
          double sums[n] = {};
          for (std::size_t k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
            for (std::size_t j = 0; j < n; ++j)
              sums[j] +=
                matrix.values[k] * x[j * matrix.n_columns + matrix.columns[k]];
          for (std::size_t j = 0; j < n; ++j)
            y[j * matrix.n_rows() + i] = sums[j];
        }
    }
  } // namespace


  void
  CsrMatrix::add_row(
    const std::vector<std::pair<std::uint32_t, double>> &entries)
  {
    for (const auto &[column, value] : entries)
      {
        columns.push_back(column);
        values.push_back(value);
      }
    starts.push_back(columns.size());
  }


  void
  CsrMatrix::multiply(const double *x, double *y, const std::size_t n) const
  {
    constexpr std::size_t grain          = 512; // rows
    const std::size_t     n_blocks       = (n + n_at_once - 1) / n_at_once;
    const auto            multiply_block = [&](const std::size_t block) {
      const std::size_t first = block * n_at_once;
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n_rows(), grain),
                        [&](const tbb::blocked_range<std::size_t> &rows) {
                          if (first + n_at_once <= n)
                            multiply_rows<n_at_once>(*this,
                                                     x + first * n_columns,
                                                     y + first * n_rows(),
                                                     rows.begin(),
                                                     rows.end());
                          else
                            for (std::size_t j = first; j < n; ++j)
                              multiply_rows<1>(*this,
                                               x + j * n_columns,
                                               y + j * n_rows(),
                                               rows.begin(),
                                               rows.end());
                        });
    };
    tbb::parallel_for(std::size_t(0), n_blocks, multiply_block);
  }


  bool
  CsrMatrix::is_valid() const
  {
    return !starts.empty() && starts.front() == 0 &&
           std::is_sorted(starts.begin(), starts.end()) &&
           starts.back() == columns.size() && columns.size() == values.size() &&
           std::all_of(columns.begin(),
                       columns.end(),
                       [&](const auto column) { return column < n_columns; }) &&
           std::all_of(values.begin(), values.end(), [](const double value) {
             return std::isfinite(value);
           });
  }
} // namespace Evergreen
