// A kernel of boundary values learned on the disk: the exact Poisson kernel,
// harmonic polynomials, checked answers together with a kernel of forcings.

#include "fem/user_spaces.h"
#include "surrogate/small_surrogate.h"

#include <evergreen/base/random.h>
#include <evergreen/fem/boundary_problem.h>
#include <evergreen/fem/functions.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/surrogate/checked_solver.h>

#include <deal.II/base/function_lib.h>
#include <deal.II/grid/grid_generator.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  using Formula = std::function<double(const Point<2> &)>;

  dealii::ScalarFunctionFromFunctionObject<2>
  function(const Formula &formula)
  {
    return dealii::ScalarFunctionFromFunctionObject<2>(formula);
  }

  constexpr Input values = Input::boundary_values;

  /** Kernels of boundary values, by ReLU atoms and by those that fit. */
  struct BoundarySurrogate
  {
    const SmallSurrogate<2> &disk = disk_surrogate();
    BoundaryProblem<2>       problem;
    Samples                  tests;
    LearnedKernel            relu, best;

    BoundarySurrogate() : problem(*disk.problem, values)
    {
      problem.set_up(disk.space);
      ForcingParameters forcing;
      forcing.input      = input_name(values);
      forcing.wavelength = 0.3;
      const auto samples =
        generate_samples<2>(problem, forcing, Split::train, 200);
      tests = generate_samples<2>(problem, forcing, Split::test, 50);
      LearningParameters parameters;
      parameters.neurons   = 56;
      parameters.size      = 256;
      parameters.precision = "single";
      relu              = learn_kernel(disk.space, samples, parameters).kernel;
      parameters.family = "auto";
      best              = learn_kernel(disk.space, samples, parameters).kernel;
    }

    KernelErrors
    errors(const LearnedKernel &kernel)
    {
      const TestSet<2> set(disk.space,
                           tests,
                           kernel.response,
                           kernel.quadrature);
      return kernel_errors<2>(kernel, disk.space, &set, &problem);
    }
  };

  std::unique_ptr<BoundarySurrogate> the_surrogate;

  /** Matrices must be gone before MPI is. */
  class Cleaner : public ::testing::Environment
  {
    void
    TearDown() override
    {
      the_surrogate.reset();
    }
  };
  const auto *const cleaner = ::testing::AddGlobalTestEnvironment(new Cleaner);

  BoundarySurrogate &
  surrogate()
  {
    if (the_surrogate == nullptr)
      the_surrogate = std::make_unique<BoundarySurrogate>();
    return *the_surrogate;
  }

  const std::vector<Formula> harmonic_polynomials = {
    [](const Point<2> &) { return 1.; },
    [](const Point<2> &p) { return p[0]; },
    [](const Point<2> &p) { return p[0] * p[0] - p[1] * p[1]; },
    [](const Point<2> &p) { return 2 * p[0] * p[1]; },
    [](const Point<2> &p) {
      return std::pow(p[0], 3) - 3 * p[0] * p[1] * p[1];
    }};
} // namespace


TEST(BoundaryKernel, ErrorsOnTheDisk)
{
  auto      &data = surrogate();
  const auto relu = data.errors(data.relu), best = data.errors(data.best);
  EXPECT_LT(relu.eps_u.back(), 1e-6);
  EXPECT_LT(best.eps_u.back(), 1e-6);
  // One atom is the exact kernel, where finite elements have the same.
  EXPECT_LT(best.eps_G.front(), 0.05);
  EXPECT_GT(relu.eps_G.front(), 0.5);
  EXPECT_LT(best.eps_G.back(), 0.1);
  EXPECT_LT(best.eps_G.back(), relu.eps_G.back());
  LearnedKernel wrong = data.best;
  for (double &c : wrong.expansions.levels.back().coefficients)
    c *= 1.01;
  EXPECT_GT(data.errors(wrong).eps_u.back(), 5e-3);
}

