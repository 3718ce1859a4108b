// Small meshes with their near fields, and closed forms of integrals of radial
// functions over them.

#ifndef evergreen_tests_dictionary_singular_meshes_h
#define evergreen_tests_dictionary_singular_meshes_h

#include "dictionary/singular_integrals.h"

namespace Evergreen
{
  namespace Testing
  {
    namespace Singular
    {
      // Cells with numbered nodes, the standard rule on them and the near
      // field.
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
              for (const auto &[x, w] :
                   unit_rule(e.dim, e.is_simplex, n_standard))
                {
                  const Point         y = map(element, cell, x);
                  std::vector<double> values;
                  for (unsigned int k = 0; k < rows.size(); ++k)
                    values.push_back(w * volume_element(element, cell, x) *
                                     e.shape(k, x));
                  rule.add_point(y.data(),
                                 rows.size(),
                                 rows.data(),
                                 values.data());
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
        standard(const RadialFunction f,
                 const double         kappa,
                 const Point         &c) const
        {
          std::vector<double> action(rule.n_rows);
          for (std::size_t q = 0; q < rule.n_points(); ++q)
            {
              Point y = {};
              std::copy_n(&rule.points[q * element.dim],
                          element.dim,
                          y.begin());
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
        corrected(const RadialFunction f,
                  const double         kappa,
                  const Point         &c) const
        {
          auto action = standard(f, kappa, c);
          near_field.correct(rule, f, kappa, c.data(), action.data());
          return action;
        }
      };


      // The integral of psi(s) s^(d-1) from 0 to r, d being the function's own
      // dimension.
      inline double
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
      // field (y-c) P(r) / r^d has the divergence psi(r), so that this is its
      // flux through the boundary, which the centre is not on.
      inline double
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
            sum += dot(y + -1. * centre, normal) *
                   primitive(function, kappa, r) / std::pow(r, dim);
          }
        return sum;
      }


      // The unit cube, cut into n cells in each direction, its inner nodes
      // moved.
      inline std::vector<Cell>
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


      inline Boundary
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
      inline Point
      ring_point(const unsigned int ring,
                 const unsigned int i,
                 const double       n_rings)
      {
        const double angle = ring == 0 ? 0. : 2 * M_PI * i / (6 * ring);
        return ring / n_rings * Point{{std::cos(angle), std::sin(angle), 0}};
      }


      inline std::vector<Cell>
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


      inline Boundary
      disk_boundary(const unsigned int n_rings)
      {
        Boundary boundary;
        for (unsigned int i = 0; i < 6 * n_rings; ++i)
          {
            const Point a    = ring_point(n_rings, i, n_rings);
            const Point edge = ring_point(n_rings, i + 1, n_rings) + -1. * a;
            for (const auto &[s, w] : gauss(20))
              boundary.push_back(
                {a + s * edge, w * Point{{edge[1], -edge[0], 0}}});
          }
        return boundary;
      }


      inline double
      sum(const std::vector<double> &action)
      {
        return std::accumulate(action.begin(), action.end(), 0.);
      }


      // The largest difference relative to the largest value.
      inline double
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
      inline std::vector<OneCell>
      well_shaped_cells()
      {
        const double h    = 0.1;
        const Cell   line = {{{0, 0, 0}}, {{h, 0, 0}}};
        const Cell   tri  = {{{0, 0, 0}}, {{h, 0, 0}}, {{0.4 * h, 0.9 * h, 0}}};
        const Cell quad  = {{{0, 0, 0}}, {{h, 0, 0}}, {{0, h, 0}}, {{h, h, 0}}};
        const Cell trap  = {{{0, 0, 0}},
                            {{h, -0.1 * h, 0}},
                            {{0.1 * h, 0.9 * h, 0}},
                            {{1.2 * h, 1.1 * h, 0}}};
        const Cell tetra = {{{0, 0, 0}},
                            {{h, 0, 0}},
                            {{0.4 * h, 0.9 * h, 0}},
                            {{0.5 * h, 0.3 * h, 0.8 * h}}};
        const Cell hex   = {{{0, 0, 0}},
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
    } // namespace Singular
  } // namespace Testing
} // namespace Evergreen

#endif
