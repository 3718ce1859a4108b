// Solving with one matrix for many right-hand sides.

#ifndef evergreen_fem_linear_solver_h
#define evergreen_fem_linear_solver_h

#include <evergreen/base/compat.h>

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

class Amesos_BaseSolver;
class Epetra_LinearProblem;

namespace Evergreen
{
  class Cholmod;

  /** A right-hand side of a block that could not be solved for. */
  struct SolveFailure
  {
    std::size_t sample;
    std::string reason;
  };


  /**
   * A solver for \f$A x = b\f$ and \f$A^T x = b\f$ that is set up once and then
   * used for blocks of right-hand sides: a sparse factorisation (CHOLMOD for
   * symmetric positive definite matrices, KLU or MUMPS through Amesos for all)
   * or, for symmetric positive definite matrices, CG with algebraic multigrid.
   */
  class LinearSolver
  {
  public:
    enum class Method
    {
      automatic,
      cholmod,
      klu,
      mumps,
      cg_amg
    };

    /** From the words of parameter files: auto, cholmod, klu, mumps, cg-amg.
     */
    static Method
    method_from_name(const std::string &name);

    /** The opposite of method_from_name(). */
    static std::string
    method_name(const Method method);

    /**
     * The method that `auto` stands for if a factor fits into memory: KLU for
     * small matrices, CHOLMOD for large positive definite and MUMPS for other
     * large ones.
     */
    static Method
    choose(const std::size_t n_unknowns, const bool is_definite);

    LinearSolver();
    ~LinearSolver();

    /**
     * Factors @p matrix or sets up its preconditioner. The matrix must live as
     * long as the solver. A singular matrix gives an Error. If CHOLMOD's factor
     * would take more than half of the memory, `auto` takes CG with AMG.
     */
    void
    initialize(const dealii::TrilinosWrappers::SparseMatrix &matrix,
               const Method                                  method,
               const bool                                    is_definite);

    /**
     * Solves for @p n_columns right-hand sides: column j of the local parts
     * starts at @p rhs + j * n_local. Columns that fail are listed and filled
     * with NaN; the others are not affected.
     */
    std::vector<SolveFailure>
    solve(const double     *rhs,
          double           *solution,
          const std::size_t n_columns,
          const bool        transposed = false) const;

    /** The method in use, never `automatic` after initialize(). */
    Method
    method() const
    {
      return method_;
    }

  private:
    Method                                        method_ = Method::automatic;
    const dealii::TrilinosWrappers::SparseMatrix *matrix_ = nullptr;
    std::unique_ptr<Cholmod>                      cholmod_;
    std::unique_ptr<Epetra_LinearProblem>         problem_;
    std::unique_ptr<Amesos_BaseSolver>            direct_;
    std::unique_ptr<dealii::TrilinosWrappers::PreconditionAMG> amg_;

    void
    factor_definite(const bool is_required);
    void
    factor();
    void
    solve_directly(const double     *rhs,
                   double           *solution,
                   const std::size_t n_columns,
                   const bool        transposed) const;
    std::vector<SolveFailure>
    solve_iteratively(const double     *rhs,
                      double           *solution,
                      const std::size_t n_columns) const;
  };
} // namespace Evergreen

#endif
