#include <evergreen/surrogate/checked_solver.h>

#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/solver_gmres.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Up to this contraction one application of B is a good estimate. */
    constexpr double good_contraction = 0.5;

    constexpr unsigned int max_iterations = 100;
  } // namespace


  std::string
  path_name(const SolvePath path)
  {
    switch (path)
      {
        case SolvePath::surrogate:
          return "surrogate";
        case SolvePath::improved:
          return "improved";
        default:
          return "finite elements";
      }
  }


  template <int dim>
  CheckedSolver<dim>::CheckedSolver(const SurrogateSolver<dim> &solver,
                                    GalerkinProblem<dim>       &problem)
    : solver_(solver)
    , problem_(problem)
    , preconditioner_(solver, problem)
    , contraction_(preconditioner_.contraction())
  {}


  template <int dim>
  typename CheckedSolver<dim>::VectorType
  CheckedSolver<dim>::residual(const VectorType &forcing,
                               const VectorType &solution) const
  {
    const auto &space = problem_.space();
    VectorType  r(forcing), product(forcing);
    space.mass_matrix().vmult(r, forcing);
    space.condense(r.begin(), 1);
    problem_.matrix().vmult(product, solution);
    r -= product;
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      if (space.is_constrained(i))
        r.local_element(i) = 0;
    return r;
  }


  template <int dim>
  bool
  CheckedSolver<dim>::solve_correction(const VectorType &r,
                                       VectorType       &e,
                                       const double      reduction,
                                       unsigned int     &iterations) const
  {
    // With preconditioning from the left the iteration watches B r, which is
    // what the estimate is made of.
    ReductionControl control(max_iterations, 1e-300, reduction, false, false);
    SolverGMRES<VectorType> gmres(
      control,
      typename SolverGMRES<VectorType>::AdditionalData(max_iterations + 2));
    e = 0.;
    try
      {
        gmres.solve(problem_.matrix(), e, r, preconditioner_);
      }
    catch (const SolverControl::NoConvergence &)
      {
        iterations += control.last_step();
        return false;
      }
    iterations += control.last_step();
    return true;
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::report(const VectorType &r,
                             const VectorType &solution) const
  {
    VectorType e(r);
    if (contraction_ <= good_contraction)
      preconditioner_.vmult(e, r);
    else
      {
        unsigned int ignored = 0;
        solve_correction(r, e, 0.1, ignored);
      }
    SolveReport result;
    result.error          = preconditioner_.l2_norm(e);
    const double norm     = preconditioner_.l2_norm(solution);
    result.relative_error = result.error == 0 ? 0. : result.error / norm;
    return result;
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::estimate(const VectorType &forcing,
                               const VectorType &solution) const
  {
    return report(residual(forcing, solution), solution);
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::solve(const VectorType &forcing,
                            VectorType       &solution,
                            const double      tolerance) const
  {
    solver_.vmult(solution, forcing);
    auto         r          = residual(forcing, solution);
    SolveReport  result     = report(r, solution);
    unsigned int iterations = 0;
    VectorType   correction(solution);
    while (!(result.relative_error <= tolerance))
      {
        const double reduction =
          std::min(0.1, 0.5 * tolerance / result.relative_error);
        if (iterations >= max_iterations ||
            !solve_correction(r, correction, reduction, iterations))
          {
            problem_.solve(forcing, solution);
            result      = estimate(forcing, solution);
            result.path = SolvePath::finite_elements;
            break;
          }
        solution += correction;
        problem_.space().distribute(solution.begin(), 1);
        r           = residual(forcing, solution);
        result      = report(r, solution);
        result.path = SolvePath::improved;
      }
    result.iterations = iterations;
    return result;
  }


  template class CheckedSolver<1>;
  template class CheckedSolver<2>;
  template class CheckedSolver<3>;
} // namespace Evergreen
