// Data on the boundary on several ranks: the same samples, kernels and answers
// as on one.

#include "fem/user_spaces.h"
#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/boundary_problem.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/checked_solver.h>

#include <deal.II/base/function_lib.h>
#include <deal.II/grid/grid_generator.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  using VectorType = LinearProblem<2>::VectorType;

  dealii::ScalarFunctionFromFunctionObject<2>
  function(const std::function<double(const Point<2> &)> &formula)
  {
    return dealii::ScalarFunctionFromFunctionObject<2>(formula);
  }

  /** All that comes out of a space, as numbers. */
  struct Outcome
  {
    std::size_t         rank = 0;
    std::vector<double> numbers;
  };

  /** The place of the estimate: the smoother in it depends on the ranks. */
  constexpr std::size_t estimate = 2;

  Outcome
  learn_and_solve(const Space<2> &space, const Input input)
  {
    Poisson<2>         poisson;
    BoundaryProblem<2> problem(poisson, input);
    problem.set_up(space);
    ForcingParameters forcing;
    forcing.input      = input_name(input);
    forcing.wavelength = 0.5;
    forcing.normalise  = true;
    LearningParameters parameters;
    parameters.neurons        = 12;
    parameters.size           = 64;
    parameters.regularisation = 1e-6;
    const auto learned =
      learn_kernel(space,
                   generate_samples<2>(problem, forcing, Split::train, 60),
                   parameters);
    const TestSet<2> tests(
      space,
      generate_samples<2>(problem, forcing, Split::test, 5),
      learned.kernel.response,
      learned.kernel.quadrature);
    const auto errors =
      kernel_errors<2>(learned.kernel, space, &tests, &problem);
    Outcome result;
    result.rank    = learned.rank;
    result.numbers = {errors.eps_u.back(), errors.eps_G.back()};

    forcing.input = "forcing";
    const SurrogateSolver<2> boundary_solver(learned.kernel, space);
    const auto               kernel =
      learn_kernel(space,
                   generate_samples<2>(poisson, forcing, Split::train, 60),
                   parameters)
        .kernel;
    const SurrogateSolver<2> solver(kernel, space);
    const CheckedSolver<2>   checked(solver, boundary_solver, problem);
    const auto f = interpolate<2>(space, [](const auto &p) { return p[0]; });
    const auto g = boundary_data<2>(space, input, function([](const auto &p) {
                                      return 1 + p[1] - p[0] * p[1];
                                    }));
    auto       u = space.make_vector();
    result.numbers.push_back(checked.solve(f, g, u).relative_error);
    result.numbers.push_back(l2_norm(space, u));
    checked.solve(f, g, u, 1e-6);
    result.numbers.push_back(l2_norm(space, u));
    for (const double value :
         boundary_solver.sensors({{0.3, 0.1}, {0.02, 0.5}})(g))
      result.numbers.push_back(value);
    return result;
  }

  /** Learns together, and on one rank alone. */
  void
  compare(const std::function<Outcome(const MPI_Comm)> &outcome,
          const double                                  tolerance)
  {
    const Outcome together = outcome(MPI_COMM_WORLD);
    if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
      {
        const Outcome alone = outcome(MPI_COMM_SELF);
        EXPECT_EQ(alone.rank, together.rank);
        ASSERT_EQ(alone.numbers.size(), together.numbers.size());
        for (std::size_t i = 0; i < alone.numbers.size(); ++i)
          EXPECT_NEAR(alone.numbers[i],
                      together.numbers[i],
                      (i == estimate ? 0.05 : tolerance) *
                          std::abs(alone.numbers[i]) +
                        1e-10)
            << i;
      }
    MPI_Barrier(MPI_COMM_WORLD);
  }
} // namespace


TEST(RanksBoundary, ValuesOnTriangles)
{
  compare(
    [](const MPI_Comm communicator) {
      DomainParameters domain;
      domain.name = "disk";
      const Mesh<2>      mesh(domain, communicator);
      const MeshSpace<2> space(mesh, 1);
      return learn_and_solve(space, Input::boundary_values);
    },
    1e-5);
}

TEST(RanksBoundary, BothOnASquareWithHangingNodes)
{
  for (const Input input : {Input::boundary_values, Input::boundary_fluxes})
    compare(
      [&](const MPI_Comm communicator) {
        UserSpace<2> square(1, 1, communicator);
        dealii::GridGenerator::hyper_cube(square.triangulation, 0, 1, true);
        square.triangulation.refine_global(3);
        refine_near(square.triangulation, Point<2>(0.9, 0.5), 0.3);
        square.distribute({0, 2, 3});
        return learn_and_solve(square.space(), input);
      },
      1e-5);
}
