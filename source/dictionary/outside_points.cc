#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/outside_points.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  namespace
  {
    using Vector = dealii::Tensor<1, 3>;


    Vector
    mean(const std::size_t n, const Vector *points)
    {
      Vector sum;
      for (std::size_t i = 0; i < n; ++i)
        sum += points[i];
      return (1. / n) * sum;
    }


    /**
     * The normal of a simplex of @p dim vertices, on the right-hand side of a
     * segment, that is as long as the simplex is large.
     */
    Vector
    area_vector(const unsigned int dim, const Vector *v)
    {
      if (dim == 3)
        return 0.5 * dealii::cross_product_3d(v[1] - v[0], v[2] - v[0]);
      Vector result;
      result[0] = (dim == 1) ? 1. : v[1][1] - v[0][1];
      result[1] = (dim == 1) ? 0. : v[0][0] - v[1][0];
      return result;
    }


    Vector
    nearest_on_segment(const Vector &a, const Vector &b, const Vector &x)
    {
      const Vector side   = b - a;
      const double square = side * side;
      const double t      = square > 0 ? (x - a) * side / square : 0;
      return a + std::clamp(t, 0., 1.) * side;
    }


    Vector
    nearest_on_triangle(const std::array<Vector, 3> &v,
                        const Vector                &normal,
                        const Vector                &x)
    {
      // Above the triangle, the foot of the perpendicular is to the left of
      // all sides, and the nearest point.
      bool above = true;
      for (unsigned int i = 0; i < 3; ++i)
        above =
          above && (dealii::cross_product_3d(normal, v[(i + 1) % 3] - v[i]) *
                    (x - v[i])) > 0;
      if (above)
        return x - (normal * (x - v[0])) * normal;

      // Otherwise it is on one of the sides.
      Vector nearest = v[0];
      double best    = std::numeric_limits<double>::infinity();
      for (unsigned int i = 0; i < 3; ++i)
        {
          const Vector p      = nearest_on_segment(v[i], v[(i + 1) % 3], x);
          const double square = (x - p) * (x - p);
          if (square < best)
            {
              best    = square;
              nearest = p;
            }
        }
      return nearest;
    }


    /**
     * The solid angle under which a triangle is seen from the origin, by the
     * formula of van Oosterom and Strackee.
     */
    double
    solid_angle(const Vector &a, const Vector &b, const Vector &c)
    {
      const double p = a.norm(), q = b.norm(), r = c.norm();
      return 2 *
             std::atan2(a * dealii::cross_product_3d(b, c),
                        p * q * r + (a * b) * r + (b * c) * p + (c * a) * q);
    }
  } // namespace


  Boundary::Boundary(const unsigned int               dimension,
                     const std::vector<BoundaryFace> &faces)
    : space_dim(dimension), low(), high()
  {
    const auto vectors = [&](const std::vector<double> &points) {
      std::vector<Vector> result;
      for (std::size_t i = 0; i < points.size(); i += dimension)
        result.push_back(load(&points[i]));
      return result;
    };
    for (const BoundaryFace &face : faces)
      {
        const auto cell = vectors(face.cell_vertices);
        add_face(vectors(face.corners), mean(cell.size(), cell.data()));
      }
    if (facets.empty())
      throw Error(
        "The mesh has no boundary: every face belongs to several "
        "cells or is flat. Check the indices of its cells.");

    low = high = facets[0].vertices[0];
    for (const Facet &facet : facets)
      for (unsigned int v = 0; v < space_dim; ++v)
        for (unsigned int d = 0; d < space_dim; ++d)
          {
            low[d]  = std::min(low[d], facet.vertices[v][d]);
            high[d] = std::max(high[d], facet.vertices[v][d]);
          }
  }


  double
  Boundary::distance(const double *x, double *nearest) const
  {
    const Vector point = load(x);
    Vector       best_point;
    double       best = std::numeric_limits<double>::infinity();
    for (const Facet &facet : facets)
      {
        const Vector to_centre = facet.centre - point;
        const double reach     = best + facet.radius;
        if (to_centre * to_centre > reach * reach)
          continue;
        const auto  &v = facet.vertices;
        const Vector candidate =
          space_dim == 1   ? v[0]
          : space_dim == 2 ? nearest_on_segment(v[0], v[1], point)
                           : nearest_on_triangle(v, facet.normal, point);
        const double length = (candidate - point).norm();
        if (length < best)
          {
            best       = length;
            best_point = candidate;
          }
      }
    if (nearest != nullptr)
      store(best_point, nearest);
    return best;
  }


  bool
  Boundary::contains(const double *x) const
  {
    const Vector point = load(x);
    for (unsigned int d = 0; d < space_dim; ++d)
      if (point[d] < low[d] || point[d] > high[d])
        return false;

    double winding_number = 0;
    for (const Facet &facet : facets)
      {
        const Vector a = facet.vertices[0] - point,
                     b = facet.vertices[1] - point,
                     c = facet.vertices[2] - point;
        if (space_dim == 1)
          winding_number += std::copysign(0.5, a[0] * facet.normal[0]);
        else if (space_dim == 2)
          winding_number +=
            std::atan2(a[0] * b[1] - a[1] * b[0], a * b) / (2 * M_PI);
        else
          winding_number += solid_angle(a, b, c) / (4 * M_PI);
      }
    return winding_number > 0.5;
  }


  bool
  Boundary::mirror(const double *x,
                   const double  min_distance,
                   double       *image) const
  {
    double nearest[3];
    distance(x, nearest);
    store(2. * load(nearest) - load(x), image);
    return distance(image) >= min_distance && !contains(image);
  }


  void
  Boundary::sample(const double *uniforms, double *point, double *normal) const
  {
    const auto   chosen = std::upper_bound(cumulative_measure.begin(),
                                         cumulative_measure.end() - 1,
                                         uniforms[0] * measure());
    const Facet &facet  = facets[chosen - cumulative_measure.begin()];
    const auto  &v      = facet.vertices;

    Vector place = v[0];
    if (space_dim == 2)
      place = place + uniforms[1] * (v[1] - v[0]);
    else if (space_dim == 3)
      {
        // The root makes up for the triangle's growth away from its tip.
        const double s = std::sqrt(uniforms[1]);
        place = place + s * (v[1] - v[0]) + (s * uniforms[2]) * (v[2] - v[1]);
      }
    store(place, point);
    store(facet.normal, normal);
  }


  Boundary::Vector
  Boundary::load(const double *x) const
  {
    Vector v;
    std::copy_n(x, space_dim, v.begin_raw());
    return v;
  }


  void
  Boundary::store(const Vector &v, double *x) const
  {
    std::copy_n(v.begin_raw(), space_dim, x);
  }


  void
  Boundary::add_face(std::vector<Vector> corners, const Vector &cell_centre)
  {
    // A quadrilateral is oriented as a whole, for its halves to agree.
    Vector area = area_vector(space_dim, corners.data());
    if (corners.size() > space_dim)
      area = 0.5 * dealii::cross_product_3d(corners[2] - corners[0],
                                            corners[3] - corners[1]);
    const Vector outwards = mean(corners.size(), corners.data()) - cell_centre;
    const bool   inwards  = area * outwards < 0;
    if (inwards)
      std::reverse(corners.begin(), corners.end());
    const double side = (space_dim == 1 && inwards) ? -1 : 1;

    // A fan of simplices around the first corner: one, or a quadrilateral's
    // two halves.
    for (std::size_t last = space_dim; last <= corners.size(); ++last)
      {
        std::array<Vector, 3> vertices;
        vertices[0] = corners[0];
        for (unsigned int v = 1; v < space_dim; ++v)
          vertices[v] = corners[last - space_dim + v];
        add_facet(vertices, side);
      }
  }


  void
  Boundary::add_facet(const std::array<Vector, 3> &vertices, const double side)
  {
    const Vector area   = area_vector(space_dim, vertices.data());
    const double extent = area.norm();
    // A flat one has no normal, and its neighbours cover it.
    if (!(extent > 0))
      return;

    Facet facet{vertices,
                (side / extent) * area,
                mean(space_dim, vertices.data()),
                0};
    for (unsigned int v = 0; v < space_dim; ++v)
      facet.radius =
        std::max(facet.radius, (vertices[v] - facet.centre).norm());
    facets.push_back(facet);
    cumulative_measure.push_back(extent +
                                 (cumulative_measure.empty() ? 0 : measure()));
  }


  void
  OutsideParameters::check() const
  {
    if (!(min_distance > 0) || !(max_distance >= min_distance) ||
        !std::isfinite(max_distance))
      throw UsageError(
        "Points outside the domain are wanted at distances from ",
        min_distance,
        " to ",
        max_distance,
        " from its boundary: the first must be positive and "
        "the second not smaller.");
  }


  std::vector<double>
  outside_points(const Boundary &boundary, const OutsideParameters &parameters)
  {
    // Gives up when, after a start, fewer than one candidate in 64 serves.
    constexpr std::uint64_t n_first = 1000, n_per_point = 64;

    parameters.check();
    const double        log_min = std::log(parameters.min_distance);
    const double        log_max = std::log(parameters.max_distance);
    std::vector<double> points;
    std::size_t         n_found = 0;
    for (std::uint64_t i = 0; n_found < parameters.n_points; ++i)
      {
        if (i == n_first + n_per_point * n_found)
          throw Error("Of ",
                      i,
                      " points at distances from ",
                      parameters.min_distance,
                      " to ",
                      parameters.max_distance,
                      " along the normals of the boundary only ",
                      n_found,
                      " are outside the domain and not too near another part "
                      "of its boundary: choose a smaller min_distance, below "
                      "half the width of the domain's holes and slots.");

        double uniforms[4];
        for (unsigned int k = 0; k < 4; ++k)
          uniforms[k] = Random::uniform(parameters.seed,
                                        Random::Stream::outside_points,
                                        i,
                                        k);
        Vector point, normal;
        boundary.sample(uniforms, point.begin_raw(), normal.begin_raw());
        point += std::exp(log_min + uniforms[3] * (log_max - log_min)) * normal;

        if (boundary.distance(point.begin_raw()) >=
              0.9 * parameters.min_distance &&
            !boundary.contains(point.begin_raw()))
          {
            points.insert(points.end(),
                          point.begin_raw(),
                          point.begin_raw() + boundary.dim());
            ++n_found;
          }
      }
    return points;
  }
} // namespace Evergreen
