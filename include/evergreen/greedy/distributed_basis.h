// The orthonormal basis of the full algorithm, whose vectors are long and
// shared among ranks.

#ifndef evergreen_greedy_distributed_basis_h
#define evergreen_greedy_distributed_basis_h

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * Orthonormal vectors, of which each rank holds its own entries: @p n_inner
   * entries that make up the inner product, followed by @p n_extra that only
   * take part in updates.
   */
  class DistributedBasis
  {
  public:
    DistributedBasis(std::size_t n_inner, std::size_t n_extra, MPI_Comm comm);

    /** The number of vectors. */
    std::size_t
    size() const;

    /**
     * Orthogonalises @p h against the basis, twice if cancellation asks for
     * it, and appends it, normalised, unless what is left is smaller than
     * @p span_tolerance times its norm. Returns whether it was appended, and
     * in @p column the coefficients of the basis vectors in h, the new one
     * included. Collective.
     */
    bool
    append(std::vector<double> &h,
           double               span_tolerance,
           std::vector<double> &column);

    /**
     * Removes the newest vector's part from @p r and returns its coefficient.
     * Collective.
     */
    double
    reduce(std::vector<double> &r) const;

    /** The square of the norm of a vector. Collective. */
    double
    square_norm(const std::vector<double> &h) const;

  private:
    /** The dot products of a block's vectors with h, of all ranks. */
    std::vector<double>
    products(std::size_t block, const std::vector<double> &h) const;

    /**
     * Removes the basis from @p h, block by block, and adds to the
     * coefficients what was removed.
     */
    void
    project_out(std::vector<double> &h,
                std::vector<double> &coefficients) const;

    std::size_t n_inner;
    std::size_t n_all;
    MPI_Comm    comm;
    std::size_t n_vectors = 0;

    /** Vectors in blocks, so that growing does not copy them. */
    std::vector<std::vector<double>> blocks;
  };
} // namespace Evergreen

#endif
