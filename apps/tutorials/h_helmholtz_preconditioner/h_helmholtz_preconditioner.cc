// Tutorial 3: Helmholtz' equation on the H, with a learned kernel as a
// preconditioner and as an initial guess.
//
// A learned kernel gives three or four digits in no time. Some people need ten.
// Then the equations have to be solved, and for Helmholtz' equation
//
//     Laplace u + K^2 u = f,    u = 0 on the boundary,
//
// that is not easy: the matrix is indefinite, CG is not allowed, GMRES without
// help needs thousands of steps, and preconditioners that are made for
// Laplace's operator get worse with every wave that fits into the domain. But
// the kernel is an approximation of the inverse operator, waves included. Used
// as a preconditioner it reaches ten digits in a handful of steps.
//
// We compare it with the usual preconditioners; ask how good a kernel has to be
// for this; use it for other wave numbers than the one it was learned for; and
// end with the class that does all of this by itself, CheckedSolver: it solves
// by the kernel, estimates the error, and improves the answer only if that is
// necessary.
//
//     tutorial_h_helmholtz_preconditioner [h_helmholtz_preconditioner.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]
//
// Under mpirun the kernel is the same, but Gauss-Seidel (a part of several
// preconditioners) works on each rank for itself, which costs a step or two.

// @sect{Include files}
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/timer.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <Epetra_MultiVector.h>
#include <Teuchos_ParameterList.hpp>

#include <cmath>
#include <iostream>
#include <limits>

