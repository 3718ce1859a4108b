// The boundary of a mesh against closed forms: boxes and unions of boxes with
// re-entrant corners and cavities, regular polygons, and all of it turned in
// space.

#include "dictionary/shapes.h"
#include "testing.h"

using namespace Evergreen;
using namespace Evergreen::Testing::Shapes;
using Testing::expect_error;


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
