// Solving with the sparse, unsymmetric matrix of a twin for blocks of
// right-hand sides.

#ifndef evergreen_twin_coarse_solver_h
#define evergreen_twin_coarse_solver_h

#include <evergreen/twin/csr_matrix.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * A factorisation by UMFPACK, whose triangles are applied to several columns
   * at a time, or the inverse where that is faster in blocks: a dense product
   * does ten times as many operations a second.
   */
  class CoarseSolver
  {
  public:
    enum class Form
    {
      automatic,
      sparse,
      dense
    };

    /** Factors a square matrix; an Error says if it is singular. */
    explicit CoarseSolver(const CsrMatrix &matrix, Form form = Form::automatic);

    /** Solves for @p n columns, in place, on several threads. */
    void
    solve(double *columns, std::size_t n) const;

    std::size_t
    n_unknowns() const
    {
      return n_;
    }

    /** Numbers that are read for a solution. */
    std::size_t
    n_entries() const
    {
      return form_ == Form::dense ? n_ * n_ : lower_.size() + upper_.size();
    }

    /** What is in use, never `automatic`. */
    Form
    form() const
    {
      return form_;
    }

  private:
    std::size_t n_;
    Form        form_;

    /** Scaled rows in the order of L, columns in the order of U. */
    std::vector<double>       scaling_;
    std::vector<std::int64_t> row_order_, column_order_;
    std::vector<std::int64_t> lower_starts_, upper_starts_;
    std::vector<std::int32_t> lower_columns_, upper_rows_;
    std::vector<double>       lower_, upper_, diagonal_;

    std::vector<double> inverse_;

    void
    factor(const CsrMatrix &matrix);
    void
    invert();
    void
    solve_some(double *columns, std::size_t n) const;
  };
} // namespace Evergreen

#endif
