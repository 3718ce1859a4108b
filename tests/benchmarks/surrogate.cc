// Learned kernels against the fastest solvers, in blocks of 256 right-hand
// sides. All figures are ratios of times from one run.
//
//   benchmark_surrogate [disk] [cube] [preconditioner] [--cube-kernel=FILE]
//
// The kernel of the cube takes minutes to learn: give it as a file if you have
// one ('evergreen run apps/configs/cube_poisson.prm').

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/greens_preconditioner.h>

#include <deal.II/base/multithread_info.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_gmres.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>

using namespace Evergreen;
using dealii::Point;
using VectorType = dealii::LinearAlgebra::distributed::Vector<double>;

namespace
{
  constexpr std::size_t n_rhs = 256;


  /** The best of some times for a block, per right-hand side. */
  double
  seconds_per_rhs(const unsigned int           n_repeats,
                  const std::function<void()> &action)
  {
    double best = 1e300;
    for (unsigned int i = 0; i < n_repeats; ++i)
      {
        const double start = MPI_Wtime();
        action();
        best = std::min(best, MPI_Wtime() - start);
      }
    return best / n_rhs;
  }


  DomainParameters
  domain(const std::string &name, const unsigned int subdivisions = 0)
  {
    DomainParameters parameters;
    parameters.name         = name;
    parameters.subdivisions = subdivisions;
    return parameters;
  }


  /** Samples to learn from, and to measure times and errors with. */
  struct Data
  {
    Samples training, tests;

    template <int dim>
    Data(LinearProblem<dim>      &problem,
         const ForcingParameters &forcing,
         const std::size_t        n_training)
      : training(generate_samples(problem, forcing, Split::train, n_training))
      , tests(generate_samples(problem, forcing, Split::test, n_rhs))
    {}
  };


  ForcingParameters
  band_limited(const double wavelength)
  {
    ForcingParameters forcing;
    forcing.wavelength = wavelength;
    return forcing;
  }

  ForcingParameters
  gaussian_process()
  {
    ForcingParameters forcing;
    forcing.model  = "gaussian-process";
    forcing.length = 0.2;
    return forcing;
  }


  LearningParameters
  learning(const unsigned int neurons, const std::string &family)
  {
    LearningParameters parameters;
    parameters.neurons   = neurons;
    parameters.family    = family;
    parameters.stopping  = "neurons";
    parameters.precision = "single";
    return parameters;
  }


  /** The times of the fastest solver, f to u, per right-hand side. */
  struct SolverSeconds
  {
    double in_blocks  = 1e300;
    double one_by_one = 1e300;
  };


  /**
   * Measures solvers, with a line for each: a block at a time as our own
   * problems do, and one by one as deal.II's SolverDirect does.
   */
  template <int dim>
  SolverSeconds
  measure_solvers(const Space<dim>               &space,
                  const std::vector<std::string> &names,
                  const std::vector<double>      &f)
  {
    SolverSeconds       fastest;
    std::vector<double> u(f.size());
    for (const auto &name : names)
      {
        Poisson<dim> problem(LinearSolver::method_from_name(name));
        const double start = MPI_Wtime();
        problem.set_up(space);
        const double set_up     = MPI_Wtime() - start;
        const double seconds    = seconds_per_rhs(3, [&]() {
          problem.solve_block(f.data(), u.data(), n_rhs);
        });
        const double one_by_one = seconds_per_rhs(1, [&]() {
          for (std::size_t j = 0; j < n_rhs; ++j)
            problem.solve_block(f.data() + j * space.n_nodes(),
                                u.data() + j * space.n_nodes(),
                                1);
        });
        std::printf(
          "  %-14s %10.4f ms per rhs, %8.4f ms one by one   "
          "(set up in %.2f s)\n",
          name.c_str(),
          1e3 * seconds,
          1e3 * one_by_one,
          set_up);
        fastest.in_blocks  = std::min(fastest.in_blocks, seconds);
        fastest.one_by_one = std::min(fastest.one_by_one, one_by_one);
      }
    return fastest;
  }


