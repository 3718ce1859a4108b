// The boundary of a mesh and the points outside, against closed forms: boxes
// and unions of boxes with re-entrant corners and cavities, regular polygons,
// and all of it turned in space.

#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/dictionary/outside_points.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

using namespace Evergreen;
using Testing::expect_error;

namespace
{
  constexpr double infinity = std::numeric_limits<double>::infinity();

  using Point = std::array<double, 3>;


  struct Mesh
  {
    unsigned int              dim;
    std::string               cell_type;
    std::vector<double>       points;
    std::vector<std::int64_t> cells;

    Boundary
    boundary() const
    {
      const std::size_t n_vertices = cell_type == "line"            ? 2
                                     : cell_type == "triangle"      ? 3
                                     : cell_type == "quadrilateral" ? 4
                                     : cell_type == "tetrahedron"   ? 4
                                                                    : 8;
      return Boundary(dim,
                      cell_type,
                      points.size() / dim,
                      points.data(),
                      cells.size() / n_vertices,
                      cells.data());
    }
  };


  // A point of the box [low, high]^3.
  Point
  random_point(const std::uint64_t i, const double low, const double high)
  {
    Point x;
    for (unsigned int d = 0; d < 3; ++d)
      x[d] =
        low + (high - low) * Random::uniform(3, Random::Stream::test, i, d);
    return x;
  }


  // A box, possibly unbounded.
  struct Box
  {
    Point low, high;

    double
    distance(const unsigned int dim, const Point &x) const
    {
      double square = 0;
      for (unsigned int d = 0; d < dim; ++d)
        square += std::pow(std::max({low[d] - x[d], 0., x[d] - high[d]}), 2);
      return std::sqrt(square);
    }
  };


  double
  distance_to_union(const unsigned int      dim,
                    const std::vector<Box> &boxes,
                    const Point            &x)
  {
    double distance = infinity;
    for (const Box &box : boxes)
      distance = std::min(distance, box.distance(dim, x));
    return distance;
  }


  // A domain that is the union of boxes, and so is its complement: the unit
  // cube without some holes. The distance to the boundary is then that to the
  // other side.
  struct Domain
  {
    unsigned int     dim;
    std::vector<Box> solids, holes;

    bool
    contains(const Point &x) const
    {
      return distance_to_union(dim, solids, x) == 0;
    }

    double
    distance(const Point &x) const
    {
      std::vector<Box> outside = holes;
      for (unsigned int d = 0; d < dim; ++d)
        {
          Box half_space     = {{{-infinity, -infinity, -infinity}},
                                {{infinity, infinity, infinity}}};
          half_space.high[d] = 0;
          outside.push_back(half_space);
          half_space.high[d] = infinity;
          half_space.low[d]  = 1;
          outside.push_back(half_space);
        }
      return distance_to_union(dim, contains(x) ? outside : solids, x);
    }
  };


  Domain
  cube(const unsigned int dim)
  {
    return {dim, {{{{0, 0, 0}}, {{1, 1, 1}}}}, {}};
  }


  Domain
  l_shape()
  {
    return {2,
            {{{{0, 0, 0}}, {{1, 0.5, 0}}}, {{{0, 0, 0}}, {{0.5, 1, 0}}}},
            {{{{0.5, 0.5, 0}}, {{infinity, infinity, 0}}}}};
  }


  // The slots are as wide as the legs, or narrower.
  Domain
  h_shape(const double left = 0.25, const double right = 0.75)
  {
    return {2,
            {{{{0, 0, 0}}, {{left, 1, 0}}},
             {{{right, 0, 0}}, {{1, 1, 0}}},
             {{{0, 0.25, 0}}, {{1, 0.75, 0}}}},
            {{{{left, 0.75, 0}}, {{right, infinity, 0}}},
             {{{left, -infinity, 0}}, {{right, 0.25, 0}}}}};
  }


  // The cube without the middle of it.
  Domain
  hollow_cube(const unsigned int dim)
  {
    Domain domain = {dim, {}, {{{{0.25, 0.25, 0.25}}, {{0.75, 0.75, 0.75}}}}};
    for (unsigned int d = 0; d < dim; ++d)
      {
        Box wall     = {{{0, 0, 0}}, {{1, 1, 1}}};
        wall.high[d] = 0.25;
        domain.solids.push_back(wall);
        wall.high[d] = 1;
        wall.low[d]  = 0.75;
        domain.solids.push_back(wall);
      }
    return domain;
  }


