// Shapes with closed forms for distances and insides: boxes, unions of boxes,
// and regular polygons, as meshes.

#ifndef evergreen_tests_dictionary_shapes_h
#define evergreen_tests_dictionary_shapes_h

#include "dictionary/mesh_boundary.h"

#include <evergreen/base/random.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    namespace Shapes
    {
      constexpr double infinity = std::numeric_limits<double>::infinity();

      using Point = std::array<double, 3>;


      struct Mesh
      {
        unsigned int             dim;
        std::string              cell_type;
        std::vector<double>      points;
        std::vector<std::size_t> cells;

        Boundary
        boundary() const
        {
          MeshData data;
          data.dim       = dim;
          data.cell_type = cell_type;
          data.points    = points;
          data.cells     = cells;
          return Boundary(dim, boundary_faces(data));
        }
      };


      // A point of the box [low, high]^3.
      inline Point
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
            square +=
              std::pow(std::max({low[d] - x[d], 0., x[d] - high[d]}), 2);
          return std::sqrt(square);
        }
      };


      inline double
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
      // cube without some holes. The distance to the boundary is then that to
      // the other side.
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


      inline Domain
      cube(const unsigned int dim)
      {
        return {dim, {{{{0, 0, 0}}, {{1, 1, 1}}}}, {}};
      }


      inline Domain
      l_shape()
      {
        return {2,
                {{{{0, 0, 0}}, {{1, 0.5, 0}}}, {{{0, 0, 0}}, {{0.5, 1, 0}}}},
                {{{{0.5, 0.5, 0}}, {{infinity, infinity, 0}}}}};
      }


      // The slots are as wide as the legs, or narrower.
      inline Domain
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
      inline Domain
      hollow_cube(const unsigned int dim)
      {
        Domain domain = {dim,
                         {},
                         {{{{0.25, 0.25, 0.25}}, {{0.75, 0.75, 0.75}}}}};
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


      // Cuts a lattice cell along its diagonals into one simplex for each order
      // of the axes, every other one of them turned inside out.
      inline void
      add_simplices(const unsigned int              dim,
                    const std::vector<std::size_t> &corners,
                    std::vector<std::size_t>       &cells)
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
      inline Mesh
      lattice(const Domain &domain, const unsigned int n, const bool simplices)
      {
        static const char *names[2][3] = {{"line",
                                           "quadrilateral",
                                           "hexahedron"},
                                          {"line", "triangle", "tetrahedron"}};
        const unsigned int dim         = domain.dim;
        Mesh               mesh      = {dim, names[simplices][dim - 1], {}, {}};
        const std::size_t  m         = n + 1;
        const std::size_t  strides[] = {1, m, m * m};
        const std::size_t  n_points  = std::pow(m, dim);
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

            std::vector<std::size_t> corners;
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


      // A ring of n quadrilaterals around the origin; the inner radius may
      // depend on the vertex.
      inline Mesh
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
      inline Mesh
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


      // How far the point is inside a regular polygon; negative outside, but
      // then a lower bound of the distance only.
      inline double
      depth_in_polygon(const unsigned int n,
                       const double       radius,
                       const Point       &x)
      {
        double depth = infinity;
        for (unsigned int i = 0; i < n; ++i)
          {
            const double angle = 2 * M_PI * (i + 0.5) / n;
            depth              = std::min(depth,
                             radius * std::cos(M_PI / n) -
                               x[0] * std::cos(angle) - x[1] * std::sin(angle));
          }
        return depth;
      }


      // A rotation about no axis of coordinates, with a shift.
      inline Point
      moved(const Point &x)
      {
        const double c = std::cos(0.7), s = std::sin(0.7);
        const Point  y = {{c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]}};
        return {{y[0] + 0.3, c * y[1] - s * y[2] - 2, s * y[1] + c * y[2] + 5}};
      }


      inline void
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


      inline Point
      same(const Point &x)
      {
        return x;
      }


      inline OutsideParameters
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
      inline double
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
    } // namespace Shapes
  } // namespace Testing
} // namespace Evergreen

#endif
