// Low-rank approximation of matrix blocks.

#ifndef evergreen_surrogate_low_rank_h
#define evergreen_surrogate_low_rank_h

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /** The matrix U V^T; both factors are stored column by column. */
  struct LowRankMatrix
  {
    std::size_t         n_rows    = 0;
    std::size_t         n_columns = 0;
    std::size_t         rank      = 0;
    std::vector<double> u, v;

    /** The number of stored entries. */
    std::size_t
    size() const
    {
      return u.size() + v.size();
    }
  };

  /**
   * Adaptive cross approximation with full pivoting: subtracts crosses through
   * the largest entries of a block until the Frobenius norm of the rest is at
   * most @p tolerance times that of the block, or until the rank is
   * @p max_rank. The block has its rows one after the other, and is destroyed.
   */
  LowRankMatrix
  cross_approximation(const std::size_t    n_rows,
                      const std::size_t    n_columns,
                      std::vector<double> &block,
                      const double         tolerance,
                      const std::size_t    max_rank);

  /**
   * The best approximation of the same matrix by fewer columns (QR
   * factorisations of both factors and a singular value decomposition), up to
   * the relative @p tolerance in the Frobenius norm.
   */
  void
  recompress(LowRankMatrix &matrix, const double tolerance);

  /** Puts one matrix on top of another with as many columns; recompressed. */
  LowRankMatrix
  stack(const LowRankMatrix &upper,
        const LowRankMatrix &lower,
        const double         tolerance);
} // namespace Evergreen

#endif