  // Cuts a lattice cell along its diagonals into one simplex for each order of
  // the axes, every other one of them turned inside out.
  void
  add_simplices(const unsigned int               dim,
                const std::vector<std::int64_t> &corners,
                std::vector<std::int64_t>       &cells)
  {
    std::vector<unsigned int> axes;
    for (unsigned int d = 0; d < dim; ++d)
      axes.push_back(d);
    do
      {
        unsigned int corner = 0;
        cells.push_back(corners[corner]);
        for (const unsigned int axis : axes)
          cells.push_back(corners[corner += 1u << axis]);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }


  // The cells of an n x ... x n lattice whose centres are in the domain.
  Mesh
  lattice(const Domain &domain, const unsigned int n, const bool simplices)
  {
    static const char *names[2][3] = {{"line", "quadrilateral", "hexahedron"},
                                      {"line", "triangle", "tetrahedron"}};
    const unsigned int dim         = domain.dim;
    Mesh               mesh        = {dim, names[simplices][dim - 1], {}, {}};
    const std::size_t  m           = n + 1;
    const std::size_t  strides[]   = {1, m, m * m};
    const std::size_t  n_points    = std::pow(m, dim);
    for (std::size_t i = 0; i < n_points; ++i)
      {
        Point centre   = {};
        bool  complete = true;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const std::size_t k = i / strides[d] % m;
            mesh.points.push_back(double(k) / n);
            centre[d] = (k + 0.5) / n;
            complete  = complete && k < n;
          }
        if (!complete || !domain.contains(centre))
          continue;

        std::vector<std::int64_t> corners;
        for (unsigned int corner = 0; corner < (1u << dim); ++corner)
          {
            std::size_t index = i;
            for (unsigned int d = 0; d < dim; ++d)
              index += (corner >> d & 1) * strides[d];
            corners.push_back(index);
          }
        if (simplices)
          add_simplices(dim, corners, mesh.cells);
        else
          for (unsigned int k = 0; k < corners.size(); ++k)
            mesh.cells.push_back(corners[k ^ (k >> 1 & 1)]);
      }
    return mesh;
  }


  // A ring of n quadrilaterals around the origin; the inner radius may depend
  // on the vertex.
  Mesh
  ring(const unsigned int                           n,
       const std::function<double(unsigned int i)> &inner,
       const double                                 outer)
  {
    Mesh mesh = {2, "quadrilateral", {}, {}};
    for (unsigned int i = 0; i < n; ++i)
      {
        const double angle = 2 * M_PI * i / n;
        for (const double radius : {inner(i), outer})
          {
            mesh.points.push_back(radius * std::cos(angle));
            mesh.points.push_back(radius * std::sin(angle));
          }
        const unsigned int j = (i + 1) % n;
        mesh.cells.insert(mesh.cells.end(),
                          {2 * i, 2 * i + 1, 2 * j + 1, 2 * j});
      }
    return mesh;
  }


  // A regular polygon as triangles around its centre.
  Mesh
  disk(const unsigned int n, const double radius)
  {
    Mesh mesh = ring(
      n, [](unsigned int) { return 0.; }, radius);
    mesh.cell_type = "triangle";
    mesh.cells.clear();
    for (unsigned int i = 0; i < n; ++i)
      mesh.cells.insert(mesh.cells.end(),
                        {0, 2 * i + 1, 2 * ((i + 1) % n) + 1});
    return mesh;
  }


