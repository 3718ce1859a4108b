// Integrals of singular atoms against shape functions: against fluxes through
// the boundary on whole meshes, and against a slow but simple bisection for
// single shape functions.

#include <evergreen/base/error.h>
#include <evergreen/dictionary/near_field.h>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/legendre.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <thread>

using namespace Evergreen;

namespace
{
  using Point = std::array<double, 3>;


  Point
  operator+(const Point &a, const Point &b)
  {
    return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
  }


  Point
  operator*(const double s, const Point &a)
  {
    return {{s * a[0], s * a[1], s * a[2]}};
  }


  double
  dot(const Point &a, const Point &b)
  {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }


  double
  distance(const Point &a, const Point &b)
  {
    const Point c = a + -1. * b;
    return std::sqrt(dot(c, c));
  }


  double
  determinant(const unsigned int dim, const std::array<Point, 3> &j)
  {
    if (dim == 1)
      return j[0][0];
    if (dim == 2)
      return j[0][0] * j[1][1] - j[0][1] * j[1][0];
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
           j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  }


  // Gauss-Legendre points and weights on [0, 1] from Boost.
  std::vector<std::pair<double, double>>
  gauss(const unsigned int n)
  {
    std::vector<std::pair<double, double>> rule;
    for (const double zero : boost::math::legendre_p_zeros<double>(n))
      for (const double sign : {-1., 1.})
        if (sign < 0 || zero != 0)
          {
            const double slope = boost::math::legendre_p_prime<double>(n, zero);
            rule.push_back(
              {(1 + sign * zero) / 2, 1 / ((1 - zero * zero) * slope * slope)});
          }
    return rule;
  }


  using Rule = std::vector<std::pair<Point, double>>;

  // Tensor products on the cube; on the simplex, their image under a map that
  // collapses one face of the cube after the other. Both are exact for
  // polynomials of degree 2 n - 1.
  Rule
  unit_rule(const unsigned int dim, const bool is_simplex, const unsigned int n)
  {
    Rule rule = {{Point(), 1.}};
    for (unsigned int d = 0; d < dim; ++d)
      {
        Rule       longer;
        const auto line = gauss(is_simplex ? n + (d + 1) / 2 : n);
        for (const auto &[x, w] : rule)
          for (const auto &[s, v] : line)
            {
              Point y = is_simplex ? (1 - s) * x : x;
              y[d]    = s;
              longer.push_back(
                {y, w * v * (is_simplex ? std::pow(1 - s, d) : 1.)});
            }
        rule = longer;
      }
    return rule;
  }


  // Lagrange elements of degree 1 or 2. The nodes are multi-indices of
  // equidistant points, and a shape function is a product of differences.
  struct Element
  {
    unsigned int       dim;
    bool               is_simplex;
    unsigned int       degree;
    std::vector<Point> nodes;

    Element(const unsigned int dim_,
            const bool         is_simplex_,
            const unsigned int degree_)
      : dim(dim_), is_simplex(is_simplex_), degree(degree_)
    {
      const auto n = [&](const unsigned int d) {
        return dim > d ? degree + 1 : 1;
      };
      for (unsigned int i = 0; i < n(0); ++i)
        for (unsigned int j = 0; j < n(1); ++j)
          for (unsigned int k = 0; k < n(2); ++k)
            if (!is_simplex || i + j + k <= degree)
              nodes.push_back(1. / degree * Point{{1. * i, 1. * j, 1. * k}});
    }

    double
    shape(const unsigned int k, const Point &x) const
    {
      const Point &node  = nodes[k];
      const double p     = degree;
      double       value = 1;
      // Zero at the points before the node, in each (barycentric) coordinate.
      const auto rise = [&](const double s, const double s_node) {
        for (double t = 0; t < s_node - 1e-9; t += 1 / p)
          value *= (s - t) / (s_node - t);
      };
      for (unsigned int d = 0; d < dim; ++d)
        {
          rise(x[d], node[d]);
          if (!is_simplex)
            rise(1 - x[d], 1 - node[d]);
        }
      if (is_simplex)
        rise(1 - dot(x, {{1, 1, 1}}), 1 - dot(node, {{1, 1, 1}}));
      return value;
    }
  };


