// What a user can get wrong in an elliptic problem, and that ids of materials
// and boundaries survive the way through arrays and files.

#include "fem/convergence.h"
#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/dataset_space.h>
#include <evergreen/fem/elliptic.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  using Change = std::function<void(EllipticParameters &)>;

  /** Setting up the problem on a small square gives this message. */
  void
  refuse(const Change &change, const std::string &message)
  {
    DomainParameters domain;
    domain.name         = "square";
    domain.subdivisions = 4;
    EllipticParameters parameters;
    change(parameters);
    expect_error(
      [&]() {
        Elliptic<2>        problem(parameters);
        const Mesh<2>      mesh(domain, MPI_COMM_SELF);
        const MeshSpace<2> space(mesh, 1, problem);
        problem.set_up(space);
      },
      message);
  }

  /** How many faces have each id, and how many cells each material. */
  template <int dim>
  std::map<std::string, unsigned int>
  count_ids(const Mesh<dim> &mesh)
  {
    std::map<std::string, unsigned int> counts;
    for (const auto &cell : mesh.triangulation().active_cell_iterators())
      {
        // Where they are matters, too.
        const auto place = [](const Point<dim> &p) {
          std::string result;
          for (unsigned int d = 0; d < dim; ++d)
            result += " " + std::to_string(std::lround(1e6 * p[d]));
          return result;
        };
        ++counts["material " + std::to_string(cell->material_id()) +
                 place(cell->center())];
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            ++counts["face " + std::to_string(cell->face(f)->boundary_id()) +
                     place(cell->face(f)->center())];
      }
    return counts;
  }

  template <int dim>
  void
  expect_round_trip(const std::string &name,
                    const std::string &cells,
                    const unsigned int subdivisions,
                    const unsigned int degree)
  {
    DomainParameters domain;
    domain.name         = name;
    domain.cells        = cells;
    domain.subdivisions = subdivisions;
    domain.refinements  = dim == 3 ? 0 : 1;
    domain.boundary_ids = "9: x > 0.99";
    domain.material_ids = "3: x > 0.5; 4: x < 0.2";
    const Mesh<dim>      mesh(domain, MPI_COMM_SELF);
    const MeshSpace<dim> space(mesh, degree);
    const MeshData      &data = space.mesh_data();
    data.check("the data");
    const Mesh<dim> again(data, "the data", MPI_COMM_SELF);
    EXPECT_EQ(count_ids(again), count_ids(mesh)) << name << " " << cells;
    const MeshSpace<dim> other(again, data, "the data");
    EXPECT_EQ(other.mesh_data().materials, data.materials);
    EXPECT_EQ(other.mesh_data().faces, data.faces);
    EXPECT_EQ(other.mesh_data().face_ids, data.face_ids);

    MeshData incomplete = data;
    incomplete.face_ids.pop_back();
    incomplete.faces.resize(incomplete.faces.size() - data.vertices_per_face());
    expect_error([&]() { Mesh<dim>(incomplete, "the data", MPI_COMM_SELF); },
                 "without a boundary id");
  }
} // namespace


TEST(EllipticInput, OneClearLine)
{
  using P = EllipticParameters;
  refuse([](P &p) { p.diffusion = "x - 0.5"; }, "not positive (definite)");
  refuse([](P &p) { p.diffusion = "1, 1, 2"; }, "least eigenvalue is -1");
  refuse([](P &p) { p.diffusion = "1/(x-x)"; }, "not positive");
  refuse([](P &p) { p.diffusion = "1 +* x"; }, "'Diffusion'");
  refuse([](P &p) { p.diffusion = "z"; }, "'z' is not understood");
  refuse([](P &p) { p.diffusion = "1, 2, 3, 4"; }, "has 4 components");
  refuse([](P &p) { p.diffusion = ""; }, "'Diffusion'");
  refuse([](P &p) { p.diffusion = "0: 1; 0: 2"; }, "two formulas for 0");
  refuse([](P &p) { p.diffusion = "1: 2"; }, "no formula for 0");
  refuse([](P &p) { p.diffusion = "1; 5: 2"; }, "no material 5");
  refuse([](P &p) { p.diffusion = "1:"; }, "lacks a formula");
  refuse([](P &p) { p.advection = "1"; }, "has 1 components");
  refuse([](P &p) { p.advection = "1, log(0)"; }, "'Advection'");
  refuse([](P &p) { p.reaction = "1, 2"; }, "has 2 components");
  refuse([](P &p) { p.robin = "1: sin("; }, "'Robin'");
  refuse([](P &p) { p.robin = "7: 1"; }, "no boundary id 7");
  refuse([](P &p) { p.neumann = "0, 8"; }, "no boundary id 8");
  refuse([](P &p) { p.neumann = "left"; }, "'left'");
  refuse([](P &p) { p.dirichlet = "0, 1, 2"; }, "boundary id 3 has no");
  refuse([](P &p) { p.neumann = "2, 2"; }, "has two conditions");
  refuse(
    [](P &p) {
      p.neumann = "1";
      p.robin   = "1: x";
    },
    "boundary id 1 has two conditions, 'Neumann' and 'Robin'");
  refuse(
    [](P &p) {
      p.neumann   = "all";
      p.dirichlet = "all";
    },
    "both for all");
  refuse(
    [](P &p) {
      p.medium.type = "file";
      p.medium.file = "nowhere.txt";
    },
    "nowhere.txt");
}