  // How far the point is inside a regular polygon; negative outside, but then
  // a lower bound of the distance only.
  double
  depth_in_polygon(const unsigned int n, const double radius, const Point &x)
  {
    double depth = infinity;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double angle = 2 * M_PI * (i + 0.5) / n;
        depth              = std::min(depth,
                         radius * std::cos(M_PI / n) - x[0] * std::cos(angle) -
                           x[1] * std::sin(angle));
      }
    return depth;
  }


  // A rotation about no axis of coordinates, with a shift.
  Point
  moved(const Point &x)
  {
    const double c = std::cos(0.7), s = std::sin(0.7);
    const Point  y = {{c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]}};
    return {{y[0] + 0.3, c * y[1] - s * y[2] - 2, s * y[1] + c * y[2] + 5}};
  }


  void
  expect_is_domain(const Boundary                            &boundary,
                   const Domain                              &domain,
                   const std::function<Point(const Point &)> &map)
  {
    unsigned int n_inside = 0;
    for (unsigned int i = 0; i < 500; ++i)
      {
        const Point  x = random_point(i, -0.3, 1.3), y = map(x);
        Point        nearest  = {};
        const double distance = boundary.distance(y.data(), nearest.data());
        EXPECT_NEAR(distance, domain.distance(x), 1e-13);
        EXPECT_EQ(boundary.contains(y.data()), domain.contains(x));
        n_inside += domain.contains(x);

        // The nearest point is on the boundary, and where it should be.
        double square = 0;
        for (unsigned int d = 0; d < domain.dim; ++d)
          square += std::pow(nearest[d] - y[d], 2);
        EXPECT_NEAR(std::sqrt(square), distance, 1e-13);
        EXPECT_NEAR(boundary.distance(nearest.data()), 0, 1e-13);
      }
    EXPECT_GT(n_inside, 30u);
    EXPECT_LT(n_inside, 470u);
  }


  Point
  same(const Point &x)
  {
    return x;
  }


  OutsideParameters
  outside(const double      min_distance,
          const double      max_distance,
          const std::size_t n_points)
  {
    OutsideParameters parameters;
    parameters.min_distance = min_distance;
    parameters.max_distance = max_distance;
    parameters.n_points     = n_points;
    parameters.seed         = 17;
    return parameters;
  }


  // Kolmogorov's distance between samples and the uniform law on [0, 1].
  double
  distance_to_uniform(std::vector<double> samples)
  {
    std::sort(samples.begin(), samples.end());
    double distance = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
      distance =
        std::max({distance,
                  std::abs(samples[i] - double(i) / samples.size()),
                  std::abs(samples[i] - double(i + 1) / samples.size())});
    return distance;
  }
} // namespace


TEST(Boundary, UnionsOfBoxes)
{
  struct Case
  {
    Domain       domain;
    unsigned int n;
    double       measure;
  };
  const Case cases[] = {{cube(1), 7, 2},
                        {hollow_cube(1), 8, 4},
                        {cube(2), 1, 4},
                        {cube(2), 6, 4},
                        {l_shape(), 6, 4},
                        {h_shape(), 8, 5},
                        {hollow_cube(2), 8, 6},
                        {cube(3), 1, 6},
                        {cube(3), 4, 6},
                        {hollow_cube(3), 4, 7.5}};
  for (const Case &c : cases)
    for (const bool simplices : {false, true})
      {
        const Mesh mesh = lattice(c.domain, c.n, simplices);
        SCOPED_TRACE(mesh.cell_type + " " + std::to_string(c.n));
        const Boundary boundary = mesh.boundary();
        EXPECT_EQ(boundary.dim(), c.domain.dim);
        EXPECT_NEAR(boundary.measure(), c.measure, 1e-13);
        expect_is_domain(boundary, c.domain, same);
      }
}


TEST(Boundary, NumberOfFacets)
{
  EXPECT_EQ(lattice(cube(1), 5, false).boundary().n_facets(), 2u);
  EXPECT_EQ(lattice(cube(2), 5, false).boundary().n_facets(), 20u);
  EXPECT_EQ(lattice(cube(2), 1, true).boundary().n_facets(), 4u);
  EXPECT_EQ(lattice(cube(3), 2, true).boundary().n_facets(), 48u);
  EXPECT_EQ(lattice(cube(3), 16, false).boundary().n_facets(), 3072u);
}


// No side is parallel to an axis, and the bounding box decides nothing.
TEST(Boundary, TurnedCubes)
{
  for (const Domain &domain : {cube(3), hollow_cube(3)})
    for (const bool simplices : {false, true})
      {
        Mesh mesh = lattice(domain, 4, simplices);
        for (std::size_t i = 0; i < mesh.points.size(); i += 3)
          {
            const Point y =
              moved({{mesh.points[i], mesh.points[i + 1], mesh.points[i + 2]}});
            std::copy(y.begin(), y.end(), mesh.points.begin() + i);
          }
        expect_is_domain(mesh.boundary(), domain, moved);
      }
}