  // The value of vertex function v of the reference cell.
  double
  vertex_function(const Element &e, const unsigned int v, const Point &x)
  {
    if (e.is_simplex)
      return v == 0 ? 1 - dot(x, {{1, 1, 1}}) : x[v - 1];
    double value = 1;
    for (unsigned int d = 0; d < e.dim; ++d)
      value *= v >> d & 1 ? x[d] : 1 - x[d];
    return value;
  }


  using Cell = std::vector<Point>;

  Point
  map(const Element &e, const Cell &cell, const Point &x)
  {
    Point y = {};
    for (unsigned int v = 0; v < cell.size(); ++v)
      y = y + vertex_function(e, v, x) * cell[v];
    return y;
  }


  // As the map is linear in each variable, difference quotients are exact.
  double
  volume_element(const Element &e, const Cell &cell, const Point &x)
  {
    std::array<Point, 3> j = {};
    for (unsigned int d = 0; d < e.dim; ++d)
      {
        Point left = x, right = x;
        left[d] -= 0.5;
        right[d] += 0.5;
        j[d] = map(e, cell, right) + -1. * map(e, cell, left);
      }
    return std::abs(determinant(e.dim, j));
  }


  // The profiles that are made for a dimension.
  const std::vector<RadialFunction> &
  functions(const unsigned int dim)
  {
    static const std::vector<RadialFunction> all[3] = {
      {RadialFunction::modulus, RadialFunction::sine},
      {RadialFunction::logarithm,
       RadialFunction::neumann,
       RadialFunction::macdonald},
      {RadialFunction::inverse,
       RadialFunction::cosine,
       RadialFunction::exponential}};
    return all[dim - 1];
  }


  // The integrals of atoms with one centre, one for each function of the
  // dimension, against the shape functions of one cell. Simplices
  // of the reference cell are cut in two until they are farther from the centre
  // than they are large, or tiny; there, Gauss rules do.
  class Bisection
  {
  public:
    Bisection(const Element &e, const Cell &c, const double k, const Point &y)
      : element(e)
      , cell(c)
      , kappa(k)
      , centre(y)
      , rule(unit_rule(e.dim, true, e.dim == 3 ? 8 : 10))
    {
      // A simplex for each order of the coordinates covers the cube.
      std::vector<unsigned int> order = {0, 1, 2};
      order.resize(e.dim);
      do
        {
          std::vector<Point> simplex(e.dim + 1, Point());
          for (unsigned int v = 0; v < e.dim; ++v)
            if (e.is_simplex)
              simplex[v + 1][v] = 1;
            else
              {
                simplex[v + 1]           = simplex[v];
                simplex[v + 1][order[v]] = 1;
              }
          integrate(simplex);
      } while (!e.is_simplex &&
               std::next_permutation(order.begin(), order.end()));
    }

    const std::vector<double> &
    integrals(const RadialFunction function) const
    {
      return result.at(function);
    }

  private:
    void
    integrate(const std::vector<Point> &simplex)
    {
      double       longest = 0, closest = 1e300;
      unsigned int a = 0, b = 0;
      for (unsigned int i = 0; i < simplex.size(); ++i)
        {
          const Point y = map(element, cell, simplex[i]);
          closest       = std::min(closest, distance(y, centre));
          for (unsigned int j = 0; j < i; ++j)
            {
              const double length = distance(y, map(element, cell, simplex[j]));
              if (length > longest)
                {
                  longest = length;
                  a       = i;
                  b       = j;
                }
            }
        }
      if (closest > longest || longest < (element.dim == 3 ? 1e-5 : 1e-6))
        return add(simplex);
      const Point middle = 0.5 * (simplex[a] + simplex[b]);
      for (const unsigned int replaced : {a, b})
        {
          auto half      = simplex;
          half[replaced] = middle;
          integrate(half);
        }
    }