TEST(BoundaryKernel, HarmonicPolynomials)
{
  auto       &data  = surrogate();
  const auto &space = data.disk.space;
  for (const auto *kernel : {&data.relu, &data.best})
    {
      const SurrogateSolver<2> solver(*kernel, space);
      for (const auto &u : harmonic_polynomials)
        {
          const auto exact    = interpolate<2>(space, u);
          auto       solution = data.disk.vector();
          solver.solve(function(u), solution);
          const double error = relative_error<2>(space, solution, exact);
          EXPECT_LT(error, 1e-3);
          solution *= 1.002;
          EXPECT_GT(relative_error<2>(space, solution, exact), 1e-3);
        }
    }
}

TEST(BoundaryKernel, ChecksAndImprovesAnswers)
{
  auto                    &data  = surrogate();
  const auto              &space = data.disk.space;
  const SurrogateSolver<2> forcing_solver(data.disk.kernel, space);
  const SurrogateSolver<2> boundary_solver(data.relu, space);
  const CheckedSolver<2> checked(forcing_solver, boundary_solver, data.problem);
  const auto             f = interpolate<2>(space, [](const Point<2> &p) {
    return 4 + std::cos(5 * p[0]);
  });
  // A jump, which the kernel was not trained on.
  const auto g = boundary_data<2>(space, values, function([](const auto &p) {
                                    return p[1] > 0.3 ? 1. : 0.;
                                  }));
  auto       exact = data.disk.vector(), part = exact, u = exact;
  data.disk.problem->solve(f, exact);
  data.problem.solve(g, part);
  exact += part;

  const auto   as_is = checked.solve(f, g, u);
  const double error = relative_error<2>(space, u, exact);
  EXPECT_EQ(as_is.path, SolvePath::surrogate);
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(as_is.relative_error, 2 * error);
  EXPECT_GT(as_is.relative_error, error / 2);

  const auto improved = checked.solve(f, g, u, 1e-8);
  EXPECT_EQ(improved.path, SolvePath::improved);
  EXPECT_LT(relative_error<2>(space, u, exact), 2e-8);

  // Without data on the boundary nothing changes.
  auto zero = data.disk.vector(), alone = zero;
  CheckedSolver<2>(forcing_solver, *data.disk.problem).solve(f, alone);
  checked.solve(f, zero, u);
  u -= alone;
  EXPECT_LT(u.linfty_norm(), 1e-13);
}

TEST(BoundaryKernel, SensorsAdjointsAndFiles)
{
  auto                    &data  = surrogate();
  const auto              &space = data.disk.space;
  const TemporaryDirectory directory;
  data.best.save(directory / "p.h5");
  const SurrogateSolver<2> solver(directory / "p.h5", space);
  EXPECT_EQ(solver.input(), values);
  const SurrogateSolver<2> other(data.best, space);

  auto g = data.disk.random_forcing(0.5, 3), u = g, v = g, w = g;
  solver.vmult(u, g);
  other.vmult(v, g);
  v -= u;
  EXPECT_LT(v.linfty_norm(), 1e-12 * u.linfty_norm());
  // Only what is on the boundary counts, and it is part of the solution.
  w = g;
  restrict_to_boundary(space, boundary_weights(space, values), w.begin(), 1);
  solver.vmult(v, w);
  v -= u;
  EXPECT_EQ(v.linfty_norm(), 0.);
  for (const auto node : space.mesh_data().boundary)
    EXPECT_EQ(u(space.dof_of_node(node)), g(space.dof_of_node(node)));

  const std::vector<Point<2>> points   = {{0.1, 0.2}, {0.98, 0.05}, {0, -0.99}};
  const auto                  expected = solver.values_at(points, u);
  const auto                  found    = solver.sensors(points)(g);
  for (std::size_t p = 0; p < points.size(); ++p)
    EXPECT_NEAR(found[p], expected[p], 1e-12);

  v = data.disk.random_forcing(0.4, 4);
  solver.Tvmult(w, v);
  EXPECT_NEAR(u * v, g * w, 1e-10 * u.l2_norm() * v.l2_norm());
}