TEST(Boundary, Polygons)
{
  const unsigned int n       = 31;
  const Boundary     round   = disk(n, 1).boundary();
  const Boundary     annulus = ring(
                             n, [](auto) { return 0.5; }, 1)
                             .boundary();
  EXPECT_EQ(round.n_facets(), n);
  EXPECT_EQ(annulus.n_facets(), 2 * n);
  EXPECT_NEAR(round.measure(), 2 * n * std::sin(M_PI / n), 1e-13);
  EXPECT_NEAR(annulus.measure(), 3 * n * std::sin(M_PI / n), 1e-13);

  for (unsigned int i = 0; i < 1000; ++i)
    {
      const Point  x     = random_point(i, -1.2, 1.2);
      const double outer = depth_in_polygon(n, 1, x);
      const double inner = depth_in_polygon(n, 0.5, x);
      EXPECT_EQ(round.contains(x.data()), outer > 0);
      EXPECT_EQ(annulus.contains(x.data()), outer > 0 && inner < 0);
      if (outer > 0)
        {
          EXPECT_NEAR(round.distance(x.data()), outer, 1e-14);
        }
      if (inner > 0)
        {
          EXPECT_NEAR(annulus.distance(x.data()), inner, 1e-14);
        }
    }
}


// Nodes of higher degree are in no cell, and a warped face stays closed: its
// halves see every interior point under the full angle.
TEST(Boundary, FurtherNodesAndWarpedFaces)
{
  Mesh mesh = lattice(cube(3), 3, false);
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    mesh.points[i] +=
      0.1 * (Random::uniform(5, Random::Stream::test, 0, i) - 0.5);
  mesh.points.insert(mesh.points.end(), {9, 9, 9});
  const Boundary boundary = mesh.boundary();
  EXPECT_EQ(boundary.n_facets(), 108u);
  for (unsigned int i = 0; i < 500; ++i)
    {
      const Point  x        = random_point(i, -0.3, 1.3);
      const double distance = cube(3).distance(x);
      if (distance > 0.09)
        {
          EXPECT_EQ(boundary.contains(x.data()), cube(3).contains(x));
        }
      EXPECT_NEAR(boundary.distance(x.data()), distance, 0.09);
    }
}


TEST(Boundary, MirrorImages)
{
  double         image[3];
  const Boundary square     = lattice(cube(2), 5, true).boundary();
  const double   by_side[]  = {0.1, 0.43};
  const double   expected[] = {-0.1, 0.43};
  ASSERT_TRUE(square.mirror(by_side, 0.09, image));
  EXPECT_NEAR(image[0], expected[0], 1e-15);
  EXPECT_NEAR(image[1], expected[1], 1e-15);
  EXPECT_FALSE(square.mirror(by_side, 0.11, image));
  // An image of a point outside is inside, and no image.
  EXPECT_FALSE(square.mirror(expected, 0.01, image));

  const Boundary interval = lattice(cube(1), 3, false).boundary();
  const double   right    = 0.75;
  ASSERT_TRUE(interval.mirror(&right, 0.1, image));
  EXPECT_DOUBLE_EQ(image[0], 1.25);

  const Boundary box      = lattice(cube(3), 4, false).boundary();
  double         in_box[] = {0.3, 0.4, 0.8};
  // The image may take the place of the point.
  ASSERT_TRUE(box.mirror(in_box, 0.1, in_box));
  EXPECT_NEAR(in_box[0], 0.3, 1e-15);
  EXPECT_NEAR(in_box[1], 0.4, 1e-15);
  EXPECT_NEAR(in_box[2], 1.2, 1e-15);
}


// Across a slot from 0.45 to 0.55, images may be in the other leg.
TEST(Boundary, MirrorImagesAcrossASlot)
{
  double         image[2];
  const Boundary slotted = lattice(h_shape(0.45, 0.55), 20, false).boundary();
  const double   far[] = {0.3, 0.8}, near[] = {0.38, 0.91};
  EXPECT_FALSE(slotted.mirror(far, 0.001, image));
  EXPECT_NEAR(image[0], 0.6, 1e-15);
  EXPECT_TRUE(slotted.mirror(near, 0.02, image));
  EXPECT_NEAR(image[0], 0.52, 1e-15);
  EXPECT_NEAR(image[1], 0.91, 1e-15);
  // The other wall of the slot is 0.03 away.
  EXPECT_FALSE(slotted.mirror(near, 0.04, image));
}