    void
    add(const std::vector<Point> &simplex)
    {
      std::array<Point, 3> edges = {};
      for (unsigned int d = 0; d < element.dim; ++d)
        edges[d] = simplex[d + 1] + -1. * simplex[0];
      const double volume = std::abs(determinant(element.dim, edges));
      for (const auto &[u, w] : rule)
        {
          Point x = simplex[0];
          for (unsigned int d = 0; d < element.dim; ++d)
            x = x + u[d] * edges[d];
          const double r      = distance(map(element, cell, x), centre);
          const double weight = w * volume * volume_element(element, cell, x);
          for (const RadialFunction f : functions(element.dim))
            {
              const double g    = weight * radial_value(f, kappa, r);
              auto        &sums = result[f];
              sums.resize(element.nodes.size());
              for (unsigned int k = 0; k < sums.size(); ++k)
                sums[k] += g * element.shape(k, x);
            }
        }
    }

    const Element                                &element;
    const Cell                                   &cell;
    double                                        kappa;
    Point                                         centre;
    Rule                                          rule;
    std::map<RadialFunction, std::vector<double>> result;
  };


  // Cells with numbered nodes, the standard rule on them and the near field.
  struct Mesh
  {
    Element            element;
    std::vector<Cell>  cells;
    std::vector<Point> nodes;
    QuadratureRule     rule;
    NearField          near_field;

    Mesh(const Element           &e,
         const std::vector<Cell> &some_cells,
         const unsigned int       n_standard)
      : element(e)
      , cells(some_cells)
      , near_field(
          e.dim,
          e.is_simplex,
          e.nodes.size(),
          [e](const unsigned int k, const double *x) {
            Point point = {};
            std::copy_n(x, e.dim, point.begin());
            return e.shape(k, point);
          },
          coordinates(e.nodes),
          n_standard)
    {
      rule.dim = e.dim;
      std::map<std::array<long, 3>, unsigned int> numbers;
      for (const Cell &cell : cells)
        {
          std::vector<unsigned int> rows;
          for (const Point &unit : e.nodes)
            {
              const Point         x = map(element, cell, unit);
              std::array<long, 3> key;
              for (unsigned int d = 0; d < 3; ++d)
                key[d] = std::lround(1e7 * x[d]);
              const auto found = numbers.emplace(key, nodes.size());
              if (found.second)
                nodes.push_back(x);
              rows.push_back(found.first->second);
            }
          const std::size_t first_point = rule.n_points();
          for (const auto &[x, w] : unit_rule(e.dim, e.is_simplex, n_standard))
            {
              const Point         y = map(element, cell, x);
              std::vector<double> values;
              for (unsigned int k = 0; k < rows.size(); ++k)
                values.push_back(w * volume_element(element, cell, x) *
                                 e.shape(k, x));
              rule.add_point(y.data(), rows.size(), rows.data(), values.data());
            }
          near_field.add_cell(coordinates(cell).data(),
                              rows.data(),
                              first_point,
                              rule.n_points() - first_point);
        }
      rule.n_rows = nodes.size();
      rule.check();
    }

    std::vector<double>
    coordinates(const std::vector<Point> &points) const
    {
      std::vector<double> result;
      for (const Point &x : points)
        result.insert(result.end(), x.begin(), x.begin() + element.dim);
      return result;
    }

    // The action by the standard rule.
    std::vector<double>
    standard(const RadialFunction f, const double kappa, const Point &c) const
    {
      std::vector<double> action(rule.n_rows);
      for (std::size_t q = 0; q < rule.n_points(); ++q)
        {
          Point y = {};
          std::copy_n(&rule.points[q * element.dim], element.dim, y.begin());
          const double g = radial_value(f, kappa, distance(y, c));
          for (std::size_t k = rule.column_starts[q];
               k < rule.column_starts[q + 1];
               ++k)
            action[rule.rows[k]] += rule.values[k] * g;
        }
      return action;
    }

    // The action with its correction.
    std::vector<double>
    corrected(const RadialFunction f, const double kappa, const Point &c) const
    {
      auto action = standard(f, kappa, c);
      near_field.correct(rule, f, kappa, c.data(), action.data());
      return action;
    }
  };