  template <int dim>
  void
  measure_forms(const LearnedKernel &kernel,
                const Space<dim>    &space,
                const Data          &data,
                const SolverSeconds &fastest)
  {
    const auto          f = data.tests.forcings;
    std::vector<double> u(f.size());
    for (const auto form : {SurrogateForm::dense, SurrogateForm::dense_single})
      {
        SurrogateOptions options;
        options.form = form;
        const SurrogateSolver<dim> solver(kernel, space, options);
        const double               seconds = seconds_per_rhs(10, [&]() {
          solver.apply(f.data(), u.data(), n_rhs);
        });
        std::printf(
          "  %-14s %10.4f ms per rhs   %6.1f times as fast (%.1f)   "
          "%.0f MiB   eps_u %.1e\n",
          form_name(form).c_str(),
          1e3 * seconds,
          fastest.in_blocks / seconds,
          fastest.one_by_one / seconds,
          solver.local_operator().memory() / 1048576.,
          mean_relative_error(solver, data.tests));
      }
  }


  template <int dim>
  void
  measure_sensors(const LearnedKernel &kernel,
                  const Space<dim>    &space,
                  const Data          &data,
                  const SolverSeconds &fastest)
  {
    SurrogateOptions options;
    options.form = SurrogateForm::atoms;
    const SurrogateSolver<dim> solver(kernel, space, options);
    std::vector<Point<dim>>    points;
    for (unsigned int i = 0; i < 16; ++i)
      {
        const auto node = kernel.response[i * kernel.response.size() / 16];
        points.emplace_back();
        for (unsigned int d = 0; d < dim; ++d)
          points.back()[d] = kernel.mesh.points[node * dim + d];
      }
    const auto          sensors = solver.sensors(points);
    const auto          f       = data.tests.forcings;
    std::vector<double> values(16 * n_rhs);
    const double        seconds = seconds_per_rhs(50, [&]() {
      sensors.apply(f.data(), values.data(), n_rhs);
    });
    std::printf("  %-14s %10.4f ms per rhs   %6.1f times as fast (%.1f)\n",
                "16 sensors",
                1e3 * seconds,
                fastest.in_blocks / seconds,
                fastest.one_by_one / seconds);
  }


  template <int dim>
  void
  small_case(const char                     *title,
             const DomainParameters         &parameters,
             const ForcingParameters        &forcing,
             const unsigned int              neurons,
             const std::string              &kernel_file,
             const std::vector<std::string> &solvers)
  {
    const Mesh<dim>      mesh(parameters, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, 1);
    Poisson<dim>         problem;
    problem.set_up(space);
    const Data data(problem, forcing, 1000);
    const auto kernel =
      kernel_file.empty()
        ? learn_kernel(space, data.training, learning(neurons, "auto")).kernel
        : LearnedKernel::load(kernel_file);
    std::printf(
      "%s: %zu nodes, %zu neurons, %zu right-hand sides; in "
      "parentheses: against solves one by one\n",
      title,
      space.n_nodes(),
      kernel.n_neurons(),
      n_rhs);
    const SolverSeconds fastest =
      measure_solvers<dim>(space, solvers, data.tests.forcings);
    measure_forms<dim>(kernel, space, data, fastest);
    measure_sensors<dim>(kernel, space, data, fastest);
  }


  template <int dim, typename Preconditioner>
  int
  iterations(const GalerkinProblem<dim> &problem,
             const VectorType           &b,
             const Preconditioner       &preconditioner,
             const bool                  use_cg,
             const VectorType           *guess = nullptr)
  {
    VectorType x(b);
    x = 0.;
    if (guess != nullptr)
      x = *guess;
    dealii::SolverControl control(5000, 1e-10 * b.l2_norm(), false, false);
    try
      {
        if (use_cg)
          dealii::SolverCG<VectorType>(control).solve(problem.matrix(),
                                                      x,
                                                      b,
                                                      preconditioner);
        else
          {
            dealii::SolverGMRES<VectorType> gmres(
              control,
              dealii::SolverGMRES<VectorType>::AdditionalData(100, true));
            gmres.solve(problem.matrix(), x, b, preconditioner);
          }
      }
    catch (const dealii::SolverControl::NoConvergence &)
      {
        return -1;
      }
    return control.last_step();
  }


