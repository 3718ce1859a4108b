// The orthonormal basis of the full algorithm, whose vectors are long and
// shared among ranks.

#ifndef evergreen_greedy_distributed_basis_h
#define evergreen_greedy_distributed_basis_h

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace Evergreen
{
  /**
   * Orthonormal vectors, of which each rank holds its own entries: @p n_inner
   * entries that make up the inner product, followed by @p n_extra that only
   * take part in updates. Both are multiples of Simd::alignment.
   *
   * To orthogonalise a vector means to read all others from memory, which is
   * what takes the time. Kept in single precision they are half as long, and
   * rounding spoils their orthogonality by about 1e-9 only, as it averages out
   * over thousands of entries; sums are always in double.
   */
  class DistributedBasis
  {
  public:
    virtual ~DistributedBasis() = default;

    /**
     * Orthogonalises @p h against the basis, twice if cancellation asks for
     * it, and appends it, normalised, unless what is left is smaller than
     * @p span_tolerance times its norm. Returns whether it was appended, and
     * in @p column the coefficients of the basis vectors in h, the new one
     * included. Collective.
     */
    virtual bool
    append(std::vector<double> &h,
           double               span_tolerance,
           std::vector<double> &column) = 0;

    /**
     * Removes the newest vector's part from @p r and returns its coefficient.
     * Collective.
     */
    virtual double
    reduce(std::vector<double> &r) const = 0;

    /** The square of the norm of a vector. Collective. */
    virtual double
    square_norm(const std::vector<double> &h) const = 0;
  };


  /** An empty basis, in single precision or not. */
  std::unique_ptr<DistributedBasis>
  make_distributed_basis(std::size_t n_inner,
                         std::size_t n_extra,
                         bool        single,
                         MPI_Comm    comm);
} // namespace Evergreen

#endif