  // The integral of psi(s) s^(d-1) from 0 to r, d being the function's own
  // dimension.
  double
  primitive(const RadialFunction function, const double k, const double r)
  {
    const double z = k * r;
    switch (function)
      {
        case RadialFunction::logarithm:
          return r * r * (1 - 2 * std::log(r)) / 4;
        case RadialFunction::neumann:
          return (z * boost::math::cyl_neumann(1, z) + 2 / M_PI) / (k * k);
        case RadialFunction::macdonald:
          return (1 - z * boost::math::cyl_bessel_k(1, z)) / (k * k);
        case RadialFunction::cosine:
          return (z * std::sin(z) + std::cos(z) - 1) / (k * k);
        case RadialFunction::exponential:
          return (1 - (1 + z) * std::exp(-z)) / (k * k);
        case RadialFunction::sine:
          return (1 - std::cos(z)) / k;
        default:
          return r * r / 2;
      }
  }


  // A piece of the boundary: a point and the outer normal times its area.
  using Boundary = std::vector<std::pair<Point, Point>>;

  // The integral of an atom over a domain. With the primitive P, the vector
  // field (y-c) P(r) / r^d has the divergence psi(r), so that this is its flux
  // through the boundary, which the centre is not on.
  double
  integral(const unsigned int   dim,
           const Boundary      &boundary,
           const RadialFunction function,
           const double         kappa,
           const Point         &centre)
  {
    double sum = 0;
    for (const auto &[y, normal] : boundary)
      {
        const double r = distance(y, centre);
        sum += dot(y + -1. * centre, normal) * primitive(function, kappa, r) /
               std::pow(r, dim);
      }
    return sum;
  }


  // The unit cube, cut into n cells in each direction, its inner nodes moved.
  std::vector<Cell>
  cube_cells(const unsigned int dim,
             const bool         is_simplex,
             const unsigned int n,
             const double       distortion)
  {
    const Element     cube(dim, false, 1), simplex(dim, true, 1);
    std::vector<Cell> cells;
    for (unsigned int i = 0; i < std::pow(n, dim); ++i)
      {
        const Point corner = {
          {1. * (i % n), 1. * (i / n % n), 1. * (i / n / n)}};
        Cell cell;
        for (unsigned int v = 0; v < 1u << dim; ++v)
          {
            Point x =
              1. / n *
              (corner +
               Point{{1. * (v & 1), 1. * (v >> 1 & 1), 1. * (v >> 2 & 1)}});
            double bump = distortion / n;
            for (unsigned int d = 0; d < dim; ++d)
              bump *= std::sin(M_PI * x[d]);
            for (unsigned int d = 0; d < dim; ++d)
              x[d] += (d == 1 ? -1 : 1) * bump;
            cell.push_back(x);
          }
        // One simplex for each way from the first to the last vertex.
        std::vector<unsigned int> order = {0, 1, 2};
        order.resize(dim);
        do
          {
            Cell part = {cell[0]};
            for (unsigned int d = 0, v = 0; d < dim; ++d)
              part.push_back(cell[v += 1u << order[d]]);
            cells.push_back(is_simplex ? part : cell);
        } while (is_simplex &&
                 std::next_permutation(order.begin(), order.end()));
      }
    return cells;
  }


  Boundary
  cube_boundary(const unsigned int dim)
  {
    const unsigned int n_pieces = 8;
    const Rule         piece    = unit_rule(dim - 1, false, 12);
    Boundary           boundary;
    for (unsigned int face = 0; face < 2 * dim; ++face)
      for (unsigned int i = 0; i < std::pow(n_pieces, dim - 1); ++i)
        for (const auto &[u, w] : piece)
          {
            const double s = (u[0] + i % n_pieces) / n_pieces;
            const double t = (u[1] + i / n_pieces) / n_pieces;
            Point        y = {}, normal = {};
            y[face / 2] = face % 2;
            normal[face / 2] =
              (face % 2 ? 1. : -1.) * w / std::pow(n_pieces, dim - 1);
            if (dim > 1)
              y[(face / 2 + 1) % dim] = s;
            if (dim > 2)
              y[(face / 2 + 2) % dim] = t;
            boundary.push_back({y, normal});
          }
    return boundary;
  }


