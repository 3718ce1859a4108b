// Hat functions of all types of cells: linear functions are reproduced,
// integrals are exact, and the hats of a refined mesh add up to the old ones.

#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/twin/hat_functions.h>
#include <evergreen/twin/twin_data.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  /** One crooked cell, or two that share a side, of measure @p measure. */
  struct Example
  {
    MeshData mesh;
    double   measure;
  };

  Example
  example(const std::string              &type,
          const unsigned int              dim,
          const std::vector<double>      &points,
          const std::vector<std::size_t> &cells,
          const double                    measure)
  {
    Example result;
    result.mesh.dim       = dim;
    result.mesh.cell_type = type;
    result.mesh.points    = points;
    result.mesh.cells     = cells;
    result.measure        = measure;
    return result;
  }

  std::vector<Example>
  examples()
  {
    return {example("line", 1, {0, 1, 3}, {0, 1, 1, 2}, 3.),
            example("triangle",
                    2,
                    {0, 0, 2, 0, 0, 1, 2, 2},
                    {0, 1, 2, 1, 3, 2},
                    1. + 2.),
            // The area is that of the polygon (0,0) (4,0) (5,2) (1,3).
            example("quadrilateral",
                    2,
                    {0, 0, 2, 0, 4, 0, 5, 2, 3, 2.5, 1, 3},
                    {0, 1, 4, 5, 1, 2, 3, 4},
                    10.5),
            example("tetrahedron",
                    3,
                    {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3},
                    {0, 1, 2, 3},
                    1.),
            example("hexahedron",
                    3,
                    {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0,
                     1, 0, 3, 3, 0, 3, 3, 1, 3, 1, 1, 3},
                    {0, 1, 2, 3, 4, 5, 6, 7},
                    6.)};
  }

  double
  random(const std::uint64_t index)
  {
    return Random::uniform(1, Random::Stream::test, 0, index);
  }

  /** A point in a cell: a mean of its vertices with random weights. */
  std::vector<double>
  point_in(const MeshData &mesh, const std::size_t cell, std::uint64_t seed)
  {
    const unsigned int  n = mesh.vertices_per_cell();
    std::vector<double> point(mesh.dim, 0.), weights(n);
    double              sum = 0;
    for (unsigned int v = 0; v < n; ++v)
      sum += weights[v] = random(100 * seed + v);
    for (unsigned int v = 0; v < n; ++v)
      for (unsigned int d = 0; d < mesh.dim; ++d)
        point[d] += weights[v] / sum *
                    mesh.points[mesh.cells[cell * n + v] * mesh.dim + d];
    return point;
  }

  double
  linear(const double *point, const unsigned int dim)
  {
    double value = 2;
    for (unsigned int d = 0; d < dim; ++d)
      value += (d + 1.5) * point[d];
    return value;
  }
} // namespace


TEST(HatFunctions, ReproduceLinearFunctions)
{
  for (const auto &[coarse, measure] : examples())
    for (const MeshData &mesh : {coarse, refine(coarse).mesh})
      {
        const HatFunctions hats(mesh);
        for (std::uint64_t seed = 0; seed < 50; ++seed)
          {
            const auto point = point_in(mesh, seed % mesh.n_cells(), seed);
            double     value = 0, one = 0;
            for (const auto &[k, weight] : hats.at(point.data()))
              {
                value += weight * linear(&mesh.points[k * mesh.dim], mesh.dim);
                one += weight;
                EXPECT_GT(weight, 0.);
              }
            EXPECT_NEAR(one, 1., 1e-12) << mesh.cell_type;
            EXPECT_NEAR(value, linear(point.data(), mesh.dim), 1e-11)
              << mesh.cell_type;
          }
      }
}

