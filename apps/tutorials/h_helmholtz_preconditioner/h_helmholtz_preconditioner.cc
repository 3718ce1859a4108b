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
// the kernel is an approximation of the inverse operator, waves included. So we
// use it for what approximate inverses are good for, as a preconditioner: every
// step of GMRES then reduces the error as much as the kernel knows, and a
// handful of steps reaches ten digits.
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
#include <evergreen/base/compat.h>

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/field_output.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/checked_solver.h>
#include <evergreen/surrogate/greens_preconditioner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/table_handler.h>
#include <deal.II/base/timer.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <Epetra_MultiVector.h>
#include <Teuchos_ParameterList.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

namespace HelmholtzPreconditioner
{
  using namespace dealii;
  using namespace Evergreen;
  using VectorType = LinearAlgebra::distributed::Vector<double>;
  using MatrixType = TrilinosWrappers::SparseMatrix;

  constexpr int dim = 2;


  // @sect{Parameters}
  struct Parameters
  {
    DomainParameters   domain;
    ProblemParameters  problem;
    ForcingParameters  forcing;
    DatasetParameters  dataset;
    LearningParameters learning;

    double       source_x     = -0.7;
    double       source_y     = 0.6;
    double       source_width = 0.05;
    double       reduction    = 1e-10;
    unsigned int max_steps    = 2000;

    Parameters()
    {
      domain.name            = "h";
      problem.name           = "helmholtz";
      problem.wave_number    = 10.;
      dataset.n_test_samples = 200;
      learning.neurons       = 256;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      domain.add_parameters(prm);
      problem.add_parameters(prm);
      forcing.add_parameters(prm);
      dataset.add_parameters(prm);
      learning.add_parameters(prm);
      prm.enter_subsection("Loudspeaker");
      prm.add_parameter("X", source_x, "The centre of a Gaussian source.");
      prm.add_parameter("Y", source_y, "Its second coordinate.");
      prm.add_parameter("Width",
                        source_width,
                        "The width of the source.",
                        Patterns::Double(1e-3, 1));
      prm.leave_subsection();
      prm.enter_subsection("Solver");
      prm.add_parameter("Reduction",
                        reduction,
                        "The residual at the end, relative to the right-hand "
                        "side.",
                        Patterns::Double(1e-14, 1));
      prm.add_parameter("Steps",
                        max_steps,
                        "GMRES gives up after so many.",
                        Patterns::Integer(1));
      prm.leave_subsection();
    }

    void
    check() const
    {
      domain.check();
      problem.check();
      forcing.check();
      dataset.check();
      learning.check();
      if (domain.dimension() != dim)
        throw UsageError(
          "'Domain/Name = ", domain.name, "' is not a domain in the plane.");
      if (problem.name != "helmholtz")
        throw UsageError("'Problem/Name = ",
                         problem.name,
                         "' is not possible here: this program is about "
                         "helmholtz.");
      if (learning.method != "pw-oga" || !learning.sensors.empty())
        throw UsageError(
          "A preconditioner needs all slices of the kernel: "
          "leave 'Greedy/Method' and 'Greedy/Sensors' alone.");
      if (dataset.n_test_samples == 0)
        throw UsageError(
          "'Dataset/Test samples = 0' leaves nothing to measure "
          "errors with.");
    }
  };


  // @sect{The program's class}
  class Tutorial
  {
  public:
    Tutorial(const Parameters  &parameters,
             const std::string &dataset_text,
             const std::string &directory,
             const MPI_Comm     communicator);

    void
    run();

  private:
    // The outcome of one run of GMRES.
    struct Solve
    {
      bool                converged = false;
      unsigned int        n_steps   = 0;
      double              seconds   = 0;
      std::vector<double> residuals;
    };

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
    Solve
    gmres(const MatrixType     &matrix,
          const Preconditioner &preconditioner,
          VectorType           &u) const;
    VectorType
    load(const VectorType &f) const;
    VectorType
    vector() const
    {
      return VectorType(space.locally_owned_dofs(), communicator);
    }
    double
    l2_norm(const VectorType &v) const
    {
      const std::vector<double> values(v.begin(), v.end());
      return std::sqrt(space.square_norms(values, 1).front());
    }

