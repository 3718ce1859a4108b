// The surrogate as a solver: what it computes, for which vectors, and what it
// refuses.

#include "surrogate/small_surrogate.h"

#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/surrogate/forcing_expression.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/packaged_operation.h>
#include <deal.II/lac/trilinos_vector.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  SurrogateOptions
  with_form(const SurrogateForm form)
  {
    SurrogateOptions options;
    options.form = form;
    return options;
  }

  /** A piecewise linear function at a point, triangle by triangle. */
  double
  interpolate(const MeshData          &mesh,
              const Space<2>          &space,
              const DistributedVector &u,
              const dealii::Point<2>  &x)
  {
    const auto point = [&](const std::size_t node) {
      return dealii::Point<2>(mesh.points[2 * node], mesh.points[2 * node + 1]);
    };
    const auto area = [](const dealii::Point<2> &a,
                         const dealii::Point<2> &b,
                         const dealii::Point<2> &c) {
      return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    };
    for (std::size_t cell = 0; cell < mesh.n_cells(); ++cell)
      {
        const std::size_t *const n = &mesh.cells[3 * cell];
        const auto   a = point(n[0]), b = point(n[1]), c = point(n[2]);
        const double all        = area(a, b, c);
        const double weights[3] = {area(x, b, c) / all,
                                   area(a, x, c) / all,
                                   area(a, b, x) / all};
        if (std::min({weights[0], weights[1], weights[2]}) < -1e-10)
          continue;
        double value = 0;
        for (int v = 0; v < 3; ++v)
          value += weights[v] * u(space.dof_of_node(n[v]));
        return value;
      }
    return std::nan("");
  }
} // namespace


// Every entry of the answer by its definition, atom by atom, with quadrature
// points from deal.II.
TEST(SurrogateSolver, IsTheIntegralOfKernelAndForcing)
{
  const auto &disk = disk_surrogate();
  const auto  f    = disk.random_forcing(0.2, 0);
  auto        u    = disk.vector();
  SurrogateSolver<2>(disk.kernel, disk.space).vmult(u, f);

  dealii::FEValues<2> values(disk.space.mapping(),
                             disk.space.fe(),
                             disk.space.quadrature(),
                             dealii::update_values |
                               dealii::update_quadrature_points |
                               dealii::update_JxW_values);
  for (const std::size_t s : {0u, 300u, 700u})
    {
      const auto slice    = disk.kernel.slice(s);
      double     expected = 0;
      for (const auto &cell : disk.space.dof_handler().active_cell_iterators())
        {
          values.reinit(cell);
          std::vector<double> forcing(values.n_quadrature_points);
          values.get_function_values(f, forcing);
          for (const auto q : values.quadrature_point_indices())
            {
              const auto y = values.quadrature_point(q);
              expected +=
                slice.value(y.begin_raw()) * forcing[q] * values.JxW(q);
            }
        }
      EXPECT_NEAR(u(disk.space.dof_of_node(disk.kernel.response[s])),
                  expected,
                  1e-12);
    }
  EXPECT_LT(disk.true_error(f, u), 0.05);
  for (const auto node : disk.kernel.mesh.boundary)
    EXPECT_EQ(u(disk.space.dof_of_node(node)), 0.);
}

// Fundamental solutions are integrated more accurately near their centres, by
// rows that must be renumbered along with the others.
TEST(SurrogateSolver, TakesFundamentalSolutions)
{
  const SmallSurrogate<2> disk(disk_domain(),
                               std::make_unique<Poisson<2>>(),
                               0.4,
                               200,
                               32,
                               MPI_COMM_SELF,
                               "mixed");
  // The renumbering matters only if there is one.
  std::size_t n_moved = 0;
  for (std::size_t i = 0; i < disk.space.n_nodes(); ++i)
    n_moved += disk.space.local_nodes()[i] != i;
  ASSERT_GT(n_moved, disk.space.n_nodes() / 2);

  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  auto                     u = disk.vector();
  const auto               f = disk.random_forcing(0.4, 0);
  solver.vmult(u, f);
  EXPECT_LT(disk.true_error(f, u), 5e-3);
  const auto bump = disk.bump({0.3, -0.2}, 0.2);
  solver.vmult(u, bump);
  EXPECT_LT(disk.true_error(bump, u), 2e-2);

  // The same integrals by the rule itself, without any renumbering.
  const auto          rule = make_rule(disk.space);
  const KernelMatrix  matrix(disk.kernel, rule);
  std::vector<double> column;
  for (const auto node : rule.nodes)
    column.push_back(bump(disk.space.dof_of_node(node)));
  const auto expected = matrix.apply(column, 1, MPI_COMM_SELF).back();
  for (std::size_t s = 0; s < expected.size(); ++s)
    EXPECT_NEAR(u(disk.space.dof_of_node(disk.kernel.response[s])),
                expected[s],
                1e-12);
}


