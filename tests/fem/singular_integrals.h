// Cells and integrals over them, written independently of the library: maps,
// shape functions, and bisection towards a singularity.

#ifndef evergreen_tests_fem_singular_integrals_h
#define evergreen_tests_fem_singular_integrals_h

#include <evergreen/base/error.h>
#include <evergreen/dictionary/radial.h>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/legendre.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    namespace Singular
    {
      using Point = std::array<double, 3>;


      inline Point
      operator+(const Point &a, const Point &b)
      {
        return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
      }


      inline Point
      operator*(const double s, const Point &a)
      {
        return {{s * a[0], s * a[1], s * a[2]}};
      }


      inline double
      dot(const Point &a, const Point &b)
      {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      }


      inline double
      distance(const Point &a, const Point &b)
      {
        const Point c = a + -1. * b;
        return std::sqrt(dot(c, c));
      }


      inline double
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
      inline std::vector<std::pair<double, double>>
      gauss(const unsigned int n)
      {
        std::vector<std::pair<double, double>> rule;
        for (const double zero : boost::math::legendre_p_zeros<double>(n))
          for (const double sign : {-1., 1.})
            if (sign < 0 || zero != 0)
              {
                const double slope =
                  boost::math::legendre_p_prime<double>(n, zero);
                rule.push_back({(1 + sign * zero) / 2,
                                1 / ((1 - zero * zero) * slope * slope)});
              }
        return rule;
      }


      using Rule = std::vector<std::pair<Point, double>>;

      // Tensor products on the cube; on the simplex, their image under a map
      // that collapses one face of the cube after the other. Both are exact for
      // polynomials of degree 2 n - 1.
      inline Rule
      unit_rule(const unsigned int dim,
                const bool         is_simplex,
                const unsigned int n)
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
                  nodes.push_back(1. / degree *
                                  Point{{1. * i, 1. * j, 1. * k}});
        }

        double
        shape(const unsigned int k, const Point &x) const
        {
          const Point &node  = nodes[k];
          const double p     = degree;
          double       value = 1;
          // Zero at the points before the node, in each (barycentric)
          // coordinate.
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
      inline double
      vertex_function(const Element &e, const unsigned int v, const Point &x)
      {
        if (e.is_simplex)
          return v == 0 ? 1 - dot(x, {{1, 1, 1}}) : x[v - 1];
        double value = 1;
        for (unsigned int d = 0; d < e.dim; ++d)
          value *= v >> d & 1 ? x[d] : 1 - x[d];
        return value;
      }


      // The images of the vertices or, for curved cells, of the nodes of the
      // quadratic element.
      using Cell = std::vector<Point>;

      inline Point
      map(const Element &e, const Cell &cell, const Point &x)
      {
        static const Element quadratic[2][3] = {
          {{1, false, 2}, {2, false, 2}, {3, false, 2}},
          {{1, true, 2}, {2, true, 2}, {3, true, 2}}};
        const bool is_curved =
          cell.size() > (e.is_simplex ? e.dim + 1 : 1u << e.dim);
        const Element &geometry = quadratic[e.is_simplex][e.dim - 1];
        Point          y        = {};
        for (unsigned int v = 0; v < cell.size(); ++v)
          y =
            y + (is_curved ? geometry.shape(v, x) : vertex_function(e, v, x)) *
                  cell[v];
        return y;
      }


      // As the map is quadratic in each variable, central difference quotients
      // are exact.
      inline double
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
      inline const std::vector<RadialFunction> &
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
      // of the reference cell are cut in two until they are farther from the
      // centre than they are large, or tiny; there, Gauss rules do.
      class Bisection
      {
      public:
        Bisection(const Element &e,
                  const Cell    &c,
                  const double   k,
                  const Point   &y)
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
                  const double length =
                    distance(y, map(element, cell, simplex[j]));
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
              const double r = distance(map(element, cell, x), centre);
              const double weight =
                w * volume * volume_element(element, cell, x);
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
    } // namespace Singular
  } // namespace Testing
} // namespace Evergreen

#endif
