// Small meshes with their near fields, and closed forms of integrals of radial
// functions over them.

#ifndef evergreen_tests_fem_singular_meshes_h
#define evergreen_tests_fem_singular_meshes_h

#include "fem/singular_integrals.h"

#include <evergreen/fem/near_field.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold.h>
#include <deal.II/grid/tria.h>

namespace Evergreen
{
  namespace Testing
  {
    namespace Singular
    {
      constexpr double tolerance = 1e-6;


      // The standard rule on all cells, its rows numbered as the degrees of
      // freedom, with its near field.
      template <int dim>
      QuadratureRule
      rule_of(const dealii::Mapping<dim>    &mapping,
              const dealii::DoFHandler<dim> &dof_handler,
              const unsigned int             n_standard)
      {
        const auto           &fe = dof_handler.get_fe();
        dealii::FEValues<dim> values(
          mapping,
          fe,
          fe.reference_cell().template get_gauss_type_quadrature<dim>(
            n_standard),
          dealii::update_values | dealii::update_quadrature_points |
            dealii::update_JxW_values);
        std::vector<dealii::types::global_dof_index> dofs(fe.n_dofs_per_cell());
        QuadratureRule                               rule;
        rule.dim    = dim;
        rule.n_rows = dof_handler.n_dofs();
        for (const auto &cell : dof_handler.active_cell_iterators())
          {
            values.reinit(cell);
            cell->get_dof_indices(dofs);
            const std::vector<unsigned int> rows(dofs.begin(), dofs.end());
            for (const auto q : values.quadrature_point_indices())
              {
                std::vector<double> entries;
                for (const auto k : values.dof_indices())
                  entries.push_back(values.JxW(q) * values.shape_value(k, q));
                rule.add_point(&values.quadrature_point(q)[0],
                               rows.size(),
                               rows.data(),
                               entries.data());
              }
          }
        rule.near_field =
          make_near_field(mapping, dof_handler, n_standard, tolerance);
        rule.check();
        return rule;
      }


      // Actions of radial functions by a rule.
      struct Actions
      {
        QuadratureRule rule;

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
              std::copy_n(&rule.points[q * rule.dim], rule.dim, y.begin());
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
          rule.near_field->correct(rule, singular(f, kappa, c), action.data());
          return action;
        }

        // The function evaluated by its definition.
        SingularFunction
        singular(const RadialFunction f,
                 const double         kappa,
                 const Point         &c) const
        {
          const auto evaluate =
            [f, kappa, c, dim = rule.dim](const std::size_t    n,
                                          const double *const *x,
                                          double              *values) {
              for (std::size_t q = 0; q < n; ++q)
                {
                  Point y = {};
                  for (unsigned int d = 0; d < dim; ++d)
                    y[d] = x[d][q];
                  values[q] = radial_value(f, kappa, distance(y, c));
                }
            };
          return {c.data(), has_wave_number(f) ? kappa : 0., evaluate};
        }
      };


      // Makes cells parabolic: they are straight where points are moved to by
      // pull_back().
      template <int dim>
      class Parabolic : public dealii::ChartManifold<dim>
      {
      public:
        static constexpr double bend = 3;

        std::unique_ptr<dealii::Manifold<dim>>
        clone() const override
        {
          return std::make_unique<Parabolic>();
        }

        dealii::Point<dim>
        push_forward(const dealii::Point<dim> &x) const override
        {
          dealii::Point<dim> y = x;
          y[dim - 1] += bend * x[0] * x[0];
          return y;
        }

        dealii::Point<dim>
        pull_back(const dealii::Point<dim> &y) const override
        {
          dealii::Point<dim> x = y;
          x[dim - 1] -= bend * y[0] * y[0];
          return x;
        }
      };


      // Cells with numbered nodes.
      struct Mesh : Actions
      {
        Element            element;
        std::vector<Cell>  cells;
        std::vector<Point> nodes;

        // Straight cells, or what Parabolic makes of them.
        Mesh(const Element           &e,
             const std::vector<Cell> &some_cells,
             const unsigned int       n_standard,
             const bool               is_curved = false)
          : element(e), cells(some_cells)
        {
          if (e.dim == 1)
            build<1>(n_standard, false);
          else if (e.dim == 2)
            build<2>(n_standard, is_curved);
          else
            build<3>(n_standard, is_curved);
        }

      private:
        using Key = std::array<long, 3>;