TEST(SurrogateSolver, FormsAgree)
{
  const auto compare = [](const auto &setting) {
    const auto    f        = setting.random_forcing(0.3, 1);
    auto          expected = setting.vector(), u = setting.vector();
    constexpr int dim = std::decay_t<decltype(setting)>::dimension;
    SurrogateSolver<dim>(setting.kernel,
                         setting.space,
                         with_form(SurrogateForm::dense))
      .vmult(expected, f);
    for (const auto form : {SurrogateForm::dense_single, SurrogateForm::atoms})
      {
        const SurrogateSolver<dim> solver(setting.kernel,
                                          setting.space,
                                          with_form(form));
        EXPECT_EQ(solver.local_operator().form(), form);
        solver.vmult(u, f);
        u -= expected;
        EXPECT_LT(setting.l2_norm(u), 1e-4 * setting.l2_norm(expected));
      }
  };
  compare(disk_surrogate());
  compare(cube_surrogate());
}

TEST(SurrogateSolver, TakesAllVectorsAndBlocks)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const auto               f = disk.random_forcing(0.2, 2);
  auto                     u = disk.vector();
  solver.vmult(u, f);

  dealii::Vector<double> serial_f(f.size()), serial_u(f.size());
  std::copy(f.begin(), f.end(), serial_f.begin());
  solver.vmult(serial_u, serial_f);
  dealii::TrilinosWrappers::MPI::Vector trilinos_f(
    disk.space.locally_owned_dofs(), MPI_COMM_SELF);
  auto trilinos_u = trilinos_f;
  std::copy(f.begin(), f.end(), trilinos_f.begin());
  solver.vmult(trilinos_u, trilinos_f);
  std::vector<double> block_f, block_u(3 * f.size());
  for (int j = 0; j < 3; ++j)
    for (const double x : f)
      block_f.push_back((j + 1) * x);
  solver.apply(block_f.data(), block_u.data(), 3);
  for (unsigned int i = 0; i < f.size(); ++i)
    {
      EXPECT_EQ(serial_u(i), u(i));
      EXPECT_EQ(trilinos_u(i), u(i));
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(block_u[j * f.size() + i], (j + 1) * u(i), 1e-12);
    }
}

TEST(SurrogateSolver, IsALinearOperator)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const auto f = disk.random_forcing(0.2, 3), g = disk.random_forcing(0.2, 4);
  auto       u = disk.vector(), v = disk.vector();

  const auto op = dealii::linear_operator<DistributedVector>(solver);
  solver.vmult(u, f);
  v = (2. * op) * f;
  v.add(-2., u);
  EXPECT_LT(v.l2_norm(), 1e-12 * u.l2_norm());

  // (K f, g) = (f, K^T g)
  solver.Tvmult(v, g);
  EXPECT_NEAR(u * g, f * v, 1e-12 * u.l2_norm() * g.l2_norm());
  v = transpose_operator(op) * g;
  EXPECT_NEAR(u * g, f * v, 1e-12 * u.l2_norm() * g.l2_norm());

  dealii::Vector<double> serial(f.size());
  const auto             serial_op =
    dealii::linear_operator<dealii::Vector<double>>(solver);
  std::copy(f.begin(), f.end(), serial.begin());
  const dealii::Vector<double> result = serial_op * serial;
  for (unsigned int i = 0; i < f.size(); ++i)
    EXPECT_EQ(result(i), u(i));
}

// A program with a DoFHandler of its own, numbered in its own way.
TEST(SurrogateSolver, FindsTheNodesOfOtherDoFHandlers)
{
  const auto              &cube = cube_surrogate();
  dealii::Triangulation<3> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 8);
  const dealii::FE_Q<3>     fe(1);
  const dealii::MappingQ<3> mapping(1);
  dealii::DoFHandler<3>     dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);
  dealii::DoFRenumbering::random(dof_handler);

  const TemporaryDirectory directory;
  cube.kernel.save(directory / "kernel.h5");
  const SurrogateSolver<3>          ours(cube.kernel, cube.space);
  const dealii::QGauss<3>           quadrature(2);
  dealii::AffineConstraints<double> constraints;
  constraints.close();
  const Space<3> their_space(dof_handler, mapping, quadrature, constraints);
  const SurrogateSolver<3> theirs(directory / "kernel.h5", their_space);
  const auto               f = cube.random_forcing(0.3, 0);
  auto                     u = cube.vector();
  dealii::Vector<double>   g(f.size()), v(f.size());
  for (std::size_t node = 0; node < f.size(); ++node)
    g(their_space.dof_of_node(node)) = f(cube.space.dof_of_node(node));
  ours.vmult(u, f);
  theirs.vmult(v, g);
  for (std::size_t node = 0; node < f.size(); ++node)
    EXPECT_NEAR(v(their_space.dof_of_node(node)),
                u(cube.space.dof_of_node(node)),
                1e-13);
}

