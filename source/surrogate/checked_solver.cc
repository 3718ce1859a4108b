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
  CheckedSolver<dim>::CheckedSolver(const SurrogateSolver<dim> &solver,
                                    const SurrogateSolver<dim> &boundary_solver,
                                    const BoundaryProblem<dim> &problem)
    : CheckedSolver(solver, problem.problem())
  {
    if (boundary_solver.input() != problem.input())
      throw Error("The boundary kernel was learned for ",
                  input_words(boundary_solver.input()),
                  ", but the problem '",
                  problem.name(),
                  "' takes ",
                  input_words(problem.input()),
                  ".");
    boundary_solver_  = &boundary_solver;
    boundary_problem_ = &problem;
  }


  template <int dim>
  typename CheckedSolver<dim>::Equation
  CheckedSolver<dim>::make_equation(const VectorType &forcing,
                                    const VectorType *boundary_data) const
  {
    const auto &space = problem_.space();
    Equation    result{forcing, space.make_vector()};
    space.mass_matrix().vmult(result.load, forcing);
    if (boundary_data != nullptr)
      {
        std::vector<double> lift;
        boundary_problem_->add_loads(boundary_data->begin(),
                                     result.load.begin(),
                                     lift,
                                     1);
        std::copy(lift.begin(), lift.end(), result.lift.begin());
      }
    space.condense(result.load.begin(), 1);
    return result;
  }


  template <int dim>
  typename CheckedSolver<dim>::VectorType
  CheckedSolver<dim>::residual(const Equation   &equation,
                               const VectorType &solution) const
  {
    const auto &space = problem_.space();
    VectorType  r(equation.load), product(r), w(solution);
    w -= equation.lift;
    problem_.matrix().vmult(product, w);
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
    return report(residual(make_equation(forcing, nullptr), solution),
                  solution);
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::solve(const VectorType &forcing,
                            VectorType       &solution,
                            const double      tolerance) const
  {
    solver_.vmult(solution, forcing);
    return improve(make_equation(forcing, nullptr), solution, tolerance);
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::solve(const VectorType &forcing,
                            const VectorType &boundary_data,
                            VectorType       &solution,
                            const double      tolerance) const
  {
    if (boundary_solver_ == nullptr)
      throw Error(
        "There are boundary data, but no kernel for them: give the "
        "CheckedSolver one.");
    solver_.vmult(solution, forcing);
    VectorType from_boundary(solution);
    boundary_solver_->vmult(from_boundary, boundary_data);
    solution += from_boundary;
    return improve(make_equation(forcing, &boundary_data), solution, tolerance);
  }


  template <int dim>
  SolveReport
  CheckedSolver<dim>::improve(const Equation &equation,
                              VectorType     &solution,
                              const double    tolerance) const
  {
    auto         r          = residual(equation, solution);
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
            VectorType load(equation.load);
            problem_.throw_if_failed(
              problem_.solve_loads(load.begin(), solution.begin(), 1));
            solution += equation.lift;
            result      = report(residual(equation, solution), solution);
            result.path = SolvePath::finite_elements;
            break;
          }
        problem_.space().distribute(correction.begin(), 1);
        solution += correction;
        r           = residual(equation, solution);
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
