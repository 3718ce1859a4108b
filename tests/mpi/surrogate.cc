// Surrogates do not depend on the number of ranks.

#include "surrogate/small_surrogate.h"

#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/surrogate/checked_solver.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/lac/trilinos_vector.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  SmallSurrogate<3>
  distributed_cube()
  {
    DomainParameters domain;
    domain.name         = "cube";
    domain.subdivisions = 6;
    return SmallSurrogate<3>(domain,
                             std::make_unique<Poisson<3>>(
                               LinearSolver::Method::mumps),
                             0.5,
                             60,
                             24,
                             MPI_COMM_WORLD);
  }

  /**
   * The solution by a matrix that is distributed in another way: by quadrature
   * points.
   */
  template <int dim>
  DistributedVector
  by_quadrature_points(const SmallSurrogate<dim> &setting,
                       const DistributedVector   &f)
  {
    const auto          rule = make_rule(setting.space);
    const KernelMatrix  matrix(setting.kernel, rule);
    DistributedVector   ghosted(setting.space.locally_owned_dofs(),
                              setting.space.locally_relevant_dofs(),
                              MPI_COMM_WORLD);
    std::vector<double> columns;
    ghosted = f;
    ghosted.update_ghost_values();
    for (const auto node : rule.nodes)
      columns.push_back(ghosted(setting.space.dof_of_node(node)));
    const auto values = matrix.apply(columns, 1, MPI_COMM_WORLD).back();
    auto       u      = setting.vector();
    for (std::size_t s = 0; s < values.size(); ++s)
      {
        const auto dof = setting.space.dof_of_node(setting.kernel.response[s]);
        if (u.in_local_range(dof))
          u(dof) = values[s];
      }
    return u;
  }

  void
  expect_close(DistributedVector a, const DistributedVector &b)
  {
    a -= b;
    EXPECT_LT(a.linfty_norm(), 1e-12 * b.linfty_norm());
  }
} // namespace


TEST(SurrogateSolverMpi, IsTheSameOnAllRanks)
{
  const auto               cube = distributed_cube();
  const SurrogateSolver<3> solver(cube.kernel, cube.space);
  const auto               f        = cube.random_forcing(0.5, 0);
  const auto               g        = cube.random_forcing(0.5, 1);
  const auto               expected = by_quadrature_points(cube, f);
  auto                     u = cube.vector(), v = cube.vector();
  solver.vmult(u, f);
  expect_close(u, expected);
  solver.Tvmult(v, g);
  EXPECT_NEAR(u * g, f * v, 1e-12 * u.l2_norm() * g.l2_norm());
  const MeshSpace<3> equal(cube.mesh, 1);
  SurrogateSolver<3>(cube.kernel, cube.space, equal).vmult(v, f);
  expect_close(v, expected);

  dealii::TrilinosWrappers::MPI::Vector trilinos_f(
    cube.space.locally_owned_dofs(), MPI_COMM_WORLD);
  auto trilinos_u = trilinos_f;
  std::copy(f.begin(), f.end(), trilinos_f.begin());
  solver.vmult(trilinos_u, trilinos_f);
  std::copy(trilinos_u.begin(), trilinos_u.end(), v.begin());
  expect_close(v, u);

  // A serial vector has everything on every rank.
  const auto             all_f = cube.space.values_of_all(f.begin());
  const auto             all_u = cube.space.values_of_all(u.begin());
  dealii::Vector<double> serial_f(all_f.begin(), all_f.end());
  dealii::Vector<double> serial_u(all_f.size());
  solver.vmult(serial_u, serial_f);
  for (std::size_t i = 0; i < all_u.size(); ++i)
    EXPECT_EQ(serial_u(i), all_u[i]);

  const std::vector<dealii::Point<3>> points  = {{0.3, 0.4, 0.5},
                                                 {0.8, 0.2, 0.1}};
  const auto                          sensors = solver.sensors(points)(f);
  const auto                          values  = solver.values_at(points, u);
  for (std::size_t p = 0; p < points.size(); ++p)
    EXPECT_NEAR(sensors[p], values[p], 1e-13);
}

TEST(SurrogateSolverMpi, ChecksAndImprovesAnswers)
{
  const auto               cube = distributed_cube();
  const SurrogateSolver<3> solver(cube.kernel, cube.space);
  const CheckedSolver<3>   checked(solver, *cube.problem);
  const auto               f      = cube.random_forcing(0.3, 0);
  auto                     u      = cube.vector();
  auto                     report = checked.solve(f, u);
  const double             truth  = cube.true_error(f, u);
  EXPECT_LT(report.relative_error, 10 * truth);
  EXPECT_GT(report.relative_error, truth / 10);
  report = checked.solve(f, u, 1e-8);
  EXPECT_EQ(report.path, SolvePath::improved);
  EXPECT_LT(cube.true_error(f, u), 1e-7);
}

TEST(SurrogateSolverMpi, EveryRankGetsTheError)
{
  const auto cube  = distributed_cube();
  auto       moved = cube.kernel;
  moved.mesh.points[0] -= 0.01; // one rank owns this node
  EXPECT_THROW(SurrogateSolver<3>(moved, cube.space), Error);
}