    Parameters         parameters;
    std::string        dataset_text;
    std::string        directory;
    MPI_Comm           communicator;
    ConditionalOStream out;

    Mesh<dim>      mesh;
    MeshSpace<dim> space;
    Helmholtz<dim> problem;

    std::unique_ptr<DatasetReader>        data;
    LearningResult                        result;
    std::vector<double>                   errors; // of all levels
    std::unique_ptr<SurrogateSolver<dim>> solver;

    VectorType f, b; // a forcing, and M f with zeros on the boundary
  };


  // The forcing is a loudspeaker in the upper left leg of the H: a Gaussian so
  // narrow that the training, with its smooth forcings, has seen nothing like
  // it. A preconditioner must not depend on the right-hand side being nice.
  Tutorial::Tutorial(const Parameters  &parameters,
                     const std::string &dataset_text,
                     const std::string &directory,
                     const MPI_Comm     communicator)
    : parameters(parameters)
    , dataset_text(dataset_text)
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

    f = vector();
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      {
        const double *const y =
          &space.mesh_data().points[space.local_nodes()[i] * dim];
        f.local_element(i) =
          std::exp(-(std::pow(y[0] - parameters.source_x, 2) +
                     std::pow(y[1] - parameters.source_y, 2)) /
                   (2. * std::pow(parameters.source_width, 2)));
      }
    b = load(f);
  }


  // A matrix maps functions to functionals: its argument are nodal values, its
  // result are integrals against shape functions. So the right-hand side of
  // A u = b is not f, but M f with the mass matrix M. Nodes on the boundary
  // have a row of the unit matrix.
  VectorType
  Tutorial::load(const VectorType &forcing) const
  {
    VectorType result = vector();
    space.mass_matrix().vmult(result, forcing);
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      if (space.is_constrained(i))
        result.local_element(i) = 0;
    return result;
  }


  // @sect{Learning}
  //
  // As in the first tutorial. The helmholtz operator is one of the library's.
  void
  Tutorial::learn()
  {
    GenerationOptions generation;
    generation.resume         = true;
    generation.parameter_text = dataset_text;
    const std::string file    = directory + "/data.h5";
    const auto        made    = generate_dataset(
      problem, parameters.forcing, parameters.dataset, file, generation);
    if (made.interrupted)
      throw Error("Interrupted. The next run will continue with the data.");
    data   = open_dataset(file, communicator);
    result = learn_kernel(space,
                          load_samples(*data, Split::train, space),
                          parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");
    const auto tests =
      read_test_set(space, *data, Split::test, result.kernel.response);
    errors = kernel_errors<dim>(result.kernel, space, &tests, nullptr).eps_u;
    solver = std::make_unique<SurrogateSolver<dim>>(result.kernel, space);
    out << "Learned: " << result.kernel.response.size() << " slices of up to "
        << result.kernel.n_neurons() << " atoms in " << result.seconds
        << " s; eps_u "
        << tests->errors_of({result.kernel}, make_rule(space)).front()
        << std::endl;
  }


  // @sect{GMRES}
  //
  // deal.II's, with the preconditioner on the right, so that the residuals are
  // true ones and can be compared between preconditioners. It starts from what
  // is in u.
  template <typename Preconditioner>
  Tutorial::Solve
  Tutorial::gmres(const MatrixType     &matrix,
                  const Preconditioner &preconditioner,
                  VectorType           &u) const
  {
    SolverControl control(parameters.max_steps,
                          parameters.reduction * b.l2_norm(),
                          false,
                          false);
    control.enable_history_data();
    SolverGMRES<VectorType> solver_gmres(
      control, SolverGMRES<VectorType>::AdditionalData(100, true));
    Solve solve;
    Timer timer;
    try
      {
        solver_gmres.solve(matrix, u, b, preconditioner);
        solve.converged = true;
      }
    catch (const SolverControl::NoConvergence &)
      {}
    solve.seconds   = timer.wall_time();
    solve.n_steps   = control.last_step();
    solve.residuals = control.get_history_data();
    for (double &residual : solve.residuals)
      residual /= b.l2_norm();
    return solve;
  }


  // @sect{Algebraic multigrid}
  //
  // Trilinos' ML. As it comes, it solves directly what has less than 2,000
  // unknowns, as this problem does: one step, but not a method that one could
  // use for larger problems. We also want to see the multigrid method, and tell
  // it to coarsen down to 100 unknowns.
  const TrilinosWrappers::PreconditionAMG::AdditionalData non_elliptic(false);

  void
  initialize_multigrid(const MatrixType                  &matrix,
                       TrilinosWrappers::PreconditionAMG &amg)
  {
    Teuchos::ParameterList              list;
    std::unique_ptr<Epetra_MultiVector> constant_modes;
    non_elliptic.set_parameters(list, constant_modes, matrix);
    list.set("coarse: max size", 100);
    amg.initialize(matrix, list);
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
    TableHandler             table;
    std::vector<TableColumn> histories;
    const auto               compete = [&](const std::string &name,
                             const auto        &preconditioner) {
      VectorType from_zero = vector(), from_guess = vector();
      solver->vmult(from_guess, f);
      const Solve first = gmres(matrix, preconditioner, from_zero);
      const Solve second = gmres(matrix, preconditioner, from_guess);
      const auto  steps = [](const Solve &solve) {
        return (solve.converged ? "" : "> ") + std::to_string(solve.n_steps);
      };
      table.add_value("preconditioner", name);
      table.add_value("steps", steps(first));
      table.add_value("ms", 1e3 * first.seconds);
      table.add_value("steps from the guess", steps(second));
      histories.push_back({name, first.residuals});
    };

    compete("none", PreconditionIdentity());
    TrilinosWrappers::PreconditionJacobi jacobi;
    jacobi.initialize(matrix);
    compete("Jacobi", jacobi);
    TrilinosWrappers::PreconditionSSOR ssor;
    ssor.initialize(matrix);
    compete("SSOR", ssor);
    TrilinosWrappers::PreconditionILU ilu;
    ilu.initialize(matrix);
    compete("ILU", ilu);

    TrilinosWrappers::PreconditionAMG direct_amg, amg;
    direct_amg.initialize(matrix, non_elliptic);
    compete("AMG (as it comes)", direct_amg);
    initialize_multigrid(matrix, amg);
    compete("AMG (coarsened to 100)", amg);

    const GreensPreconditioner<dim> greens(*solver, problem);
    compete("learned kernel", greens);

    table.set_precision("ms", 2);
    if (out.is_active())
      table.write_text(std::cout);

    // All histories in one file, as columns of one length.
    std::size_t length = 0;
    for (const auto &history : histories)
      length = std::max(length, history.second.size());
    std::vector<double> steps(length);
    for (std::size_t i = 0; i < length; ++i)
      steps[i] = i;
    for (auto &history : histories)
      history.second.resize(length, std::numeric_limits<double>::quiet_NaN());
    histories.insert(histories.begin(), {"step", steps});
    write_csv(histories, directory + "/residuals.csv", communicator);

    // The solution, and what the kernel alone makes of it.
    VectorType u = vector(), guess = vector();
    gmres(matrix, greens, u);
    solver->vmult(guess, f);
    VectorType error = guess;
    error -= u;
    out << "Kernel alone: relative error " << l2_norm(error) / l2_norm(u)
        << " for the loudspeaker" << std::endl;
    const auto values_of = [](const VectorType &v) {
      return std::vector<double>(v.begin(), v.end());
    };
    write_vtu<dim>(space,
                   {{"source", values_of(f)},
                    {"solution", values_of(u)},
                    {"kernel_error", values_of(error)}},
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
    TableHandler table;
    const auto  &levels = result.kernel.expansions.levels;
    for (std::size_t l = 0; l < levels.size(); ++l)
      {
        const std::size_t n = levels[l].n_neurons;
        if (n < 8)
          continue;
        const LearnedKernel             kernel = result.kernel.with_neurons(n);
        const SurrogateSolver<dim>      level_solver(kernel, space);
        const GreensPreconditioner<dim> greens(level_solver, problem);
        VectorType                      u = vector();
        const Solve solve                 = gmres(problem.matrix(), greens, u);
        table.add_value("atoms", static_cast<unsigned int>(level.first));
        table.add_value("eps_u",
                        tests->errors_of({kernel}, make_rule(space)).front());
        table.add_value("contraction", greens.contraction());
        table.add_value("steps", solve.n_steps);
      }
    table.set_scientific("eps_u", true);
    table.set_precision("eps_u", 2);
    table.set_precision("contraction", 3);
    if (out.is_active())
      table.write_text(std::cout);
  }


  // @sect{Other wave numbers}
  //
  // Learning takes a while, so one would like to use a kernel for more than one
  // problem. As a solver it is good for its own wave number only. A
  // preconditioner may be wrong: GMRES makes up for it.
  void
  Tutorial::compare_wave_numbers()
  {
    TableHandler table;
    for (const double factor : {0.8, 0.9, 0.95, 1., 1.05, 1.1, 1.2})
      {
        const double   wave_number = factor * parameters.problem.wave_number;
        Helmholtz<dim> other(wave_number);
        other.set_up(space);
        const GreensPreconditioner<dim>    greens(*solver, other.matrix());
        TrilinosWrappers::PreconditionSSOR ssor;
        ssor.initialize(other.matrix());
        TrilinosWrappers::PreconditionAMG amg;
        initialize_multigrid(other.matrix(), amg);
        VectorType u = vector(), v = vector(), w = vector();
        table.add_value("wave number", wave_number);
        table.add_value("with the kernel",
                        gmres(other.matrix(), greens, u).n_steps);
        table.add_value("with AMG", gmres(other.matrix(), amg, w).n_steps);
        table.add_value("with SSOR", gmres(other.matrix(), ssor, v).n_steps);
      }
    table.set_precision("wave number", 2);
    if (out.is_active())
      table.write_text(std::cout);
  }


  // @sect{Answers that prove themselves}
  //
  // CheckedSolver puts the pieces together. Without being told the solution it
  // estimates the error of the kernel's answer from the residual; with a
  // tolerance it improves what is not good enough. The last column is the
  // truth, by a direct solver.
  void
  Tutorial::check_answers()
  {
    const CheckedSolver<dim> checked(*solver, problem);
    VectorType               exact = vector(), u = vector();
    problem.solve(f, exact);
    TableHandler table;
    for (const double tolerance : {1., 1e-2, 1e-4, 1e-6, 1e-8, 1e-10})
      {
        const SolveReport report = checked.solve(f, u, tolerance);
        u -= exact;
        table.add_value("tolerance", tolerance);
        table.add_value("path", path_name(report.path));
        table.add_value("steps", report.iterations);
        table.add_value("estimated error", report.relative_error);
        table.add_value("true error", l2_norm(u) / l2_norm(exact));
      }
    for (const char *column : {"tolerance", "estimated error", "true error"})
      {
        table.set_scientific(column, true);
        table.set_precision(column, 1);
      }
    if (out.is_active())
      table.write_text(std::cout);
  }


  void
  Tutorial::run()
  {
    learn();
    out << "\nGMRES to a residual of " << parameters.reduction << std::endl;
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


// @sect{The main function}
//
// As in the first tutorial.
int
main(int argc, char **argv)
{
  using namespace HelmholtzPreconditioner;
  const std::string name = "tutorial_h_helmholtz_preconditioner";

  return run_program(argc, argv, name, [&](const MPI_Comm communicator) {
    Parameters       parameters;
    ParameterHandler prm;
    parameters.add_parameters(prm);
    const ProgramOptions options =
      read_program_options(argc,
                           argv,
                           name,
                           "Solves Helmholtz' equation by GMRES with a learned "
                           "kernel as preconditioner.",
                           "h_helmholtz_preconditioner_output",
                           prm,
                           communicator);
    if (options.finished)
      return 0;
    parameters.check();

    const std::string dataset_text = text_of_sections(prm,
                                                      parameters.domain,
                                                      parameters.problem,
                                                      parameters.forcing,
                                                      parameters.dataset);
    Tutorial(parameters, dataset_text, options.output, communicator).run();
    return 0;
  });
}
