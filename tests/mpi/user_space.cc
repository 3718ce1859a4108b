// Kernels learned on the spaces of deal.II programs: hanging nodes, curved
// cells, Dirichlet values on a part of the boundary, Robin conditions on
// another; against the program's own solver, and the same on any number of
// ranks.

#include "fem/user_spaces.h"
#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/greens_preconditioner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/function_lib.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  using Vector        = Space<2>::VectorType;
  using PlaneFunction = std::function<double(const Point<2> &)>;

  /** -Laplace u = f; du/dn + beta u = 0 where the boundary has the id 1. */
  class RobinProblem : public GalerkinProblem<2>
  {
  public:
    explicit RobinProblem(const double beta)
      : GalerkinProblem<2>(LinearSolver::Method::mumps), beta(beta)
    {}

    std::string
    name() const override
    {
      return "robin";
    }

  protected:
    void
    assemble_cell(const dealii::FEValues<2>  &values,
                  dealii::FullMatrix<double> &matrix) const override
    {
      for (const auto q : values.quadrature_point_indices())
        for (const auto i : values.dof_indices())
          for (const auto j : values.dof_indices())
            matrix(i, j) +=
              values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
    }

    bool
    has_face_terms() const override
    {
      return beta != 0;
    }

    void
    assemble_face(const dealii::FEFaceValues<2>   &values,
                  const dealii::types::boundary_id id,
                  dealii::FullMatrix<double>      &matrix) const override
    {
      if (id == 1)
        for (const auto q : values.quadrature_point_indices())
          for (const auto i : values.dof_indices())
            for (const auto j : values.dof_indices())
              matrix(i, j) += beta * values.shape_value(i, q) *
                              values.shape_value(j, q) * values.JxW(q);
    }

    bool
    is_definite() const override
    {
      return true;
    }

  private:
    double beta;
  };


  /** u = sin(2x) cos(pi y) has these conditions with this beta. */
  const double beta = -2. / std::tan(2.);

  /** Left side zero, right side Robin, others natural; refined in a corner. */
  std::unique_ptr<UserSpace<2>>
  square(const unsigned int n_refinements, const MPI_Comm communicator)
  {
    auto user = std::make_unique<UserSpace<2>>(1, 1, communicator);
    dealii::GridGenerator::subdivided_hyper_rectangle(user->triangulation,
                                                      {4, 4},
                                                      Point<2>(0, 0),
                                                      Point<2>(1, 1),
                                                      /*colorize=*/true);
    refine_near(user->triangulation, Point<2>(1., 0.), 0.6);
    user->triangulation.refine_global(n_refinements);
    user->distribute({0});
    return user;
  }

  /** The unit disk with curved cells, refined near the centre. */
  std::unique_ptr<UserSpace<2>>
  disk(const unsigned int n_refinements, const MPI_Comm communicator)
  {
    auto user = std::make_unique<UserSpace<2>>(2, 3, communicator);
    dealii::GridGenerator::hyper_ball_balanced(user->triangulation);
    refine_near(user->triangulation, Point<2>(0., 0.), 0.5);
    user->triangulation.refine_global(n_refinements);
    user->distribute({0});
    return user;
  }


  /** Pairs from a dozen forcings of the program's own choice. */
  Samples
  designed_samples(LinearProblem<2>                 &problem,
                   const std::vector<PlaneFunction> &fields)
  {
    Samples     samples;
    const auto &space = problem.space();
    for (const PlaneFunction &field : fields)
      {
        const Vector f =
          project<2>(space, dealii::ScalarFunctionFromFunctionObject<2>(field));
        Vector u = space.make_vector();
        problem.solve(f, u);
        samples.add(f, u);
      }
    return samples;
  }

  LearningParameters
  learning(const unsigned int neurons)
  {
    LearningParameters parameters;
    parameters.neurons  = neurons;
    parameters.size     = 128;
    parameters.stopping = "neurons";
    return parameters;
  }

  double
  l2_error(const Space<2> &space, const Vector &u, const PlaneFunction &exact)
  {
    Vector ghosted = space.make_vector(true);
    std::copy_n(u.begin(), space.n_local_nodes(), ghosted.begin());
    ghosted.update_ghost_values();
    dealii::Vector<double> errors(
      space.dof_handler().get_triangulation().n_active_cells());
    dealii::VectorTools::integrate_difference(
      space.mapping(),
      space.dof_handler(),
      ghosted,
      dealii::ScalarFunctionFromFunctionObject<2>(exact),
      errors,
      dealii::QGauss<2>(space.degree() + 3),
      dealii::VectorTools::L2_norm);
    return dealii::VectorTools::compute_global_error(
      space.dof_handler().get_triangulation(),
      errors,
      dealii::VectorTools::L2_norm);
  }

  double
  relative_difference(const Space<2> &space, const Vector &a, const Vector &b)
  {
    std::vector<double> difference, reference(b.begin(), b.end());
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      difference.push_back(a.local_element(i) - b.local_element(i));
    return std::sqrt(space.square_norms(difference, 1)[0] /
                     space.square_norms(reference, 1)[0]);
  }

  /**
   * The error of the learned answer to the last of some forcings, and its
   * distance from the program's own.
   */
  std::pair<double, double>
  errors_of_learned(RobinProblem                     &problem,
                    const Space<2>                   &space,
                    const std::vector<PlaneFunction> &forcings,
                    const PlaneFunction              &exact)
  {
    problem.set_up(space);
    const auto samples = designed_samples(problem, forcings);
    const auto result = learn_kernel(space, samples, learning(forcings.size()));
    const SurrogateSolver<2> solver(result.kernel, space);
    Vector                   u = space.make_vector(), f = u, own = u;
    const std::size_t last = (samples.n_samples - 1) * space.n_local_nodes();
    std::copy_n(&samples.forcings[last], space.n_local_nodes(), f.begin());
    solver.vmult(u, f);
    problem.solve(f, own);
    return {l2_error(space, u, exact), relative_difference(space, u, own)};
  }
} // namespace