  // Triangles in rings around the origin that fill a regular polygon.
  Point
  ring_point(const unsigned int ring,
             const unsigned int i,
             const double       n_rings)
  {
    const double angle = ring == 0 ? 0. : 2 * M_PI * i / (6 * ring);
    return ring / n_rings * Point{{std::cos(angle), std::sin(angle), 0}};
  }


  std::vector<Cell>
  disk_cells(const unsigned int n_rings)
  {
    std::vector<Cell> cells;
    for (unsigned int ring = 1; ring <= n_rings; ++ring)
      for (unsigned int sector = 0; sector < 6; ++sector)
        for (unsigned int i = 0; i < ring; ++i)
          {
            const auto outer = [&](const unsigned int j) {
              return ring_point(ring, sector * ring + j, n_rings);
            };
            const auto inner = [&](const unsigned int j) {
              return ring_point(ring - 1, sector * (ring - 1) + j, n_rings);
            };
            cells.push_back({outer(i), outer(i + 1), inner(i)});
            if (i + 1 < ring)
              cells.push_back({inner(i), outer(i + 1), inner(i + 1)});
          }
    return cells;
  }


  Boundary
  disk_boundary(const unsigned int n_rings)
  {
    Boundary boundary;
    for (unsigned int i = 0; i < 6 * n_rings; ++i)
      {
        const Point a    = ring_point(n_rings, i, n_rings);
        const Point edge = ring_point(n_rings, i + 1, n_rings) + -1. * a;
        for (const auto &[s, w] : gauss(20))
          boundary.push_back({a + s * edge, w * Point{{edge[1], -edge[0], 0}}});
      }
    return boundary;
  }


  double
  sum(const std::vector<double> &action)
  {
    return std::accumulate(action.begin(), action.end(), 0.);
  }


  // The largest difference relative to the largest value.
  double
  difference(const std::vector<double> &a, const std::vector<double> &exact)
  {
    double error = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      {
        error = std::max(error, std::abs(a[i] - exact[i]));
        scale = std::max(scale, std::abs(exact[i]));
      }
    return error / scale;
  }


  struct OneCell
  {
    std::string name;
    Element     element;
    Cell        cell;
  };


  // Cells of size 0.1.
  std::vector<OneCell>
  well_shaped_cells()
  {
    const double h     = 0.1;
    const Cell   line  = {{{0, 0, 0}}, {{h, 0, 0}}};
    const Cell   tri   = {{{0, 0, 0}}, {{h, 0, 0}}, {{0.4 * h, 0.9 * h, 0}}};
    const Cell   quad  = {{{0, 0, 0}}, {{h, 0, 0}}, {{0, h, 0}}, {{h, h, 0}}};
    const Cell   trap  = {{{0, 0, 0}},
                          {{h, -0.1 * h, 0}},
                          {{0.1 * h, 0.9 * h, 0}},
                          {{1.2 * h, 1.1 * h, 0}}};
    const Cell   tetra = {{{0, 0, 0}},
                          {{h, 0, 0}},
                          {{0.4 * h, 0.9 * h, 0}},
                          {{0.5 * h, 0.3 * h, 0.8 * h}}};
    const Cell   hex   = {{{0, 0, 0}},
                          {{h, 0, 0}},
                          {{0, h, 0}},
                          {{h, h, 0}},
                          {{0, 0, h}},
                          {{h, 0, h}},
                          {{0, h, h}},
                          {{1.2 * h, 0.9 * h, 1.1 * h}}};
    return {{"1D linear", Element(1, false, 1), line},
            {"1D quadratic", Element(1, false, 2), line},
            {"P1 triangle", Element(2, true, 1), tri},
            {"P2 triangle", Element(2, true, 2), tri},
            {"Q1 square", Element(2, false, 1), quad},
            {"Q2 square", Element(2, false, 2), quad},
            {"Q1 quadrilateral", Element(2, false, 1), trap},
            {"Q2 quadrilateral", Element(2, false, 2), trap},
            {"P1 tetrahedron", Element(3, true, 1), tetra},
            {"P2 tetrahedron", Element(3, true, 2), tetra},
            {"Q1 hexahedron", Element(3, false, 1), hex}};
  }
} // namespace


