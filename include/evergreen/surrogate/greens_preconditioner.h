// A learned kernel as a preconditioner of finite element matrices.

#ifndef evergreen_surrogate_greens_preconditioner_h
#define evergreen_surrogate_greens_preconditioner_h

#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <string>

namespace Evergreen
{
  /** How a GreensPreconditioner is made of a kernel. */
  struct GreensPreconditionerOptions
  {
    /** Make it symmetric, as CG needs it; the matrix must be symmetric too. */
    bool symmetric = false;

    /**
     * Steps of symmetric Gauss-Seidel before and after the kernel, which see
     * to what a kernel learned from smooth forcings cannot know.
     */
    unsigned int smoothing_steps = 2;
  };


  /**
   * An approximate inverse B of a finite element matrix A, made of a learned
   * kernel. Since \f$K\approx A^{-1}M\f$ maps nodal values of forcings to
   * solutions and A acts on dual vectors, \f$KM^{-1}\f$ approximates
   * \f$A^{-1}\f$: the kernel projected to the finite element space. It is good
   * for the functions that the kernel has learned; rough ones are left to a
   * smoother S, as in a two-level method:
   *
   * \f[ z=Sr,\quad z\mathrel{+}=KM^{-1}(r-Az),\quad z\mathrel{+}=S(r-Az). \f]
   *
   * For CG \f$KM^{-1}\f$ is replaced by its symmetric part. Use it with the
   * solvers of deal.II; vmult() of a right-hand side is also a good initial
   * guess.
   *
   * The rows and columns of constrained nodes are eliminated in A, as
   * AffineConstraints does; there the result is the right-hand side divided by
   * the diagonal, and the constraints are to be distributed afterwards.
   */
  template <int dim>
  class GreensPreconditioner
  {
  public:
    using VectorType = typename SurrogateSolver<dim>::VectorType;
    using MatrixType = dealii::TrilinosWrappers::SparseMatrix;
    using Options    = GreensPreconditionerOptions;

    /** All of them must live as long as this object. Collective. */
    GreensPreconditioner(const SurrogateSolver<dim> &solver,
                         const MatrixType           &matrix,
                         const Options              &options = Options());

    /** The same for a problem that is set up. */
    GreensPreconditioner(const SurrogateSolver<dim> &solver,
                         const GalerkinProblem<dim> &problem,
                         const Options              &options = Options());

    GreensPreconditioner(const GreensPreconditioner &) = delete;
    GreensPreconditioner &
    operator=(const GreensPreconditioner &) = delete;

    /** z = B r. Collective. */
    void
    vmult(VectorType &z, const VectorType &r) const;

    /** The same for Trilinos' vectors. */
    void
    vmult(dealii::TrilinosWrappers::MPI::Vector       &z,
          const dealii::TrilinosWrappers::MPI::Vector &r) const;

    /**
     * An estimate of how much of an error one correction leaves: the growth of
     * \f$\|v-BAv\|/\|v\|\f$ (L2) under the power method. Below one, B is a
     * convergent method for itself, and with the option `symmetric` it is
     * positive definite. Collective.
     */
    double
    contraction(const unsigned int n_steps = 6) const;

    /** The L2 norm of a finite element function. Collective. */
    double
    l2_norm(const VectorType &v) const;

  private:
    const SurrogateSolver<dim>                  &solver_;
    const MatrixType                            &matrix_;
    const MatrixType                            &mass_;
    Options                                      options_;
    dealii::TrilinosWrappers::PreconditionSSOR   smoother_;
    dealii::TrilinosWrappers::PreconditionJacobi mass_jacobi_;

    /**
     * The kernel alone: \f$z=KM^{-1}r\f$, or its symmetric part. Collective.
     */
    void
    apply_kernel(VectorType &z, const VectorType &r) const;
    void
    smooth(VectorType &z, const VectorType &r, const bool from_zero) const;
    void
    solve_mass(VectorType &x, const VectorType &b) const;
    void
    restrict_to_free(VectorType &v) const;
  };
} // namespace Evergreen

#endif
