#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/linear_problem.h>

#include <algorithm>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  void
  ProblemParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Problem");
    prm.add_parameter(
      "Name",
      name,
      "What maps f to u. 'poisson': -Laplace u = f; 'helmholtz': Laplace u + "
      "K^2 u = f; both with u = 0 on the boundary; 'elliptic': -div(a grad u) "
      "+ b.grad u + c u = f with 'Diffusion' a, 'Advection' b, 'Reaction' c "
      "and the conditions below; all by finite elements. The "
      "others integrate a kernel G(x,y) against f, with r = |x-y|: 'cosine' "
      "cos(k pi r), 'log-cosine' log(r) cos(k pi r), 'log' log(r), and on the "
      "interval the Green's functions 'poisson-kernel' and 'helmholtz-kernel'.",
      Patterns::Selection("poisson|helmholtz|elliptic|cosine|log-cosine|log|"
                          "poisson-kernel|helmholtz-kernel"));
    prm.add_parameter("Wave number",
                      wave_number,
                      "K of the Helmholtz problems, k of the cosine kernels.",
                      Patterns::Double(0));
    prm.add_parameter("Degree",
                      degree,
                      "The polynomial degree of the finite elements.",
                      Patterns::Integer(1, 8));
    prm.add_parameter("Solver",
                      solver,
                      "For finite elements: factor once with CHOLMOD, KLU or "
                      "MUMPS, or CG with algebraic multigrid; CHOLMOD and CG "
                      "need a definite problem (Poisson; the elliptic one "
                      "without advection and negative reaction). "
                      "'auto' chooses by size.",
                      Patterns::Selection("auto|cholmod|klu|mumps|cg-amg"));
    prm.leave_subsection();
    elliptic.add_parameters(prm);
  }


  void
  ProblemParameters::check() const
  {
    if (name == "helmholtz" && (solver == "cg-amg" || solver == "cholmod"))
      throw UsageError("'Solver' = ",
                       solver,
                       " in section 'Problem' cannot solve the indefinite "
                       "Helmholtz problem: use auto, klu or mumps.");
    if ((name == "helmholtz" || name == "helmholtz-kernel") &&
        !(wave_number > 0))
      throw UsageError(
        "'Wave number' in section 'Problem' must be positive "
        "for the Helmholtz problem (with 0 it is -1 times the "
        "Poisson problem).");
    if (name == "elliptic")
      elliptic.check();
  }


  template <int dim>
  std::vector<SolveFailure>
  LinearProblem<dim>::solve_block(const double     *forcings,
                                  double           *solutions,
                                  const std::size_t n_samples)
  {
    const std::size_t n_local = space().n_local_nodes();
    VectorType        f = space().make_vector(), u = space().make_vector();

    std::vector<SolveFailure> failures;
    for (std::size_t j = 0; j < n_samples; ++j)
      {
        std::copy_n(forcings + j * n_local, n_local, f.begin());
        u = 0;
        try
          {
            solve(f, u);
            if (!numbers::is_finite(u.l1_norm()))
              throw Error("the solution is not finite");
            std::copy_n(u.begin(), n_local, solutions + j * n_local);
          }
        catch (...)
          {
            failures.push_back({j, one_line_message()});
            std::fill_n(solutions + j * n_local,
                        n_local,
                        std::numeric_limits<double>::quiet_NaN());
          }
      }
    return failures;
  }


  template <int dim>
  void
  LinearProblem<dim>::greens_function(const std::size_t, VectorType &)
  {
    throw Error("The problem '",
                name(),
                "' offers no discrete Green's function: override "
                "LinearProblem::greens_function().");
  }


  template <int dim>
  void
  LinearProblem<dim>::throw_if_failed(
    const std::vector<SolveFailure> &failures) const
  {
    if (!failures.empty())
      throw Error("The problem '",
                  name(),
                  "' could not be solved: ",
                  failures.front().reason,
                  ".");
  }


  template class LinearProblem<1>;
  template class LinearProblem<2>;
  template class LinearProblem<3>;
} // namespace Evergreen