// u = sin(pi y) sinh(pi x) has the normal derivative pi cosh(pi) sin(pi y) on
// the side x = 1 of a square, and is zero on the others.
TEST(BoundaryKernel, FluxesOnASquare)
{
  UserSpace<2> square(1, 1);
  dealii::GridGenerator::hyper_cube(square.triangulation, 0, 1, true);
  square.triangulation.refine_global(5);
  square.distribute({0, 2, 3});
  const auto         space = square.space();
  Poisson<2>         poisson;
  BoundaryProblem<2> problem(poisson, Input::boundary_fluxes);
  problem.set_up(space);
  ForcingParameters forcing;
  forcing.input      = input_name(Input::boundary_fluxes);
  forcing.wavelength = 0.15;
  const auto samples = generate_samples<2>(problem, forcing, Split::train, 100);
  LearningParameters parameters;
  parameters.neurons  = 16;
  parameters.size     = 256;
  const auto   u      = interpolate<2>(space, [](const Point<2> &p) {
    return std::sin(M_PI * p[1]) * std::sinh(M_PI * p[0]);
  });
  const double factor = M_PI * std::cosh(M_PI);
  for (const std::string family : {"relu", "auto"})
    {
      parameters.family = family;
      const auto kernel = learn_kernel(space, samples, parameters).kernel;
      const SurrogateSolver<2> solver(kernel, space);
      auto                     solution = space.make_vector();
      solver.solve(function([&](const Point<2> &p) {
                     return factor * std::sin(M_PI * p[1]);
                   }),
                   solution);
      EXPECT_LT(relative_error<2>(space, solution, u), 2e-3);
      solution *= 1.005;
      EXPECT_GT(relative_error<2>(space, solution, u), 2e-3);
      const auto errors =
        kernel_errors<2>(kernel, space, nullptr, &problem).eps_G;
      EXPECT_LT(errors.back(), 0.1) << family;
    }
}

TEST(BoundaryKernel, WrongUse)
{
  auto             &data  = surrogate();
  const auto       &space = data.disk.space;
  ForcingParameters forcing;
  expect_error(
    [&]() { generate_samples<2>(data.problem, forcing, Split::train, 2); },
    "'Input' in section 'Forcing'");
  const auto samples =
    generate_samples<2>(*data.disk.problem, forcing, Split::test, 3);
  expect_error(
    [&]() {
      TestSet<2>(space, samples, data.relu.response, data.relu.quadrature);
    },
    "the samples have forcings");
  expect_error(
    [&]() {
      kernel_errors<2>(data.relu, space, nullptr, data.disk.problem.get());
    },
    "learned for boundary values");
  const SurrogateSolver<2> solver(data.relu, space);
  const SurrogateSolver<2> forcing_solver(data.disk.kernel, space);
  expect_error([&]() { GreensPreconditioner<2>(solver, *data.disk.problem); },
               "no preconditioner");
  expect_error(
    [&]() { CheckedSolver<2>(forcing_solver, forcing_solver, data.problem); },
    "learned for forcings");
  LearningParameters parameters;
  parameters.neurons    = 2;
  parameters.quadrature = "monte-carlo";
  expect_error([&]() { learn_kernel(space, data.tests, parameters); },
               "Greedy/Quadrature");
  parameters             = LearningParameters();
  parameters.reciprocity = true;
  expect_error([&]() { learn_kernel(space, data.tests, parameters); },
               "Greedy/Reciprocity");
  parameters          = LearningParameters();
  parameters.family   = "fundamental";
  parameters.function = "poisson-2d";
  expect_error([&]() { learn_kernel(space, samples, parameters); },
               "is for boundary values");
}