TEST(EllipticInput, IdsOfDomains)
{
  DomainParameters domain;
  const auto refuse = [&](const std::string &ids, const std::string &message) {
    domain.boundary_ids = ids;
    expect_error([&]() { Mesh<2>(domain, MPI_COMM_SELF); }, message);
  };
  refuse("5: y < -2", "true nowhere");
  refuse("y < 0", "one id for each formula");
  refuse("5: y <", "'Boundary ids'");
  domain.boundary_ids = "";
  domain.cells        = "tetrahedra";
  expect_error([&]() { domain.check(); }, "tetrahedra");
  domain.cells = "triangles";
  EXPECT_EQ(Mesh<2>(domain, MPI_COMM_SELF).boundary_ids(), (BoundaryIds{1}));
  domain.name = "square";
  EXPECT_EQ(Mesh<2>(domain, MPI_COMM_SELF).boundary_ids(),
            (BoundaryIds{0, 1, 2, 3}));
  domain.name = "interval";
  EXPECT_EQ(Mesh<1>(domain, MPI_COMM_SELF).boundary_ids(), (BoundaryIds{0, 1}));
  // Coordinate d is 0 where the id is 2d, and 1 where it is 2d+1.
  domain.name         = "cube";
  domain.subdivisions = 2;
  for (const std::string cells : {"triangles", "tetrahedra"})
    {
      domain.cells = cells;
      const Mesh<3> cube(domain, MPI_COMM_SELF);
      for (const auto &cell : cube.triangulation().active_cell_iterators())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            {
              const auto id = cell->face(f)->boundary_id();
              ASSERT_LT(id, 6u);
              EXPECT_NEAR(cell->face(f)->center()[id / 2], id % 2, 1e-12);
            }
    }
}

TEST(EllipticInput, IdsSurviveTheWayThroughArrays)
{
  expect_round_trip<1>("interval", "triangles", 10, 1);
  expect_round_trip<2>("square", "triangles", 5, 1);
  expect_round_trip<2>("square", "quadrilaterals", 5, 2);
  expect_round_trip<2>("disk", "triangles", 0, 1);
  expect_round_trip<3>("cube", "triangles", 5, 1);
  expect_round_trip<3>("cube", "tetrahedra", 5, 2);
}

// A problem made again from a file has the Green's function of the first.
TEST(EllipticInput, ProblemsSurviveTheWayThroughFiles)
{
  const std::vector<std::string> overrides = {
    "Domain/Name=square",
    "Domain/Subdivisions=8",
    "Domain/Material ids=1: x + y > 1",
    "Domain/Boundary ids=5: x < 0.01 && y > 0.5",
    "Problem/Name=elliptic",
    "Problem/Diffusion=0: 1; 1: 5, 2",
    "Problem/Advection=1, y",
    "Problem/Neumann=0, 1",
    "Problem/Robin=5: 1+y",
    "Medium/Type=inclusions",
    "Medium/Cells=16",
    "Dataset/Training samples=3",
    "Dataset/Test samples=0"};
  const auto               configuration = Configuration::read("", overrides);
  const DatasetSpace<2>    setting(configuration, MPI_COMM_SELF);
  const TemporaryDirectory directory;
  const std::string        path = directory / "elliptic.h5";
  GenerationOptions        options;
  options.parameter_text = configuration.dataset_text;
  generate_dataset(*setting.problem(),
                   configuration.forcing,
                   configuration.dataset,
                   path,
                   options);

  const DatasetReader   reader(path);
  const DatasetSpace<2> again(reader, MPI_COMM_SELF);
  ASSERT_NE(again.problem(), nullptr);
  LinearProblem<2>::VectorType a, b;
  setting.problem()->greens_function(40, a);
  again.problem()->greens_function(40, b);
  const auto values = setting.space().values_of_all(a.begin());
  const auto others = again.space().values_of_all(b.begin());
  for (std::size_t node = 0; node < values.size(); ++node)
    EXPECT_NEAR(values[setting.space().dof_of_node(node)],
                others[again.space().dof_of_node(node)],
                1e-12);
  EXPECT_GT(a.linfty_norm(), 1e-3);
}