TEST(NearField, CentreAtNode)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    {
      // The oracle is slow in 3D.
      const Mesh         mesh(element, {cell}, 2);
      const unsigned int step = element.dim < 3 ? 1 : 8;
      for (unsigned int i = 0; i < mesh.nodes.size(); i += step)
        {
          const Point    &c = mesh.nodes[i];
          const Bisection bisection(element, cell, kappa, c);
          for (const RadialFunction f : functions(element.dim))
            {
              SCOPED_TRACE(text(name, ", ", radial_name(f), ", node ", i));
              const auto &exact = bisection.integrals(f);
              EXPECT_LT(difference(mesh.corrected(f, kappa, c), exact), 1e-9);
              EXPECT_GT(difference(mesh.standard(f, kappa, c), exact),
                        element.dim > 1 ? 1e-3 : 0.);
            }
        }
    }
}


// A shape function of degree p takes p from the exponent in rho^(-2n), on a
// single cell; that matters where n is small, at a distance. (On a mesh, the
// leading terms of neighbouring cells cancel.)
TEST(NearField, CentreOutside)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    {
      const unsigned int n_standard = element.degree + 1;
      const Mesh         mesh(element, {cell}, n_standard);
      Point              middle = {};
      for (const Point &vertex : cell)
        middle = middle + 1. / cell.size() * vertex;

      // Away from vertices, edges and faces by some cell sizes.
      const Element      quadratic(element.dim, element.is_simplex, 2);
      const unsigned int step = element.dim == 3 ? 3 : 1;
      for (unsigned int i = 0; i < quadratic.nodes.size(); i += step)
        for (const double sizes : {0.3, 1., 3.})
          {
            const Point  x      = map(element, cell, quadratic.nodes[i]);
            const double length = distance(x, middle);
            if (length < 0.01)
              continue;
            const Point     c = x + 0.1 * sizes / length * (x + -1. * middle);
            const Bisection bisection(element, cell, kappa, c);
            const double    tolerance = NearField::default_tolerance;
            const double    bound =
              sizes < 2
                   ? tolerance
                   : std::pow(tolerance, 1 - 0.5 * element.degree / n_standard);
            for (const RadialFunction f : functions(element.dim))
              {
                SCOPED_TRACE(
                  text(name, ", ", radial_name(f), ", node ", i, " + ", sizes));
                const auto &exact = bisection.integrals(f);
                EXPECT_LT(difference(mesh.corrected(f, kappa, c), exact),
                          bound);
                EXPECT_GT(difference(mesh.standard(f, kappa, c), exact),
                          sizes < 1 && element.dim > 1 ? 1e-5 : 0.);
              }
          }
    }
}


// Shape functions add up to one, so the entries of the action add up to the
// integral of the atom over the domain.
void
check_domain(const Mesh &mesh, const Boundary &boundary, const Point &centre)
{
  const double       kappa = 3;
  const unsigned int dim   = mesh.element.dim;
  for (const RadialFunction f : functions(dim))
    {
      const double exact    = integral(dim, boundary, f, kappa, centre);
      const auto   ours     = mesh.corrected(f, kappa, centre);
      const auto   standard = mesh.standard(f, kappa, centre);
      // The integral of an oscillating function may vanish.
      double scale = 0;
      for (const double value : ours)
        scale += std::abs(value);
      EXPECT_LT(std::abs(sum(ours) - exact), 1e-6 * scale) << radial_name(f);
      if (dim > 1)
        {
          EXPECT_GT(std::abs(sum(standard) - exact), 1e-5 * scale)
            << radial_name(f);
        }
    }
}


TEST(NearField, Interval)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(1, false, degree),
                      cube_cells(1, false, 5, 0.2),
                      2);
      for (const Point &node : mesh.nodes)
        if (node[0] > 0.01 && node[0] < 0.99)
          check_domain(mesh, cube_boundary(1), node);
      check_domain(mesh, cube_boundary(1), {{1.04, 0, 0}});
    }
}