namespace HelmholtzPreconditioner
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 2;
  using VectorType  = Space<dim>::VectorType;
  using MatrixType  = TrilinosWrappers::SparseMatrix;

  // GMRES gives up after so many.
  constexpr unsigned int max_steps = 1000;

  // @sect{Parameters}
  //
  // A Configuration has the parameters of the library's problems as well.
  struct Parameters : public Configuration
  {
    Parameters()
    {
      domain.name            = "h";
      problem.name           = "helmholtz";
      dataset.n_test_samples = 200;
      learning.neurons       = 256;
    }

    void
    check() const
    {
      Configuration::check();
      require_domain("h", "a loudspeaker stands in the H");
      require_problem("helmholtz", "this program is about waves");
      require_all_slices();
    }
  };

  // Algebraic multigrid is Trilinos' ML. It would solve problems of less than
  // 2,000 unknowns directly, as this one: one step, but not a method for larger
  // ones. So we tell it to coarsen down to 100.
  void
  initialize_multigrid(const MatrixType                  &matrix,
                       TrilinosWrappers::PreconditionAMG &amg)
  {
    Teuchos::ParameterList              list;
    std::unique_ptr<Epetra_MultiVector> constant_modes;
    TrilinosWrappers::PreconditionAMG::AdditionalData(/*elliptic=*/false)
      .set_parameters(list, constant_modes, matrix);
    list.set("coarse: max size", 100);
    amg.initialize(matrix, list);
  }

  // @sect{The program's class}
  class Tutorial
  {
  public:
    Tutorial(const Parameters  &parameters,
             const std::string &directory,
             const MPI_Comm     communicator);

    void
    run();

  private:
    void
    learn();
    void
    compare_preconditioners();
    void
    compare_kernels();
    void
    compare_wave_numbers();
    void
    check_answers();
    template <typename Preconditioner>
    SolverControl
    gmres(const MatrixType     &matrix,
          const Preconditioner &preconditioner,
          VectorType           &u) const;

    const Parameters  &parameters;
    const std::string  directory;
    const MPI_Comm     communicator;
    ConditionalOStream out;

    Mesh<dim>      mesh;
    MeshSpace<dim> space;
    Helmholtz<dim> problem;
    VectorType     f, b;

    LearningResult                        result;
    Samples                               tests;
    std::unique_ptr<SurrogateSolver<dim>> solver;
  };

  // The forcing is a loudspeaker in the upper left leg of the H: a Gaussian of
  // width 0.05, so narrow that the training, with its smooth forcings, has seen
  // nothing like it. A preconditioner must not depend on the right-hand side
  // being nice.
  //
  // A matrix maps functions to functionals: its argument are nodal values, its
  // result are integrals against shape functions. So the right-hand side of
  // A u = b is not f, but M f with the mass matrix M, and zero at the boundary.
  Tutorial::Tutorial(const Parameters  &parameters,
                     const std::string &directory,
                     const MPI_Comm     communicator)
    : parameters(parameters)
    , directory(directory)
    , communicator(communicator)
    , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    , mesh(parameters.domain, communicator)
    , space(mesh, parameters.problem.degree)
    , problem(parameters.problem.wave_number)
  {
    problem.set_up(space);
    out << "Mesh: " << space.n_nodes() << " nodes; wave number "
        << parameters.problem.wave_number << ", distance of K^2 to the next "
        << "eigenvalue " << problem.distance_to_eigenvalue() << std::endl;
    for (const auto &warning : problem.warnings())
      out << "Warning: " << warning << std::endl;
    f = interpolate<dim>(space, [&](const Point<dim> &p) {
      return std::exp(-p.distance_square(Point<dim>(-0.7, 0.6)) / 0.005);
    });
    b = space.make_vector();
    space.mass_matrix().vmult(b, f);
    space.condense(b.begin(), 1);
  }

  // @sect{Learning}
  //
  // As in the first tutorial.
  void
  Tutorial::learn()
  {
    const auto samples = [&](const Split split, const std::size_t n) {
      return generate_samples(problem, parameters.forcing, split, n);
    };
    const auto &[n_train, n_test] = parameters.dataset;
    result =
      learn_kernel(space, samples(Split::train, n_train), parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");
    tests  = samples(Split::test, n_test);
    solver = std::make_unique<SurrogateSolver<dim>>(result.kernel, space);
    out << "Learned: " << result.kernel.response.size() << " slices of up to "
        << result.kernel.n_neurons() << " atoms in " << result.seconds
        << " s; eps_u " << mean_relative_error(*solver, tests) << std::endl;
  }

  // @sect{GMRES}
  //
  // deal.II's, with the preconditioner on the right, so that the residuals are
  // true ones and can be compared between preconditioners. It starts from what
  // is in u and ends at ten digits. The result knows steps and residuals.
  template <typename Preconditioner>
  SolverControl
  Tutorial::gmres(const MatrixType     &matrix,
                  const Preconditioner &preconditioner,
                  VectorType           &u) const
  {
    using GMRES = SolverGMRES<VectorType>;
    SolverControl control(max_steps,
                          1e-10 * b.l2_norm(),
                          /*log_history=*/false,
                          /*log_result=*/false);
    control.enable_history_data();
    try
      {
        GMRES(control, GMRES::AdditionalData(100, /*right=*/true))
          .solve(matrix, u, b, preconditioner);
      }
    catch (const SolverControl::NoConvergence &)
      {}
    return control;
  }

  // @sect{The contest}
  //
  // GreensPreconditioner is K M^{-1}, the kernel as a map from functionals to
  // functions, between two steps of symmetric Gauss-Seidel on either side: the
  // kernel has learned the smooth part of the inverse and knows nothing of the
  // rough one, for which Gauss-Seidel is good. It is a two-level method whose
  // coarse level has been learned.
  //
  // Every method starts from zero and then from the kernel's answer, u = K f,
  // which is worth a few digits from the beginning.
  void
  Tutorial::compare_preconditioners()
  {
    const MatrixType        &matrix = problem.matrix();
    VectorType               u, guess = space.make_vector();
    std::vector<std::string> names;
    std::vector<double>      steps, residuals, milliseconds, from_guess;
    std::vector<TableColumn> histories;
    solver->vmult(guess, f);
    const auto compete = [&](const std::string &name,
                             const auto        &preconditioner) {
      u = guess;
      from_guess.push_back(gmres(matrix, preconditioner, u).last_step());
      u = 0.;
      const Timer         timer;
      const SolverControl control = gmres(matrix, preconditioner, u);
      milliseconds.push_back(1e3 * timer.wall_time());
      names.push_back(name);
      steps.push_back(control.last_step());
      residuals.push_back(control.last_value() / b.l2_norm());
      histories.push_back({name, control.get_history_data()});
      histories.back().second.resize(2 * max_steps,
                                     std::numeric_limits<double>::quiet_NaN());
    };

    compete("none", PreconditionIdentity());
    TrilinosWrappers::PreconditionSSOR ssor;
    ssor.initialize(matrix);
    compete("SSOR", ssor);
    TrilinosWrappers::PreconditionILU ilu;
    ilu.initialize(matrix);
    compete("ILU", ilu);
    TrilinosWrappers::PreconditionAMG amg;
    initialize_multigrid(matrix, amg);
    compete("AMG", amg);
    compete("learned kernel", GreensPreconditioner<dim>(*solver, problem));
    print_table({{"steps", steps},
                 {"residual", residuals},
                 {"ms", milliseconds},
                 {"steps from the guess", from_guess}},
                communicator,
                names);
    write_csv(histories, directory + "/residuals.csv", communicator);

    // The solution, and what the kernel alone makes of it.
    out << "Kernel alone: relative error " << relative_error(space, guess, u)
        << " for the loudspeaker" << std::endl;
    guess -= u;
    write_vtu(space,
              {{"source", f}, {"solution", u}, {"kernel_error", guess}},
              directory + "/solution.vtu");
  }

  // @sect{How good has a kernel to be?}
  //
  // The kernel with its first 8, 16, ... atoms. contraction() measures which
  // part of an error one application of the preconditioner leaves, in the worst
  // case: below one, it would converge without GMRES.
  void
  Tutorial::compare_kernels()
  {
    std::vector<double> atoms, eps_u, contraction, steps;
    for (const auto &level : result.kernel.expansions.levels)
      if (level.n_neurons >= 8)
        {
          const SurrogateSolver<dim> level_solver(
            result.kernel.with_neurons(level.n_neurons), space);
          const GreensPreconditioner<dim> greens(level_solver, problem);
          VectorType                      u = space.make_vector();
          atoms.push_back(level.n_neurons);
          eps_u.push_back(mean_relative_error(level_solver, tests));
          contraction.push_back(greens.contraction());
          steps.push_back(gmres(problem.matrix(), greens, u).last_step());
        }
    print_table({{"atoms", atoms},
                 {"eps_u", eps_u},
                 {"contraction", contraction},
                 {"steps", steps}},
                communicator);
  }

  // @sect{Other wave numbers}
  //
  // Learning takes a while, so one would like to use a kernel for more than one
  // problem. As a solver it is good for its own wave number only. A
  // preconditioner may be wrong: GMRES makes up for it.
  void
  Tutorial::compare_wave_numbers()
  {
    std::vector<double> wave_numbers, with_kernel, with_amg;
    for (const double factor : {0.8, 0.9, 0.95, 1., 1.05, 1.1, 1.2})
      {
        wave_numbers.push_back(factor * parameters.problem.wave_number);
        Helmholtz<dim> other(wave_numbers.back());
        other.set_up(space);
        const MatrixType                 &matrix = other.matrix();
        const GreensPreconditioner<dim>   greens(*solver, matrix);
        TrilinosWrappers::PreconditionAMG amg;
        initialize_multigrid(matrix, amg);
        VectorType u = space.make_vector(), v = u;
        with_kernel.push_back(gmres(matrix, greens, u).last_step());
        with_amg.push_back(gmres(matrix, amg, v).last_step());
      }
    print_table({{"wave number", wave_numbers},
                 {"with the kernel", with_kernel},
                 {"with AMG", with_amg}},
                communicator);
  }

  // @sect{Answers that prove themselves}
  //
  // CheckedSolver puts the pieces together. Without being told the solution it
  // estimates the error of the kernel's answer from the residual; with a
  // tolerance it improves what is not good enough, in so many steps (none: the
  // kernel's answer was good enough). The last column is the truth, by a direct
  // solver.
  void
  Tutorial::check_answers()
  {
    const CheckedSolver<dim> checked(*solver, problem);
    VectorType               exact = space.make_vector(), u = exact;
    problem.solve(f, exact);
    const std::vector<double> tolerances = {1., 1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
    std::vector<double>       steps, estimates, errors;
    for (const double tolerance : tolerances)
      {
        const SolveReport report = checked.solve(f, u, tolerance);
        steps.push_back(report.iterations);
        estimates.push_back(report.relative_error);
        errors.push_back(relative_error(space, u, exact));
      }
    print_table({{"tolerance", tolerances},
                 {"steps", steps},
                 {"estimated error", estimates},
                 {"true error", errors}},
                communicator);
  }

  void
  Tutorial::run()
  {
    learn();
    out << "\nGMRES to a residual of 1e-10" << std::endl;
    compare_preconditioners();
    out << "\nKernels of fewer atoms" << std::endl;
    compare_kernels();
    out << "\nThe same kernel for other wave numbers, steps of GMRES"
        << std::endl;
    compare_wave_numbers();
    out << "\nChecked answers" << std::endl;
    check_answers();
    out << "\nWritten: " << directory << "/{residuals.csv, solution.vtu}"
        << std::endl;
  }
} // namespace HelmholtzPreconditioner

int
main(int argc, char **argv)
{
  using namespace HelmholtzPreconditioner;
  return run_with_parameters<Parameters, Tutorial>(
    argc,
    argv,
    "tutorial_h_helmholtz_preconditioner",
    "Solves Helmholtz' equation by GMRES with a learned kernel as "
    "preconditioner.",
    "h_helmholtz_preconditioner_output");
}