TEST(SurrogateSolver, SensorsAreInterpolatedSolutions)
{
  const auto                         &disk = disk_surrogate();
  const SurrogateSolver<2>            solver(disk.kernel, disk.space);
  const std::vector<dealii::Point<2>> points = {{0.1, 0.2},
                                                {-0.5, 0.3},
                                                {0., -0.9}};
  const auto                          f      = disk.random_forcing(0.2, 5);
  auto                                u      = disk.vector();
  solver.vmult(u, f);
  const auto sensors  = solver.sensors(points);
  const auto values   = sensors(f);
  const auto expected = solver.values_at(points, u);
  ASSERT_EQ(values.size(), 3u);
  for (std::size_t p = 0; p < 3; ++p)
    {
      EXPECT_NEAR(values[p], expected[p], 1e-13);
      EXPECT_NEAR(values[p],
                  interpolate(disk.kernel.mesh, disk.space, u, points[p]),
                  1e-12);
    }

  // Blocks go another way than single forcings.
  constexpr std::size_t n = 61;
  std::vector<double>   block, block_values(3 * n);
  for (std::size_t j = 0; j < n; ++j)
    for (const double x : f)
      block.push_back((j + 1.) * x);
  sensors.apply(block.data(), block_values.data(), n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t p = 0; p < 3; ++p)
      EXPECT_NEAR(block_values[j * 3 + p], (j + 1.) * values[p], 1e-11);
  expect_error([&]() { solver.sensors({{1.2, 0.}}); }, "outside");
  expect_error([&]() { solver.values_at({{1.2, 0.}}, u); }, "outside");
}

// With the exact kernel the answer to a formula is that of finite elements.
// The learned one comes as close as it does for other forcings.
TEST(SurrogateSolver, SolvesForFormulas)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const auto               f = parse_forcing<2>("4 + 0*cos(pi*x)*y");
  auto                     u = disk.vector();
  solver.solve(*f, u);
  // -Laplace u = 4 has the solution 1 - x^2 - y^2.
  const auto centre = solver.values_at({dealii::Point<2>()}, u);
  EXPECT_NEAR(centre[0], 1., 0.01);

  const auto nodal = project(disk.space, *parse_forcing<2>("1 + 2*x - y"));
  for (std::size_t node = 0; node < nodal.size(); ++node)
    EXPECT_NEAR(nodal(disk.space.dof_of_node(node)),
                1 + 2 * disk.kernel.mesh.points[2 * node] -
                  disk.kernel.mesh.points[2 * node + 1],
                1e-9);
  expect_error([]() { parse_forcing<2>("sin(pi*x"); }, "sin(pi*x");
  expect_error([]() { parse_forcing<1>("x + y"); }, "x + y");
  expect_error([]() { parse_forcing<1>(""); }, "formula");
  expect_error([&]() { project(disk.space, *parse_forcing<2>("1/0*x")); },
               "finite");
}

TEST(SurrogateSolver, RefusesWhatDoesNotFit)
{
  const auto              &disk = disk_surrogate();
  const auto              &cube = cube_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  dealii::Vector<double>   right(833), wrong(832);
  expect_error([&]() { solver.vmult(right, wrong); }, "832");
  expect_error([&]() { solver.vmult(wrong, right); }, "832");

  DomainParameters domain;
  domain.name = "h";
  const Mesh<2>      mesh(domain, MPI_COMM_SELF);
  const MeshSpace<2> space(mesh, 1);
  expect_error([&]() { SurrogateSolver<2>(disk.kernel, space); }, "997");
  expect_error([&]() { SurrogateSolver<2>(cube.kernel, disk.space); },
               "dimension 3");
  auto moved = disk.kernel;
  moved.mesh.points[2 * 400] += 1e-3;
  expect_error([&]() { SurrogateSolver<2>(moved, disk.space); },
               "different meshes");
  auto sensors       = disk.kernel;
  sensors.response   = {disk.kernel.response[7]};
  sensors.expansions = disk.kernel.slices({7});
  const SurrogateSolver<2> few(sensors, disk.space);
  expect_error([&]() { few.vmult(right, right); }, "sensors only");
  const auto node = sensors.response[0];
  const auto at   = few.sensors(
    {{sensors.mesh.points[2 * node], sensors.mesh.points[2 * node + 1]}});
  EXPECT_EQ(at.n_points(), 1u);

  const TemporaryDirectory directory;
  std::ofstream(directory / "kernel.h5") << "not HDF5";
  expect_error(
    [&]() { SurrogateSolver<2>(directory / "kernel.h5", disk.space); },
    "kernel.h5");
}