// Hanging nodes, u = 0 on one side, Robin and natural conditions on others.
TEST(UserSpace, LearnedAnswersConvergeOnRefinedSquares)
{
  const PlaneFunction exact = [](const Point<2> &p) {
    return std::sin(2 * p[0]) * std::cos(M_PI * p[1]);
  };
  std::vector<PlaneFunction> forcings;
  for (int i = 0; i < 6; ++i)
    forcings.push_back(
      [i](const Point<2> &p) { return std::cos(i * p[0] + i % 3 * p[1]); });
  forcings.push_back(
    [&](const Point<2> &p) { return (4 + M_PI * M_PI) * exact(p); });
  double previous = 0;
  for (const unsigned int n : {1, 2, 3})
    {
      const auto     user  = square(n, MPI_COMM_WORLD);
      const Space<2> space = user->space();
      RobinProblem   problem(beta);
      const auto [error, difference] =
        errors_of_learned(problem, space, forcings, exact);
      EXPECT_LT(difference, 1e-7);
      if (previous > 0)
        {
          EXPECT_NEAR(std::log2(previous / error), 2., 0.15);
        }
      previous = error;
    }
}

// Quadratic elements on curved cells: third order, which straight ones lose.
TEST(UserSpace, LearnedAnswersConvergeOnCurvedDisks)
{
  const PlaneFunction exact = [](const Point<2> &p) {
    return (1 - p.norm_square()) * (1 + p[0] - p[1] * p[1]);
  };
  std::vector<PlaneFunction> forcings;
  for (int i = 0; i < 6; ++i)
    forcings.push_back(
      [i](const Point<2> &p) { return std::cos(i * p[0] + i % 3 * p[1]); });
  // -Laplace of the above.
  forcings.push_back([](const Point<2> &p) {
    const double x = p[0], y = p[1];
    return 4 * (1 + x - y * y) + 4 * x - 8 * y * y + 2 * (1 - x * x - y * y);
  });
  double previous = 0;
  for (const unsigned int n : {1, 2, 3})
    {
      const auto     user  = disk(n, MPI_COMM_WORLD);
      const Space<2> space = user->space();
      RobinProblem   problem(0.);
      const auto [error, difference] =
        errors_of_learned(problem, space, forcings, exact);
      EXPECT_LT(difference, 1e-7);
      if (previous > 0)
        {
          EXPECT_GT(std::log2(previous / error), 2.7);
        }
      previous = error;
    }
}