        template <typename PointType>
        Key
        key(const PointType &x) const
        {
          Key result = {};
          for (unsigned int d = 0; d < element.dim; ++d)
            result[d] = std::lround(1e7 * x[d]);
          return result;
        }

        template <int dim>
        static dealii::Point<dim>
        to_deal_ii(const Point &x)
        {
          dealii::Point<dim> result;
          std::copy_n(x.begin(), dim, &result[0]);
          return result;
        }

        template <int dim>
        void
        build(const unsigned int n_standard, const bool is_curved)
        {
          const Parabolic<dim>       parabolic;
          dealii::Triangulation<dim> triangulation;
          make_triangulation(triangulation);
          std::unique_ptr<dealii::FiniteElement<dim>> fe;
          std::unique_ptr<dealii::Mapping<dim>>       mapping;
          if (element.is_simplex)
            {
              fe = std::make_unique<dealii::FE_SimplexP<dim>>(element.degree);
              mapping = std::make_unique<dealii::MappingFE<dim>>(
                dealii::FE_SimplexP<dim>(is_curved ? 2 : 1));
            }
          else
            {
              fe = std::make_unique<dealii::FE_Q<dim>>(element.degree);
              mapping =
                std::make_unique<dealii::MappingQ<dim>>(is_curved ? 2 : 1);
            }
          if (is_curved)
            {
              dealii::GridTools::transform(
                [&](const auto &x) { return parabolic.push_forward(x); },
                triangulation);
              triangulation.set_all_manifold_ids(1);
              triangulation.set_manifold(1, parabolic);
              const Element quadratic(dim, element.is_simplex, 2);
              for (Cell &cell : cells)
                {
                  Cell curved;
                  for (const Point &unit : quadratic.nodes)
                    {
                      curved.push_back(map(element, cell, unit));
                      curved.back()[dim - 1] +=
                        Parabolic<dim>::bend * std::pow(curved.back()[0], 2);
                    }
                  cell = curved;
                }
            }

          dealii::DoFHandler<dim> dof_handler(triangulation);
          dof_handler.distribute_dofs(*fe);
          number_nodes(*mapping, dof_handler);
          rule = rule_of(*mapping, dof_handler, n_standard);
        }

        template <int dim>
        void
        make_triangulation(dealii::Triangulation<dim> &triangulation) const
        {
          std::map<Key, unsigned int>        numbers;
          std::vector<dealii::Point<dim>>    vertices;
          std::vector<dealii::CellData<dim>> data;
          for (const Cell &cell : cells)
            {
              data.emplace_back(cell.size());
              for (unsigned int v = 0; v < cell.size(); ++v)
                {
                  const auto found =
                    numbers.emplace(key(cell[v]), vertices.size());
                  if (found.second)
                    vertices.push_back(to_deal_ii<dim>(cell[v]));
                  data.back().vertices[v] = found.first->second;
                }
            }
          triangulation.create_triangulation(vertices,
                                             data,
                                             dealii::SubCellData());
        }

        // In the order in which the cells and their elements have them.
        template <int dim>
        void
        number_nodes(const dealii::Mapping<dim> &mapping,
                     dealii::DoFHandler<dim>    &dof_handler)
        {
          std::map<Key, unsigned int> numbers;
          for (const Cell &cell : cells)
            for (const Point &unit : element.nodes)
              {
                const Point x = map(element, cell, unit);
                if (numbers.emplace(key(x), nodes.size()).second)
                  nodes.push_back(x);
              }
          const auto           &fe = dof_handler.get_fe();
          dealii::FEValues<dim> values(mapping,
                                       fe,
                                       dealii::Quadrature<dim>(
                                         fe.get_unit_support_points()),
                                       dealii::update_quadrature_points);
          std::vector<dealii::types::global_dof_index> dofs(
            fe.n_dofs_per_cell()),
            new_numbers(dof_handler.n_dofs());
          for (const auto &cell : dof_handler.active_cell_iterators())
            {
              values.reinit(cell);
              cell->get_dof_indices(dofs);
              for (unsigned int k = 0; k < dofs.size(); ++k)
                new_numbers[dofs[k]] =
                  numbers.at(key(values.quadrature_point(k)));
            }
          dof_handler.renumber_dofs(new_numbers);
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
                std::array<Point, 3> edges = {};
                for (unsigned int d = 0; d < dim; ++d)
                  edges[d] = part[d + 1] + -1. * part[0];
                if (determinant(dim, edges) < 0)
                  std::swap(part[0], part[1]);
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