// Another space for the forcings that is equal makes no difference.
TEST(SurrogateSolver, HasForcingsOnAnEqualSpace)
{
  const auto              &disk = disk_surrogate();
  const SurrogateSolver<2> solver(disk.kernel, disk.space);
  const MeshSpace<2>       equal(disk.mesh, 1);
  const SurrogateSolver<2> transfer(disk.kernel, disk.space, equal);
  const auto               f = disk.random_forcing(0.2, 6);
  auto                     u = disk.vector(), v = disk.vector();
  solver.vmult(u, f);
  transfer.vmult(v, f);
  v -= u;
  EXPECT_LT(v.l2_norm(), 1e-12 * u.l2_norm());
}

// A symmetrised kernel is a finite element function on any mesh: with the table
// of a(x) a(y) the answer is a(x) times the integral of a f.
TEST(SurrogateSolver, IntegratesSymmetrisedKernels)
{
  DomainParameters domain;
  domain.name         = "interval";
  domain.subdivisions = 10;
  const Mesh<1>      coarse_mesh(domain, MPI_COMM_SELF);
  const MeshSpace<1> coarse(coarse_mesh, 1);
  domain.subdivisions = 40;
  const Mesh<1>      fine_mesh(domain, MPI_COMM_SELF);
  const MeshSpace<1> fine(fine_mesh, 1);

  LearnedKernel kernel;
  kernel.mesh            = coarse.mesh_data();
  kernel.response        = free_nodes(kernel.mesh);
  kernel.expansions.pool = AtomList(1);
  const auto a           = [&](const std::size_t node) {
    return node == 0 || node == 10 ? 0. : std::cos(2. + 3. * node);
  };
  std::vector<double> table;
  for (std::size_t s = 0; s < kernel.response.size(); ++s)
    for (std::size_t t = 0; t <= s; ++t)
      table.push_back(a(kernel.response[s]) * a(kernel.response[t]));
  kernel.table.emplace(table);

  auto f = fine.make_vector(), fine_a = f, product = f;
  for (std::size_t i = 0; i <= 40; ++i)
    {
      f(fine.dof_of_node(i)) = std::exp(std::sin(5. * i));
      fine_a(fine.dof_of_node(i)) =
        a(i / 4) + i % 4 / 4. * (a(i / 4 + 1) - a(i / 4));
    }
  fine.mass_matrix().vmult(product, f);
  const double             integral = product * fine_a;
  const SurrogateSolver<1> solver(kernel, coarse, fine);
  auto                     u = coarse.make_vector();
  solver.vmult(u, f);
  EXPECT_GT(std::abs(integral), 0.01);
  for (std::size_t i = 0; i <= 10; ++i)
    EXPECT_NEAR(u(coarse.dof_of_node(i)), a(i) * integral, 1e-12);
}

// Forcings on a twice refined mesh: the error at the coarse nodes is that of
// the coarse finite elements.
TEST(SurrogateSolver, ErrsNoMoreThanTheCoarseMeshWithFineForcings)
{
  const auto &disk   = disk_surrogate();
  auto        domain = disk_domain();
  domain.refinements = 2;
  const Mesh<2>      mesh(domain, MPI_COMM_SELF);
  const MeshSpace<2> fine(mesh, 1);
  Poisson<2>         poisson;
  poisson.set_up(fine);
  const SurrogateSolver<2> transfer(disk.kernel, disk.space, fine);

  // Smooth on the scale of the domain, given at the nodes of either mesh.
  const auto f = [](const std::vector<double> &points, const std::size_t i) {
    return std::cos(3 * points[2 * i]) + points[2 * i + 1];
  };
  DistributedVector fine_f(fine.locally_owned_dofs(), MPI_COMM_SELF);
  auto              fine_u = fine_f;
  for (std::size_t i = 0; i < fine.n_nodes(); ++i)
    fine_f(fine.dof_of_node(i)) = f(fine.mesh_data().points, i);
  poisson.solve(fine_f, fine_u);
  auto coarse_f = disk.vector(), coarse_u = disk.vector(), u = disk.vector();
  for (std::size_t i = 0; i < disk.space.n_nodes(); ++i)
    coarse_f(disk.space.dof_of_node(i)) = f(disk.kernel.mesh.points, i);
  disk.problem->solve(coarse_f, coarse_u);
  transfer.vmult(u, fine_f);

  auto coarse_error = coarse_u, error = u;
  for (const auto node : disk.kernel.response)
    {
      const double value = interpolate(fine.mesh_data(),
                                       fine,
                                       fine_u,
                                       {disk.kernel.mesh.points[2 * node],
                                        disk.kernel.mesh.points[2 * node + 1]});
      coarse_error(disk.space.dof_of_node(node)) -= value;
      error(disk.space.dof_of_node(node)) -= value;
    }
  EXPECT_LT(disk.l2_norm(error), 1.2 * disk.l2_norm(coarse_error));
}
