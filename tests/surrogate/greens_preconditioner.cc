// The kernel as a preconditioner and as a judge of its own answers.

#include "surrogate/small_surrogate.h"

#include <evergreen/surrogate/checked_solver.h>

#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/lac/trilinos_vector.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  constexpr double goal = 1e-10;

  /** M f with zeros at the boundary. */
  template <int dim>
  DistributedVector
  load(const SmallSurrogate<dim> &setting, const DistributedVector &f)
  {
    auto b = setting.vector();
    setting.space.mass_matrix().vmult(b, f);
    for (std::size_t i = 0; i < setting.space.n_local_nodes(); ++i)
      if (setting.space.is_constrained(i))
        b.local_element(i) = 0;
    return b;
  }

  template <typename Matrix, typename Preconditioner>
  unsigned int
  cg_iterations(const Matrix            &matrix,
                const DistributedVector &b,
                const Preconditioner    &preconditioner,
                const DistributedVector *guess = nullptr)
  {
    DistributedVector x(b);
    x = 0.;
    if (guess != nullptr)
      x = *guess;
    dealii::SolverControl control(1000, goal * b.l2_norm(), false, false);
    dealii::SolverCG<DistributedVector>(control).solve(matrix,
                                                       x,
                                                       b,
                                                       preconditioner);
    return control.last_step();
  }

  template <typename Matrix, typename Preconditioner>
  unsigned int
  gmres_iterations(const Matrix            &matrix,
                   const DistributedVector &b,
                   const Preconditioner    &preconditioner)
  {
    DistributedVector x(b);
    x = 0.;
    dealii::SolverControl control(2000, goal * b.l2_norm(), false, false);
    dealii::SolverGMRES<DistributedVector> gmres(
      control,
      dealii::SolverGMRES<DistributedVector>::AdditionalData(50, true));
    gmres.solve(matrix, x, b, preconditioner);
    return control.last_step();
  }

  GreensPreconditionerOptions
  symmetric()
  {
    GreensPreconditionerOptions options;
    options.symmetric = true;
    return options;
  }
} // namespace


TEST(GreensPreconditioner, IsSymmetricWhenAsked)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const auto               a = load(disk, disk.random_forcing(0.05, 0));
  const auto               b = load(disk, disk.random_forcing(0.05, 1));
  auto                     x = disk.vector(), y = disk.vector();
  const auto               asymmetry = [&](const auto &options) {
    const GreensPreconditioner<2> preconditioner(solver,
                                                 *disk.problem,
                                                 options);
    preconditioner.vmult(x, a);
    preconditioner.vmult(y, b);
    return std::abs(x * b - y * a) / (x.l2_norm() * b.l2_norm());
  };
  EXPECT_LT(asymmetry(symmetric()), 1e-12);
  EXPECT_GT(asymmetry(GreensPreconditionerOptions()), 1e-8);
}

TEST(GreensPreconditioner, AcceleratesConjugateGradients)
{
  const auto compare = [](const auto &setting) {
    constexpr int              dim = std::decay_t<decltype(setting)>::dimension;
    const SurrogateSolver<dim> solver(setting.kernel, setting.space);
    const GreensPreconditioner<dim> greens(solver,
                                           *setting.problem,
                                           symmetric());
    EXPECT_LT(greens.contraction(), 0.5);
    const auto &matrix = setting.problem->matrix();
    // Rough right-hand sides, none of the training's kind.
    const auto b    = load(setting, setting.random_forcing(0.07, 0));
    const auto ours = cg_iterations(matrix, b, greens);
    const auto none = cg_iterations(matrix, b, dealii::PreconditionIdentity());
    EXPECT_LE(ours, 12u);
    EXPECT_LE(5 * ours, dim == 2 ? none : 2 * none);

    // As an initial guess it replaces some of the iterations.
    auto guess = setting.vector();
    greens.vmult(guess, b);
    dealii::TrilinosWrappers::PreconditionSSOR ssor;
    ssor.initialize(matrix);
    EXPECT_LT(cg_iterations(matrix, b, ssor, &guess),
              0.8 * cg_iterations(matrix, b, ssor));
  };
  compare(disk_surrogate());
  compare(cube_surrogate());
}

TEST(GreensPreconditioner, AcceleratesGmresForHelmholtz)
{
  const SmallSurrogate<2> disk(
    disk_domain(), std::make_unique<Helmholtz<2>>(10.), 0.2, 450, 128);
  const SurrogateSolver<2>      solver(disk.kernel, disk.space);
  const GreensPreconditioner<2> greens(solver, *disk.problem);
  const auto                    b = load(disk, disk.random_forcing(0.1, 0));
  EXPECT_LE(gmres_iterations(disk.problem->matrix(), b, greens), 20u);

  auto                   f = disk.random_forcing(0.1, 1), u = disk.vector();
  const CheckedSolver<2> checked(solver, *disk.problem);
  const auto             report = checked.solve(f, u);
  const double           truth  = disk.true_error(f, u);
  EXPECT_LT(report.relative_error, 3 * truth);
  EXPECT_GT(report.relative_error, truth / 3);
}

