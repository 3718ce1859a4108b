// The points outside of a domain: where they are, and how they are distributed.

#include "dictionary/shapes.h"
#include "testing.h"

using namespace Evergreen;
using namespace Evergreen::Testing::Shapes;
using Testing::expect_error;


TEST(OutsidePoints, AreOutsideNeitherTooNearNorTooFar)
{
  const Domain domains[]    = {cube(1),
                               hollow_cube(1),
                               cube(2),
                               l_shape(),
                               h_shape(),
                               hollow_cube(2),
                               cube(3),
                               hollow_cube(3)};
  const double min_distance = 0.05, max_distance = 2;
  for (const Domain &domain : domains)
    {
      const Boundary boundary = lattice(domain, 8, false).boundary();
      const auto     points =
        outside_points(boundary, outside(min_distance, max_distance, 500));
      ASSERT_EQ(points.size(), 500 * domain.dim);
      for (std::size_t i = 0; i < 500; ++i)
        {
          Point x = {};
          std::copy_n(points.data() + i * domain.dim, domain.dim, x.begin());
          EXPECT_FALSE(domain.contains(x));
          EXPECT_GE(domain.distance(x), 0.9 * min_distance);
          EXPECT_LE(domain.distance(x), max_distance * (1 + 1e-14));
        }
    }
}


// A convex domain keeps all candidates, and they keep their distance.
TEST(OutsidePoints, DistancesAreLogUniform)
{
  const std::size_t n = 2000;
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const Boundary boundary = lattice(cube(dim), 4, dim == 2).boundary();
      const auto     points   = outside_points(boundary, outside(0.02, 3, n));
      std::vector<double> logarithms;
      for (std::size_t i = 0; i < n; ++i)
        logarithms.push_back(
          std::log(boundary.distance(points.data() + i * dim) / 0.02) /
          std::log(3 / 0.02));
      const double bound = 1.95 / std::sqrt(double(n));
      EXPECT_LT(distance_to_uniform(logarithms), bound);
      for (double &value : logarithms)
        value = std::pow(value, 1.3);
      EXPECT_GT(distance_to_uniform(logarithms), bound);
    }
}


TEST(OutsidePoints, BothSidesOfAnInterval)
{
  const auto   points = outside_points(lattice(cube(1), 3, false).boundary(),
                                     outside(0.1, 0.5, 1000));
  const double median = std::sqrt(0.1 * 0.5);
  unsigned int n_left = 0, n_left_after_near = 0;
  bool         after_near = false;
  for (const double x : points)
    {
      const double distance = x < 0 ? -x : x - 1;
      n_left_after_near += x < 0 && after_near;
      after_near = distance < median;
      EXPECT_GE(distance, 0.1 * (1 - 1e-14));
      EXPECT_LE(distance, 0.5 * (1 + 1e-14));
      n_left += x < 0;
    }
  EXPECT_NEAR(n_left, 500, 5 * std::sqrt(250.));
  // Consecutive points share no random number.
  EXPECT_NEAR(n_left_after_near, 250, 5 * std::sqrt(188.));
}


// A hole is used as long as it is wide enough.
TEST(OutsidePoints, InsideHoles)
{
  const Domain   domain   = hollow_cube(2);
  const Boundary boundary = lattice(domain, 4, false).boundary();
  const auto     in_hole  = [&](const double min_distance) {
    const auto points =
      outside_points(boundary, outside(min_distance, 2 * min_distance, 1000));
    unsigned int n = 0;
    for (std::size_t i = 0; i < points.size(); i += 2)
      n += domain.holes[0].distance(2, {{points[i], points[i + 1], 0}}) == 0;
    return n;
  };
  EXPECT_GT(in_hole(0.05), 200u);
  EXPECT_EQ(in_hole(0.3), 0u);
}


TEST(OutsidePoints, AreReproducible)
{
  const Boundary boundary   = lattice(l_shape(), 4, true).boundary();
  auto           parameters = outside(0.1, 1, 300);
  const auto     points     = outside_points(boundary, parameters);
  EXPECT_EQ(outside_points(boundary, parameters), points);

  parameters.n_points = 100;
  const auto fewer    = outside_points(boundary, parameters);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), points.begin()));

  parameters.seed = 18;
  EXPECT_NE(outside_points(boundary, parameters), fewer);
}


// Nearly all of this boundary belongs to a cavity of many narrow teeth.
TEST(OutsidePoints, NarrowCavities)
{
  const Boundary gear =
    ring(
      800, [](const unsigned int i) { return i % 2 ? 0.1 : 0.9; }, 1)
      .boundary();
  expect_error([&]() { outside_points(gear, outside(0.2, 0.3, 100)); },
               "choose a smaller min_distance");
  EXPECT_EQ(outside_points(gear, outside(1e-5, 1e-4, 100)).size(), 200u);
}


TEST(OutsidePoints, BadInput)
{
  Mesh mesh     = lattice(cube(2), 2, false);
  mesh.cells[5] = 9;
  expect_error([&]() { mesh.boundary(); }, "refers to node 9");
  mesh.cells[5] = -1;
  expect_error([&]() { mesh.boundary(); }, "refers to node -1");

  mesh           = lattice(cube(3), 1, false);
  mesh.cell_type = "wedge";
  expect_error([&]() { mesh.boundary(); }, "cells of type 'wedge'");
  mesh.cell_type = "triangle";
  expect_error([&]() { mesh.boundary(); },
               "do not fill a space of dimension 3");

  // Every face belongs to two cells, in a closed line and in a cell twice.
  mesh = {1, "line", {0, 1, 2}, {0, 1, 1, 2, 2, 0}};
  expect_error([&]() { mesh.boundary(); }, "has no boundary");
  mesh = lattice(cube(3), 1, false);
  mesh.cells.insert(mesh.cells.end(), mesh.cells.begin(), mesh.cells.end());
  expect_error([&]() { mesh.boundary(); }, "has no boundary");
  mesh.cells.clear();
  expect_error([&]() { mesh.boundary(); }, "has no cells");

  const Boundary boundary = lattice(cube(2), 2, false).boundary();
  for (const auto &parameters : {OutsideParameters(),
                                 outside(0, 1, 10),
                                 outside(2, 1, 10),
                                 outside(std::nan(""), 1, 10),
                                 outside(1, infinity, 10)})
    EXPECT_THROW(outside_points(boundary, parameters), UsageError);
}