  template <int dim>
  void
  preconditioner_case(const char             *title,
                      const DomainParameters &parameters,
                      GalerkinProblem<dim>   &problem,
                      const unsigned int      neurons,
                      const bool              use_cg)
  {
    const Mesh<dim>      mesh(parameters, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, 1);
    problem.set_up(space);
    const Data data(problem, band_limited(0.1), 1000);
    const auto kernel =
      learn_kernel(space, data.training, learning(neurons, "relu")).kernel;
    const SurrogateSolver<dim>  solver(kernel, space);
    GreensPreconditionerOptions options;
    options.symmetric = use_cg;
    const GreensPreconditioner<dim> greens(solver, problem, options);

    VectorType f(space.locally_owned_dofs(), MPI_COMM_SELF);
    VectorType b(f), guess(f);
    const auto forcings = data.tests.forcings;
    std::copy_n(forcings.begin(), space.n_nodes(), f.begin());
    space.mass_matrix().vmult(b, f);
    for (std::size_t i = 0; i < space.n_nodes(); ++i)
      if (space.is_constrained(i))
        b(i) = 0;
    dealii::TrilinosWrappers::PreconditionJacobi jacobi;
    jacobi.initialize(problem.matrix());
    dealii::TrilinosWrappers::PreconditionSSOR ssor;
    ssor.initialize(problem.matrix());
    dealii::TrilinosWrappers::PreconditionAMG amg;
    amg.initialize(problem.matrix());
    greens.vmult(guess, b);
    std::printf(
      "%s: wavelength 0.1, %zu neurons, training error %.1e; iterations to "
      "1e-10:\n  none %d, Jacobi %d, SSOR %d, AMG %d, kernel %d; AMG from the "
      "kernel's guess %d   (-1: more than 5000)\n",
      title,
      kernel.n_neurons(),
      kernel.history.train_error.back(),
      iterations(problem, b, dealii::PreconditionIdentity(), use_cg),
      iterations(problem, b, jacobi, use_cg),
      iterations(problem, b, ssor, use_cg),
      iterations(problem, b, amg, use_cg),
      iterations(problem, b, greens, use_cg),
      iterations(problem, b, amg, use_cg, &guess));
  }


  void
  run(const std::set<std::string> &cases, const std::string &cube_kernel)
  {
    const auto wanted = [&](const std::string &name) {
      return cases.empty() || cases.count(name) > 0;
    };
    if (wanted("disk"))
      small_case<2>("disk",
                    domain("disk"),
                    band_limited(0.2),
                    128,
                    "",
                    {"cholmod", "klu", "mumps", "cg-amg"});
    if (wanted("cube"))
      small_case<3>("cube",
                    domain("cube"),
                    gaussian_process(),
                    160,
                    cube_kernel,
                    {"cholmod", "klu", "mumps", "cg-amg"});
    if (wanted("preconditioner"))
      {
        Poisson<2>   disk;
        Helmholtz<2> helmholtz(10.);
        Poisson<3>   cube;
        preconditioner_case<2>("disk", domain("disk"), disk, 256, true);
        preconditioner_case<2>(
          "disk, Helmholtz K = 10", domain("disk"), helmholtz, 256, false);
        preconditioner_case<3>("cube", domain("cube"), cube, 128, true);
      }
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 2);
  Blas::set_n_threads(2);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::set<std::string> cases;
  std::string           cube_kernel;
  for (int i = 1; i < argc; ++i)
    {
      const std::string argument = argv[i];
      const auto        value    = argument.substr(argument.find('=') + 1);
      if (argument.rfind("--cube-kernel=", 0) == 0)
        cube_kernel = value;
      else
        cases.insert(argument);
    }
  try
    {
      run(cases, cube_kernel);
    }
  catch (const Error &error)
    {
      std::fprintf(stderr, "benchmark_surrogate: %s\n", error.what());
      return 1;
    }
  return 0;
}
