// The supernodal Cholesky factorisation of SuiteSparse for blocks of right-hand
// sides: the fastest there is where the matrix is positive definite.

#ifndef evergreen_source_fem_cholmod_h
#define evergreen_source_fem_cholmod_h

#include <cstddef>
#include <memory>

class Epetra_CrsMatrix;

namespace Evergreen
{
  /**
   * A factorisation on rank 0, which solves for all ranks: half of a block's
   * columns on each of its cores, since CHOLMOD itself uses several only within
   * a supernode.
   */
  class Cholmod
  {
  public:
    /**
     * Orders the matrix, of which one triangle is read; factor() does the rest.
     * Collective.
     */
    explicit Cholmod(const Epetra_CrsMatrix &matrix);
    ~Cholmod();

    /** The memory of the factor in bytes, the same on all ranks. */
    double
    factor_size() const
    {
      return factor_size_;
    }

    /**
     * Computes the factor, or throws an Error if the matrix is not positive
     * definite or memory runs out. Collective.
     */
    void
    factor();

    /**
     * Solves for columns of local values, each @p stride after the last.
     * Collective.
     */
    void
    solve(const double     *rhs,
          double           *solution,
          const std::size_t stride,
          const std::size_t n_columns) const;

  private:
    struct Data;
    std::unique_ptr<Data> data_;
    double                factor_size_ = 0;
  };
} // namespace Evergreen

#endif
