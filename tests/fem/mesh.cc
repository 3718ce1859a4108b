// Domains, the order of nodes, and meshes as plain arrays.

#include "testing.h"

#include <evergreen/fem/mesh_space.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  DomainParameters
  domain_of(const std::string &name, const std::string &cells = "triangles")
  {
    DomainParameters domain;
    domain.name  = name;
    domain.cells = cells;
    return domain;
  }

  /** The measure of the domain: the sum of all entries of the mass matrix. */
  template <int dim>
  double
  measure(const Space<dim> &space)
  {
    dealii::LinearAlgebra::distributed::Vector<double> one(
      space.locally_owned_dofs(), space.communicator());
    one      = 1.;
    auto sum = one;
    space.mass_matrix().vmult(sum, one);
    return sum * one;
  }

  template <int dim>
  void
  expect_mesh(const DomainParameters &domain,
              const std::size_t       n_nodes,
              const double            volume,
              const double            tolerance)
  {
    const Mesh<dim>      mesh(domain, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, 1);
    EXPECT_EQ(space.n_nodes(), n_nodes);
    EXPECT_NEAR(measure(space), volume, tolerance);
    space.mesh_data().check("the mesh");

    // The nodes are sorted by their coordinates, x first.
    const auto &points = space.mesh_data().points;
    for (std::size_t i = 1; i < n_nodes; ++i)
      {
        unsigned int d = 0;
        while (d + 1 < dim &&
               std::abs(points[i * dim + d] - points[(i - 1) * dim + d]) < 1e-8)
          ++d;
        EXPECT_GT(points[i * dim + d], points[(i - 1) * dim + d]);
      }
  }

  template <int dim>
  void
  expect_round_trip(const DomainParameters &domain, const unsigned int degree)
  {
    const Mesh<dim>      mesh(domain, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, degree);

    // Another order of the nodes, as a stranger's file may have.
    MeshData   data    = space.mesh_data();
    const auto n       = data.n_nodes();
    const auto flip    = [&](std::size_t &i) { i = n - 1 - i; };
    MeshData   flipped = data;
    for (std::size_t i = 0; i < n; ++i)
      for (unsigned int d = 0; d < dim; ++d)
        flipped.points[(n - 1 - i) * dim + d] = data.points[i * dim + d];
    std::for_each(flipped.cells.begin(), flipped.cells.end(), flip);
    std::for_each(flipped.boundary.begin(), flipped.boundary.end(), flip);
    std::reverse(flipped.boundary.begin(), flipped.boundary.end());
    std::for_each(flipped.faces.begin(), flipped.faces.end(), flip);

    const Mesh<dim>      again(flipped, "the data", MPI_COMM_SELF);
    const MeshSpace<dim> other(again, flipped, "the data");
    ASSERT_EQ(other.n_nodes(), space.n_nodes());
    EXPECT_NEAR(measure(other), measure(space), 1e-12);
    for (std::size_t i = 0; i < flipped.points.size(); ++i)
      EXPECT_NEAR(other.mesh_data().points[i], flipped.points[i], 1e-12);
    EXPECT_EQ(other.mesh_data().boundary, flipped.boundary);
    EXPECT_EQ(other.mesh_data().n_cells(), flipped.n_cells());
  }
} // namespace


TEST(Domains, HaveTheRightNodesAndMeasures)
{
  expect_mesh<1>(domain_of("interval"), 501, 1., 1e-12);
  expect_mesh<2>(domain_of("disk"), 833, M_PI, 3e-3);
  expect_mesh<2>(domain_of("disk", "quadrilaterals"), 833, M_PI, 3e-3);
  expect_mesh<2>(domain_of("h"), 997, 28. / 9., 1e-8);
  expect_mesh<2>(domain_of("h", "quadrilaterals"), 997, 28. / 9., 1e-8);
  expect_mesh<3>(domain_of("cube"), 17 * 17 * 17, 1., 1e-12);
}

TEST(Domains, RefinementOfTheDiskGoesToTheCircle)
{
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      auto domain        = domain_of("disk", cells);
      domain.refinements = 1;
      const Mesh<2>      mesh(domain, MPI_COMM_SELF);
      const MeshSpace<2> space(mesh, 1);
      EXPECT_NEAR(measure(space), M_PI, 8e-4);
      const MeshData &data = space.mesh_data();
      EXPECT_GT(data.boundary.size(), 180u);
      for (const auto node : data.boundary)
        EXPECT_NEAR(std::hypot(data.points[2 * node],
                               data.points[2 * node + 1]),
                    1.,
                    1e-7);
    }
}

TEST(Domains, ParametersAreChecked)
{
  auto domain = domain_of("file");
  expect_error([&]() { domain.check(); }, "Mesh file");
  domain.name      = "disk";
  domain.mesh_file = "a.msh";
  expect_error([&]() { domain.check(); }, "Mesh file");
  domain              = domain_of("interval");
  domain.subdivisions = 1;
  expect_error([&]() { domain.check(); }, "Subdivisions");
}

TEST(MeshData, SurvivesTheWayThroughPlainArrays)
{
  expect_round_trip<1>(domain_of("interval"), 2);
  for (const std::string cells : {"triangles", "quadrilaterals"})
    for (const unsigned int degree : {1, 2})
      expect_round_trip<2>(domain_of("h", cells), degree);
  auto cube         = domain_of("cube");
  cube.subdivisions = 3;
  for (const unsigned int degree : {1, 2})
    expect_round_trip<3>(cube, degree);
}

TEST(MeshData, RejectsNodesThatAreNotSupportPoints)
{
  const Mesh<2>      mesh(domain_of("disk"), MPI_COMM_SELF);
  const MeshSpace<2> space(mesh, 2);
  MeshData           data = space.mesh_data();
  const Mesh<2>      again(data, "the data", MPI_COMM_SELF);

  // A node that is no vertex is moved a little.
  std::vector<bool> is_vertex(data.n_nodes(), false);
  for (const auto node : data.cells)
    is_vertex[node] = true;
  const auto moved =
    std::find(is_vertex.begin(), is_vertex.end(), false) - is_vertex.begin();
  data.points[2 * moved] += 1e-3;
  expect_error([&]() { MeshSpace<2>(again, data, "the data"); },
               "not a support point");
  data.degree = 1;
  expect_error([&]() { MeshSpace<2>(again, data, "the data"); },
               "finite element space has");
}

TEST(MeshData, ReportsWhatIsWrong)
{
  MeshData good;
  good.dim       = 2;
  good.cell_type = "triangle";
  good.points    = {0, 0, 1, 0, 0, 1};
  good.cells     = {0, 1, 2};
  good.boundary  = {0, 1, 2};
  good.check("the mesh");

  const auto expect = [&](const std::function<void(MeshData &)> &spoil,
                          const std::string                     &words) {
    MeshData bad = good;
    spoil(bad);
    expect_error([&]() { bad.check("the mesh"); }, words);
  };
  expect([](MeshData &m) { m.cell_type = "pyramid"; }, "pyramid");
  expect([](MeshData &m) { m.dim = 3; }, "dimension 3");
  expect([](MeshData &m) { m.points[3] = std::nan(""); }, "node 1");
  expect([](MeshData &m) { m.cells[2] = 3; }, "node 3");
  expect([](MeshData &m) { m.cells[2] = -1; }, "node -1");
  expect([](MeshData &m) { m.cells[2] = 1; }, "twice");
  expect([](MeshData &m) { m.boundary = {0, 5}; }, "5");
  expect([](MeshData &m) { m.boundary = {2, 1}; }, "increasing");
  expect([](MeshData &m) { m.cells.clear(); }, "no cells");
}