TEST(GreensPreconditioner, TakesTrilinosVectors)
{
  const auto                   &disk = disk_surrogate();
  const SurrogateSolver<2>      solver(disk.kernel, disk.space);
  const GreensPreconditioner<2> greens(solver, *disk.problem);
  const auto                    b = load(disk, disk.random_forcing(0.1, 2));
  auto                          z = disk.vector();
  greens.vmult(z, b);
  dealii::TrilinosWrappers::MPI::Vector x(disk.space.locally_owned_dofs(),
                                          MPI_COMM_SELF);
  auto                                  y = x;
  std::copy(b.begin(), b.end(), x.begin());
  greens.vmult(y, x);
  for (unsigned int i = 0; i < z.size(); ++i)
    EXPECT_EQ(y(i), z(i));
  expect_error(
    [&]() {
      GreensPreconditioner<2>(solver,
                              dealii::TrilinosWrappers::SparseMatrix(3, 3, 3));
    },
    "3 rows");
}

// In and out of distribution: the training's wavelength, two shorter ones that
// the mesh hardly resolves, and narrow Gaussians.
TEST(CheckedSolver, EstimatesTheError)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const CheckedSolver<2>   checked(solver, *disk.problem);
  EXPECT_LT(checked.contraction(), 0.5);
  auto       u      = disk.vector();
  const auto expect = [&](const DistributedVector &f) {
    const auto   report = checked.solve(f, u);
    const double truth  = disk.true_error(f, u);
    EXPECT_EQ(report.path, SolvePath::surrogate);
    EXPECT_EQ(report.iterations, 0u);
    EXPECT_LT(report.relative_error, 2 * truth);
    EXPECT_GT(report.relative_error, truth / 2);
  };
  for (const double wavelength : {0.2, 0.1, 0.05})
    for (const std::size_t sample : {0u, 1u})
      expect(disk.random_forcing(wavelength, sample));
  for (const double width : {0.1, 0.05, 0.02})
    expect(disk.bump({0.3, -0.2}, width));

  // Of any approximation, even of one that is wrong on purpose.
  const auto f = disk.random_forcing(0.2, 2);
  disk.problem->solve(f, u);
  EXPECT_LT(checked.estimate(f, u).relative_error, 1e-11);
  u *= 1.01;
  EXPECT_NEAR(checked.estimate(f, u).relative_error, 0.01, 1e-3);
}

TEST(CheckedSolver, EstimatesEvenWithAPoorKernel)
{
  const auto &disk   = disk_surrogate();
  auto        poor   = disk.kernel;
  auto       &level  = poor.expansions.levels.back();
  const auto  starts = poor.expansions.starts_on(level);
  for (std::size_t s = 0; s < poor.expansions.size(); ++s)
    for (std::size_t i = starts[s]; i < starts[s + 1]; ++i)
      level.coefficients[i] *= 1.5 + 1.4 * std::sin(100. * s);
  const SurrogateSolver<2> solver(poor, disk.space);
  const CheckedSolver<2>   checked(solver, *disk.problem);
  auto                     u = disk.vector();
  for (const double wavelength : {0.2, 0.05})
    {
      const auto   f      = disk.random_forcing(wavelength, 0);
      const auto   report = checked.solve(f, u);
      const double truth  = disk.true_error(f, u);
      EXPECT_GT(truth, 0.1);
      EXPECT_LT(report.relative_error, 10 * truth);
      EXPECT_GT(report.relative_error, truth / 10);
      EXPECT_LE(checked.solve(f, u, 1e-6).relative_error, 1e-6);
      EXPECT_LT(disk.true_error(f, u), 1e-5);
    }
}

TEST(CheckedSolver, MeetsTolerancesAndTellsHow)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const CheckedSolver<2>   checked(solver, *disk.problem);
  const auto               f        = disk.random_forcing(0.1, 3);
  auto                     u        = disk.vector();
  const double             estimate = checked.solve(f, u).relative_error;

  auto report = checked.solve(f, u, 2 * estimate);
  EXPECT_EQ(report.path, SolvePath::surrogate);
  unsigned int iterations_before = 0;
  for (const double tolerance : {1e-3 * estimate, 1e-8})
    {
      report = checked.solve(f, u, tolerance);
      EXPECT_EQ(report.path, SolvePath::improved);
      EXPECT_LE(report.relative_error, tolerance);
      EXPECT_LT(disk.true_error(f, u), 2 * tolerance);
      EXPECT_GT(report.iterations, iterations_before);
      EXPECT_LT(report.iterations, 15u);
      iterations_before = report.iterations;
    }
  // Not even finite elements can do this: at least the answer is theirs.
  report = checked.solve(f, u, 1e-30);
  EXPECT_EQ(report.path, SolvePath::finite_elements);
  EXPECT_LT(disk.true_error(f, u), 1e-14);
  EXPECT_EQ(path_name(report.path), "finite elements");
}