// Random forcings that were not trained on, and all ranks against one alone.
TEST(UserSpace, IsTheSameOnAllRanks)
{
  ForcingParameters forcing;
  forcing.wavelength  = 0.5;
  auto parameters     = learning(40);
  parameters.family   = "mixed";
  parameters.function = "log";

  const auto learn = [&](const Space<2> &space, Vector &u) {
    RobinProblem problem(beta);
    problem.set_up(space);
    const auto result =
      learn_kernel(space,
                   generate_samples(problem, forcing, Split::train, 150),
                   parameters);
    const SurrogateSolver<2> solver(result.kernel, space);
    const auto tests = generate_samples(problem, forcing, Split::test, 5);
    Vector     f = space.make_vector(), own = f;
    u                   = f;
    const std::size_t n = space.n_local_nodes();
    for (std::size_t j = 0; j < tests.n_samples; ++j)
      {
        std::copy_n(&tests.forcings[j * n], n, f.begin());
        std::copy_n(&tests.solutions[j * n], n, own.begin());
        solver.vmult(u, f);
        EXPECT_LT(relative_difference(space, u, own), 2e-2);
      }
    // (K f, g) = (f, K^T g)
    Vector g = own, transposed = f;
    solver.Tvmult(transposed, g);
    EXPECT_NEAR(u * g, f * transposed, 1e-10 * u.l2_norm() * g.l2_norm());
    return space.values_of_all(u.begin());
  };

  const auto     together = square(2, MPI_COMM_WORLD);
  const Space<2> space    = together->space();
  Vector         u;
  const auto     values = learn(space, u);
  if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    {
      const auto     alone = square(2, MPI_COMM_SELF);
      const Space<2> own   = alone->space();
      Vector         v;
      const auto     expected = learn(own, v);
      EXPECT_EQ(own.points(), space.points());
      double scale = 0;
      for (const double value : expected)
        scale = std::max(scale, std::abs(value));
      for (std::size_t node = 0; node < own.n_nodes(); ++node)
        EXPECT_NEAR(values[space.dof_of_node(node)],
                    expected[own.dof_of_node(node)],
                    1e-6 * scale);
    }
  MPI_Barrier(MPI_COMM_WORLD);
}

// CG on the program's own matrix, with constraints, by a learned kernel.
TEST(UserSpace, PreconditionsOnRefinedMeshes)
{
  const auto     user  = square(2, MPI_COMM_WORLD);
  const Space<2> space = user->space();
  RobinProblem   problem(beta);
  problem.set_up(space);
  ForcingParameters forcing;
  forcing.wavelength = 0.4;
  const auto result =
    learn_kernel(space,
                 generate_samples(problem, forcing, Split::train, 200),
                 learning(64));
  const SurrogateSolver<2>    solver(result.kernel, space);
  GreensPreconditionerOptions options;
  options.symmetric = true;
  const GreensPreconditioner<2> greens(solver, problem, options);
  EXPECT_LT(greens.contraction(), 0.5);

  const Vector f = project<2>(space, dealii::Functions::CosineFunction<2>());
  Vector       b = space.make_vector(), u = b, own = b;
  space.mass_matrix().vmult(b, f);
  space.condense(b.begin(), 1);
  dealii::SolverControl control(30, 1e-10 * b.l2_norm(), false, false);
  dealii::SolverCG<Vector>(control).solve(problem.matrix(), u, b, greens);
  space.distribute(u.begin(), 1);
  problem.solve(f, own);
  EXPECT_LE(control.last_step(), 15u);
  EXPECT_LT(relative_difference(space, u, own), 1e-8);
}
