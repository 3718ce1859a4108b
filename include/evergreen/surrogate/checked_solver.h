// Surrogate answers that come with an estimate of their error, and are improved
// if it is too large.

#ifndef evergreen_surrogate_checked_solver_h
#define evergreen_surrogate_checked_solver_h

#include <evergreen/fem/boundary_problem.h>
#include <evergreen/surrogate/greens_preconditioner.h>

#include <limits>
#include <string>
#include <vector>

namespace Evergreen
{
  /** How an answer of a CheckedSolver came about. */
  enum class SolvePath
  {
    /** The learned kernel, applied once. */
    surrogate,
    /** The same, improved by iterations that it preconditions. */
    improved,
    /** The kernel was no help: the equations were solved by finite elements. */
    finite_elements
  };

  /** surrogate, improved, finite elements. */
  std::string
  path_name(const SolvePath path);


  /** What is known of an answer. */
  struct SolveReport
  {
    /** The estimated distance to the finite element solution in L2. */
    double error = 0;

    /** The same divided by the norm of the solution. */
    double relative_error = 0;

    SolvePath path = SolvePath::surrogate;

    /** The number of preconditioned iterations, estimates not counted. */
    unsigned int iterations = 0;
  };


  /**
   * A surrogate solver for a problem whose equations are at hand. With the
   * residual \f$r=Mf-A\tilde u\f$ the error is \f$A^{-1}r\f$, for which the
   * GreensPreconditioner B is a good substitute: the estimate is
   * \f$\|Br\|_{L^2}\f$. The kernel sees the smooth part of the error and the
   * smoother the rough one, so it holds for forcings that the kernel was not
   * trained on as well. Its own error is at most contraction() of the error; if
   * that is not small, the kernel is poor, and a few iterations replace the one
   * application of B.
   */
  template <int dim>
  class CheckedSolver
  {
  public:
    using VectorType = typename SurrogateSolver<dim>::VectorType;

    /** Both must live as long as this object. Collective. */
    CheckedSolver(const SurrogateSolver<dim> &solver,
                  GalerkinProblem<dim>       &problem);

    /**
     * The same with a second kernel for data on the boundary, and the problem
     * that takes these, set up. All must live as long as this object.
     */
    CheckedSolver(const SurrogateSolver<dim> &solver,
                  const SurrogateSolver<dim> &boundary_solver,
                  const BoundaryProblem<dim> &problem);

    /**
     * Solves for a forcing and estimates the relative error in L2. If it is
     * larger than @p tolerance, the answer is improved until it is not; without
     * a tolerance the answer is the surrogate's. Collective.
     */
    SolveReport
    solve(
      const VectorType &forcing,
      VectorType       &solution,
      const double tolerance = std::numeric_limits<double>::infinity()) const;

    /** The same for a forcing and data on the boundary. */
    SolveReport
    solve(
      const VectorType &forcing,
      const VectorType &boundary_data,
      VectorType       &solution,
      const double tolerance = std::numeric_limits<double>::infinity()) const;

    /**
     * Estimates the error of any approximate solution for a forcing (and no
     * data on the boundary). Collective.
     */
    SolveReport
    estimate(const VectorType &forcing, const VectorType &solution) const;

    /** GreensPreconditioner::contraction(), measured once. */
    double
    contraction() const
    {
      return contraction_;
    }

  private:
    /** \f$Aw=b\f$ with the solution u = w + lift. */
    struct Equation
    {
      VectorType load, lift;
    };

    const SurrogateSolver<dim> &solver_;
    const SurrogateSolver<dim> *boundary_solver_  = nullptr;
    const BoundaryProblem<dim> *boundary_problem_ = nullptr;
    GalerkinProblem<dim>       &problem_;
    GreensPreconditioner<dim>   preconditioner_;
    double                      contraction_;

    Equation
    make_equation(const VectorType &forcing,
                  const VectorType *boundary_data) const;

    SolveReport
    improve(const Equation &equation,
            VectorType     &solution,
            const double    tolerance) const;

    /** Without the lift, w satisfies the constraints of the space. */
    VectorType
    residual(const Equation &equation, const VectorType &solution) const;

    /** Solves A e = r up to a part of @p reduction; counts iterations. */
    bool
    solve_correction(const VectorType &r,
                     VectorType       &e,
                     const double      reduction,
                     unsigned int     &iterations) const;

    SolveReport
    report(const VectorType &r, const VectorType &solution) const;
  };
} // namespace Evergreen

#endif