TEST(HatFunctions, IntegrateExactly)
{
  for (const auto &[coarse, measure] : examples())
    for (const MeshData &mesh : {coarse, refine(coarse).mesh})
      {
        const HatFunctions hats(mesh);
        double             sum = 0;
        for (const double integral : hats.integrals())
          sum += integral;
        EXPECT_NEAR(sum, measure, 1e-12) << mesh.cell_type;
        // Rows of the mass matrix add up to the integrals.
        const auto                mass = hats.mass_matrix();
        const std::vector<double> ones(mesh.n_nodes(), 1.);
        std::vector<double>       rows(mesh.n_nodes());
        mass.multiply(ones.data(), rows.data(), 1);
        for (std::size_t k = 0; k < rows.size(); ++k)
          EXPECT_NEAR(rows[k], hats.integrals()[k], 1e-12);
      }
}

TEST(HatFunctions, AreSumsOfNarrowOnes)
{
  for (const auto &[mesh, measure] : examples())
    {
      const auto refined = refine(mesh);
      EXPECT_EQ(refined.mesh.n_cells(), mesh.n_cells() << mesh.dim);
      const HatFunctions wide(mesh), narrow(refined.mesh);
      for (std::uint64_t seed = 0; seed < 50; ++seed)
        {
          const auto point = point_in(mesh, seed % mesh.n_cells(), seed);
          std::vector<double> values(refined.mesh.n_nodes(), 0.),
            sums(mesh.n_nodes());
          for (const auto &[k, weight] : narrow.at(point.data()))
            values[k] = weight;
          refined.old_hats.multiply(values.data(), sums.data(), 1);
          for (const auto &[k, weight] : wide.at(point.data()))
            EXPECT_NEAR(sums[k], weight, 1e-11) << mesh.cell_type;
        }
      const TwinMesh twin      = TwinMesh::coarse(mesh);
      const auto     integrals = wide.integrals();
      for (std::size_t k = 0; k < integrals.size(); ++k)
        EXPECT_NEAR(twin.families.front().integrals[k], integrals[k], 1e-12);
    }
}

// Beside a curved boundary the hats of the nearest cell go on.
TEST(HatFunctions, GoOnOutside)
{
  const auto         mesh = examples()[1].mesh;
  const HatFunctions hats(mesh);
  const double       point[2] = {0.9, -0.05};
  double             value    = 0;
  for (const auto &[k, weight] : hats.at(point))
    value += weight * linear(&mesh.points[2 * k], 2);
  EXPECT_NEAR(value, linear(point, 2), 1e-12);
}

TEST(HatFunctions, NeedVertices)
{
  auto mesh   = examples()[1].mesh;
  mesh.degree = 2;
  expect_error([&]() { HatFunctions hats(mesh); }, "degree 1");
}

TEST(NodeGraph, CountsRings)
{
  MeshData mesh;
  mesh.dim       = 2;
  mesh.cell_type = "quadrilateral";
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j)
      {
        mesh.points.push_back(i);
        mesh.points.push_back(j);
        if (i < 8 && j < 8)
          for (const std::size_t node :
               {9 * i + j, 9 * i + j + 9, 9 * i + j + 10, 9 * i + j + 1})
            mesh.cells.push_back(node);
      }
  const auto graph = neighbours(mesh);
  EXPECT_EQ(graph.rings(40, 0), std::vector<std::size_t>{40});
  EXPECT_EQ(graph.rings(40, 1).size(), 9u);
  EXPECT_EQ(graph.rings(40, 3).size(), 49u);
  EXPECT_EQ(graph.rings(0, 2).size(), 9u);
}

// |f|^2 of a function of the hats is found from its moments.
TEST(SeenNorm, IsThatOfFunctionsOfTheHats)
{
  const auto          mesh = refine(refine(examples()[2].mesh).mesh).mesh;
  const auto          mass = HatFunctions(mesh).mass_matrix();
  std::vector<double> f, moments(mesh.n_nodes());
  for (std::size_t k = 0; k < mesh.n_nodes(); ++k)
    f.push_back(random(k) - 0.3);
  mass.multiply(f.data(), moments.data(), 1);
  double square = 0;
  for (std::size_t k = 0; k < f.size(); ++k)
    square += f[k] * moments[k];
  EXPECT_NEAR(seen_square_norm(mass, moments), square, 1e-10 * square);
}