// Points on the boundary of the cube: on a side, with its normal, and uniform
// in it.
TEST(Boundary, SamplesAreUniform)
{
  const unsigned int          n        = 6000;
  const Boundary              boundary = lattice(cube(3), 3, true).boundary();
  std::array<unsigned int, 6> counts   = {};
  std::vector<double>         first, second;
  for (unsigned int i = 0; i < n; ++i)
    {
      const Point uniforms = random_point(i, 0, 1);
      Point       point, normal;
      boundary.sample(uniforms.data(), point.data(), normal.data());
      EXPECT_NEAR(cube(3).distance(point), 0, 1e-15);
      const unsigned int axis =
        std::find_if(normal.begin(),
                     normal.end(),
                     [](const double value) { return std::abs(value) > 0.5; }) -
        normal.begin();
      ASSERT_LT(axis, 3u);
      EXPECT_NEAR(std::abs(normal[axis]), 1, 1e-15);
      EXPECT_NEAR(point[axis], normal[axis] > 0 ? 1 : 0, 1e-15);
      ++counts[2 * axis + (normal[axis] > 0)];
      first.push_back(point[(axis + 1) % 3]);
      second.push_back(point[(axis + 2) % 3]);
    }
  // Five standard deviations, and the 0.1 % quantile of Kolmogorov's law.
  for (const unsigned int count : counts)
    EXPECT_NEAR(count, n / 6., 5 * std::sqrt(n * 5. / 36));
  EXPECT_LT(distance_to_uniform(first), 1.95 / std::sqrt(double(n)));
  EXPECT_LT(distance_to_uniform(second), 1.95 / std::sqrt(double(n)));
}


// In one triangle, the distances from the sides have a quadratic law.
TEST(Boundary, SamplesAreUniformInATriangle)
{
  const Mesh                         mesh     = {3,
                                                 "tetrahedron",
                                                 {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                                 {0, 1, 2, 3}};
  const Boundary                     boundary = mesh.boundary();
  std::array<std::vector<double>, 3> laws;
  for (unsigned int i = 0; i < 12000; ++i)
    {
      const Point uniforms = random_point(i, 0, 1);
      Point       x, normal;
      boundary.sample(uniforms.data(), x.data(), normal.data());
      if (normal[2] != -1)
        continue;
      laws[0].push_back(std::pow(1 - x[0], 2));
      laws[1].push_back(std::pow(1 - x[1], 2));
      laws[2].push_back(std::pow(x[0] + x[1], 2));
    }
  // This side has 1 / (3 + sqrt(3)) of the surface.
  const double n = laws[0].size();
  EXPECT_NEAR(n, 12000 / (3 + std::sqrt(3.)), 5 * std::sqrt(12000 * 0.17));
  for (const auto &law : laws)
    EXPECT_LT(distance_to_uniform(law), 1.95 / std::sqrt(n));
}


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
  expect_error([&]() { mesh.boundary(); }, "refers to the point 9");
  mesh.cells[5] = -1;
  expect_error([&]() { mesh.boundary(); }, "refers to the point -1");

  mesh           = lattice(cube(3), 1, false);
  mesh.cell_type = "wedge";
  expect_error([&]() { mesh.boundary(); }, "Unknown cell type 'wedge'");
  mesh.cell_type = "triangle";
  expect_error([&]() { mesh.boundary(); }, "belong to dimension 2");

  // Every face belongs to two cells, in a closed line and in a cell twice.
  mesh = {1, "line", {0, 1, 2}, {0, 1, 1, 2, 2, 0}};
  expect_error([&]() { mesh.boundary(); }, "has no boundary");
  mesh = lattice(cube(3), 1, false);
  mesh.cells.insert(mesh.cells.end(), mesh.cells.begin(), mesh.cells.end());
  expect_error([&]() { mesh.boundary(); }, "has no boundary");
  mesh.cells.clear();
  expect_error([&]() { mesh.boundary(); }, "has no boundary");

  const Boundary boundary = lattice(cube(2), 2, false).boundary();
  for (const auto &parameters : {OutsideParameters(),
                                 outside(0, 1, 10),
                                 outside(2, 1, 10),
                                 outside(std::nan(""), 1, 10),
                                 outside(1, infinity, 10)})
    EXPECT_THROW(outside_points(boundary, parameters), UsageError);
}