TEST(NearField, PolygonOfTriangles)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(2, true, degree), disk_cells(5), 2);
      for (unsigned int i = 0; i < mesh.nodes.size(); i += 7)
        if (distance(mesh.nodes[i], {}) < 0.9)
          check_domain(mesh, disk_boundary(5), mesh.nodes[i]);
      check_domain(mesh, disk_boundary(5), {{0.8, 0.75, 0}});
    }
}


TEST(NearField, SquareOfQuadrilaterals)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(2, false, degree),
                      cube_cells(2, false, 5, 0.3),
                      2);
      for (const Point &node : mesh.nodes)
        if (distance(node, {{0.5, 0.5, 0}}) < 0.45)
          check_domain(mesh, cube_boundary(2), node);
      check_domain(mesh, cube_boundary(2), {{1.1, 0.3, 0}});
    }
}


TEST(NearField, Cube)
{
  for (const bool is_simplex : {false, true})
    for (const double distortion : {0., 0.3})
      {
        const Mesh mesh(Element(3, is_simplex, 1),
                        cube_cells(3, is_simplex, 4, distortion),
                        2);
        for (const Point &node : mesh.nodes)
          if (distance(node, {{0.5, 0.5, 0.5}}) < 0.3)
            check_domain(mesh, cube_boundary(3), node);
        check_domain(mesh, cube_boundary(3), {{1.15, 0.3, 0.6}});
      }
}


// Where cells are not corrected any more, the standard rule is good enough for
// each shape function on a mesh.
TEST(NearField, FarCentre)
{
  const double kappa = 2;
  const Point  close = {{1.2, 0.5, 0.5}}, far = {{2.2, 0.5, 0.5}};
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      const Element element(dim, false, 1);
      const auto    cells = cube_cells(dim, false, 4, 0.3);
      const Mesh    mesh(element, cells, 3), fine(element, cells, 8);
      for (const RadialFunction f : functions(dim))
        {
          const auto standard = mesh.standard(f, kappa, far);
          EXPECT_EQ(mesh.corrected(f, kappa, far), standard);
          if (dim > 1) // in 1D both rules are exact to rounding
            {
              EXPECT_NE(mesh.corrected(f, kappa, close),
                        mesh.standard(f, kappa, close));
            }
          EXPECT_LT(difference(standard, fine.standard(f, kappa, far)), 2e-6)
            << radial_name(f);
        }
    }
}


TEST(NearField, StrideFactorAndThreads)
{
  const Mesh          mesh(Element(2, true, 2), disk_cells(5), 2);
  const auto          f     = RadialFunction::macdonald;
  const double        kappa = 3;
  const Point         c     = mesh.nodes[17];
  std::vector<double> action(mesh.rule.n_rows), strided(3 * mesh.rule.n_rows);
  mesh.near_field.correct(mesh.rule, f, kappa, c.data(), action.data());
  EXPECT_NE(sum(action), 0.);

  // The same with the opposite sign leaves nothing.
  auto nothing = action;
  mesh.near_field.correct(
    mesh.rule, f, kappa, c.data(), nothing.data(), 1, -1.);
  for (std::size_t k = 0; k < action.size(); ++k)
    EXPECT_NEAR(nothing[k], 0., 1e-15);

  std::vector<std::thread> threads;
  for (unsigned int i = 0; i < 3; ++i)
    threads.emplace_back([&, i]() {
      mesh.near_field.correct(
        mesh.rule, f, kappa, c.data(), strided.data() + i, 3);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (std::size_t k = 0; k < strided.size(); ++k)
    EXPECT_EQ(strided[k], action[k / 3]);
}


TEST(NearField, BadInput)
{
  const auto one = [](unsigned int, const double *) { return 1.; };
  EXPECT_THROW(NearField(4, false, 1, one, {}, 2), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5}, 2), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5, 0.5}, 0), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5, 0.5}, 2, 0.), Error);

  // Without cells there is nothing to do.
  const NearField near_field(2, false, 1, one, {0.5, 0.5}, 2);
  const double    centre[2] = {};
  EXPECT_EQ(near_field.n_cells(), 0u);
  near_field.correct(
    QuadratureRule(), RadialFunction::logarithm, 1., centre, nullptr);
}
