#include <evergreen/base/error.h>
#include <evergreen/fem/near_field.h>
#include <evergreen/fem/singular_quadrature.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Points this close to each other, relative to a cell, are the same. */
    constexpr double point_tolerance = 1e-10;


    /** So many points are worked on at once, in vector registers. */
    constexpr std::size_t width = 4;


    /** An element whose functions are what the mapping can do on a cell. */
    template <int dim>
    std::unique_ptr<FiniteElement<dim>>
    geometry_element(const Mapping<dim> &mapping, const ReferenceCell &cell)
    {
      unsigned int degree = cell.is_hyper_cube() ? 3 : 2;
      if (const auto q = dynamic_cast<const MappingQ<dim> *>(&mapping))
        degree = q->get_degree();
      else if (const auto fe = dynamic_cast<const MappingFE<dim> *>(&mapping))
        degree = fe->get_degree();
      if (cell.is_hyper_cube())
        return std::make_unique<FE_Q<dim>>(degree);
      return std::make_unique<FE_SimplexP<dim>>(degree);
    }


    /** The vertices of the reference cell, then those nodes that are none. */
    template <int dim>
    std::vector<Point<dim>>
    apex_points(const FiniteElement<dim> &element)
    {
      std::vector<Point<dim>> apexes;
      for (const unsigned int v : element.reference_cell().vertex_indices())
        apexes.push_back(element.reference_cell().template vertex<dim>(v));
      for (const Point<dim> &node : element.get_unit_support_points())
        if (std::none_of(apexes.begin(), apexes.end(), [&](const auto &apex) {
              return apex.distance(node) < point_tolerance;
            }))
          apexes.push_back(node);
      return apexes;
    }


    /**
     * The near field of cells. The map from the reference cell to a cell is
     * \f$x=a_0+\sum_d a_{1+d}\xi_d+\sum_j b_jN_j(\xi)\f$: the affine map of
     * vertex 0 and its neighbours, and the differences \f$b_j\f$ from it at the
     * other nodes of the geometry, whose shape functions are the \f$N_j\f$.
     */
    template <int dim>
    class CellNearField : public NearField
    {
    public:
      CellNearField(const Mapping<dim>    &mapping,
                    const DoFHandler<dim> &dof_handler,
                    const unsigned int     n_standard_points,
                    const double           tolerance)
        : element(dof_handler.get_fe().clone())
        , geometry(geometry_element(mapping, element->reference_cell()))
        , n_shapes(element->n_dofs_per_cell())
        , n_standard(n_standard_points)
      {
        if (n_standard == 0 || !(tolerance > 0 && tolerance < 1))
          throw Error("A near field for ",
                      n_standard,
                      " Gauss points per direction and the tolerance ",
                      tolerance,
                      " is impossible: take a point or more, and a number "
                      "between 0 and 1.");
        const ReferenceCell cell_type = element->reference_cell();
        geometry_nodes                = {0};
        for (unsigned int d = 0; d < dim; ++d)
          geometry_nodes.push_back(cell_type.is_hyper_cube() ? 1u << d : d + 1);
        for (unsigned int v = 0; v < geometry->n_dofs_per_cell(); ++v)
          if (std::find(geometry_nodes.begin(), geometry_nodes.end(), v) ==
              geometry_nodes.end())
            geometry_nodes.push_back(v);

        const unsigned int n_max =
          std::max(max_near_gauss_points, n_standard + 1);
        for (unsigned int n = n_standard; n < n_max; ++n)
          {
            const double rho = std::pow(tolerance, -1. / (2 * n));
            limits.push_back(std::pow((rho + 1 / rho) / 2, 2));
            gauss_rules.push_back(
              tabulate(smooth_quadrature<dim>(cell_type, n + 1)));
          }
        apexes = apex_points(*element);
        for (std::size_t a = 0; a < apexes.size(); ++a)
          cone_rules.push_back(
            tabulate(singular_quadrature(cell_type, apexes[a])));

        for (unsigned int d = 0; d < dim; ++d)
          {
            lower[d] = std::numeric_limits<double>::infinity();
            upper[d] = -lower[d];
          }
        FEValues<dim> values(mapping,
                             *geometry,
                             Quadrature<dim>(
                               geometry->get_unit_support_points()),
                             update_quadrature_points);
        for (const auto &cell : dof_handler.active_cell_iterators())
          if (cell->is_locally_owned())
            {
              values.reinit(cell);
              add_cell(values.get_quadrature_points());
            }
      }

      void
      correct(const QuadratureRule   &rule,
              const SingularFunction &function,
              double                 *action,
              const std::size_t       stride) const override
      {
        Point<dim> centre;
        for (unsigned int d = 0; d < dim; ++d)
          {
            centre[d] = function.centre[d];
            if (!(centre[d] >= lower[d] && centre[d] <= upper[d]))
              return;
          }

        ReferenceRule other;
        for (std::size_t cell = 0; cell < radii.size(); ++cell)
          {
            double distance_2 = 0;
            for (unsigned int d = 0; d < dim; ++d)
              distance_2 +=
                (middles[d][cell] - centre[d]) * (middles[d][cell] - centre[d]);
            if (distance_2 < limits[0] * radii[cell] * radii[cell])
              correct_cell(cell,
                           choose_rule(cell,
                                       centre,
                                       distance_2,
                                       function.wave_number,
                                       other),
                           rule,
                           function,
                           action,
                           stride);
          }
      }

    private:
      // A rule on the reference cell, with all that is needed at its points,
      // whose number is a multiple of the width.
      struct ReferenceRule
      {
        std::vector<double>                  weights;
        std::array<std::vector<double>, dim> points;
        std::vector<double>                  shapes; // of point q: [k n + q]
        std::vector<double>                  bends; // N_j, its derivatives
      };

      // Without the bends, this is for affine cells.
      ReferenceRule
      tabulate(const Quadrature<dim> &quadrature,
               const bool             with_bends = true) const
      {
        // Points that are added do not count.
        ReferenceRule     rule;
        auto              points = quadrature.get_points();
        const std::size_t n      = (points.size() + width - 1) / width * width;
        rule.weights             = quadrature.get_weights();
        rule.weights.resize(n, 0.);
        points.resize(n, points[0]);
        for (unsigned int d = 0; d < dim; ++d)
          for (const Point<dim> &x : points)
            rule.points[d].push_back(x[d]);
        rule.shapes.reserve(n_shapes * n);
        for (unsigned int k = 0; k < n_shapes; ++k)
          for (const Point<dim> &x : points)
            rule.shapes.push_back(element->shape_value(k, x));
        if (!with_bends)
          return rule;
        rule.bends.resize(n_bends() * (1 + dim) * n);
        for (std::size_t j = 0; j < n_bends(); ++j)
          for (std::size_t q = 0; q < n; ++q)
            {
              const unsigned int   node = geometry_nodes[1 + dim + j];
              const Tensor<1, dim> slope =
                geometry->shape_grad(node, points[q]);
              double *bend = &rule.bends[j * (1 + dim) * n + q];
              *bend        = geometry->shape_value(node, points[q]);
              for (unsigned int d = 0; d < dim; ++d)
                *(bend += n) = slope[d];
            }
        return rule;
      }

      std::size_t
      n_bends() const
      {
        return geometry_nodes.size() - dim - 1;
      }

      void
      add_cell(const std::vector<Point<dim>> &nodes)
      {
        Point<dim> middle;
        for (const Point<dim> &node : nodes)
          middle += Tensor<1, dim>(node) / double(nodes.size());
        double radius = 0;
        for (const Point<dim> &node : nodes)
          radius = std::max(radius, node.distance(middle));

        const Tensor<1, dim> origin = nodes[0];
        coefficients.push_back(origin);
        for (unsigned int d = 0; d < dim; ++d)
          coefficients.push_back(nodes[geometry_nodes[1 + d]] - origin);
        bool is_affine = true;
        first_bends.push_back(bends.size());
        for (unsigned int j = 1 + dim; j < nodes.size(); ++j)
          {
            const unsigned int node = geometry_nodes[j];
            Tensor<1, dim>     bend = nodes[node] - origin;
            for (unsigned int d = 0; d < dim; ++d)
              bend -= geometry->unit_support_point(node)[d] *
                      *(coefficients.end() - dim + d);
            is_affine =
              is_affine && bend.norm() < 1e-13 * radius + 1e-15 * origin.norm();
            bends.push_back(bend);
          }
        if (is_affine)
          {
            bends.resize(first_bends.back());
            first_bends.back() = no_bends;
          }

        const double near_radius = std::sqrt(limits[0]) * radius;
        for (unsigned int d = 0; d < dim; ++d)
          {
            middles[d].push_back(middle[d]);
            lower[d] = std::min(lower[d], middle[d] - near_radius);
            upper[d] = std::max(upper[d], middle[d] + near_radius);
          }
        radii.push_back(radius);
      }

      // The place of a point on the reference cell, by Newton's method. Returns
      // whether the point is in the cell.
      bool
      find_unit_point(const std::size_t cell,
                      const Point<dim> &x,
                      Point<dim>       &xi) const
      {
        const Tensor<1, dim> *const c = &coefficients[cell * (1 + dim)];
        for (unsigned int d = 0; d < dim; ++d)
          xi[d] = 1. / (dim + 1);
        for (unsigned int step = 0; step < 20; ++step)
          {
            Tensor<1, dim> residual = x - c[0];
            Tensor<2, dim> jacobian;
            for (unsigned int d = 0; d < dim; ++d)
              {
                residual -= xi[d] * c[1 + d];
                for (unsigned int e = 0; e < dim; ++e)
                  jacobian[e][d] = c[1 + d][e];
              }
            if (first_bends[cell] != no_bends)
              for (std::size_t j = 0; j < n_bends(); ++j)
                {
                  const unsigned int    node = geometry_nodes[1 + dim + j];
                  const Tensor<1, dim> &bend = bends[first_bends[cell] + j];
                  residual -= geometry->shape_value(node, xi) * bend;
                  jacobian +=
                    outer_product(bend, geometry->shape_grad(node, xi));
                }
            if (residual.norm() < point_tolerance * radii[cell])
              return element->reference_cell().contains_point(
                xi, 10 * point_tolerance);
            xi += invert(jacobian) * residual;
            // Far outside, there is nothing to be found.
            if (!(xi.norm() < 4))
              return false;
          }
        return false;
      }

      // A rule that is not tabulated is put into the last argument.
      const ReferenceRule &
      choose_rule(const std::size_t cell,
                  const Point<dim> &centre,
                  const double      distance_2,
                  const double      wave_number,
                  ReferenceRule    &other) const
      {
        // Curved cells may reach a bit beyond their radius.
        const double radius_2 = radii[cell] * radii[cell];
        Point<dim>   apex;
        if (distance_2 < 1.1 * radius_2 && find_unit_point(cell, centre, apex))
          {
            for (std::size_t a = 0; a < apexes.size(); ++a)
              if (apexes[a].distance(apex) < 10 * point_tolerance)
                return cone_rules[a];
            other =
              tabulate(singular_quadrature(element->reference_cell(), apex),
                       first_bends[cell] != no_bends);
            return other;
          }

        const double n_waves = 2 + wave_number * radii[cell] / 2;
        std::size_t  i       = 0;
        while (i + 1 < gauss_rules.size() &&
               (distance_2 < limits[i + 1] * radius_2 ||
                n_standard + 1 + i < n_waves))
          ++i;
        return gauss_rules[i];
      }

      void
      correct_cell(const std::size_t       cell,
                   const ReferenceRule    &accurate,
                   const QuadratureRule   &standard,
                   const SingularFunction &function,
                   double                 *action,
                   const std::size_t       stride) const
      {
        // The points of both rules, the accurate one's first, so that one call
        // gives all values. The memory stays for the next cell.
        const std::size_t n     = accurate.weights.size();
        const std::size_t n_own = standard.n_points() / radii.size();
        const std::size_t n_all = n + n_own;
        thread_local std::vector<double> memory;
        memory.resize(std::max(memory.size(), (dim + 2) * n_all + n_shapes));
        double *x[dim], *const values = &memory[dim * n_all],
                               *const weights = values + n_all,
                               *const sums    = weights + n_all;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] = &memory[d * n_all];

        map_points(cell, accurate, x, weights);
        const double *point = &standard.points[cell * n_own * dim];
        for (std::size_t q = n; q < n_all; ++q)
          for (unsigned int d = 0; d < dim; ++d)
            x[d][q] = *point++;
        function.evaluate(n_all, x, values);

        for (std::size_t q = 0; q < n; ++q)
          weights[q] *= values[q];
        for (unsigned int k = 0; k < n_shapes; ++k)
          {
            const double *const shape        = &accurate.shapes[k * n];
            double              parts[width] = {};
            for (std::size_t q = 0; q < n; q += width)
              for (std::size_t l = 0; l < width; ++l)
                parts[l] += shape[q + l] * weights[q + l];
            sums[k] = std::accumulate(parts, parts + width, 0.);
          }
        const std::size_t   first = standard.column_starts[cell * n_own];
        const double *const b     = &standard.values[first];
        for (std::size_t q = 0; q < n_own; ++q)
          for (unsigned int k = 0; k < n_shapes; ++k)
            sums[k] -= b[q * n_shapes + k] * values[n + q];
        for (unsigned int k = 0; k < n_shapes; ++k)
          action[standard.rows[first + k] * stride] += sums[k];
      }

      // The points of a rule on the cell, and their weights there.
      void
      map_points(const std::size_t    cell,
                 const ReferenceRule &rule,
                 double *const       *x,
                 double              *weights) const
      {
        const std::size_t           n = rule.weights.size();
        const Tensor<1, dim> *const c = &coefficients[cell * (1 + dim)];
        Tensor<2, dim>              linear;
        for (unsigned int d = 0; d < dim; ++d)
          {
            linear[d] = c[1 + d];
            for (std::size_t q = 0; q < n; ++q)
              {
                double sum = c[0][d];
                for (unsigned int e = 0; e < dim; ++e)
                  sum += c[1 + e][d] * rule.points[e][q];
                x[d][q] = sum;
              }
          }
        if (first_bends[cell] == no_bends)
          {
            const double volume = std::abs(determinant(linear));
            for (std::size_t q = 0; q < n; ++q)
              weights[q] = volume * rule.weights[q];
            return;
          }

        for (std::size_t q = 0; q < n; q += width)
          {
            double y[dim][width] = {}, jacobian[dim][dim][width];
            for (unsigned int e = 0; e < dim; ++e)
              for (unsigned int d = 0; d < dim; ++d)
                std::fill_n(jacobian[e][d], width, linear[e][d]);
            const double *bend = &rule.bends[q];
            for (std::size_t j = 0; j < n_bends(); ++j, bend += n)
              {
                const Tensor<1, dim> &b = bends[first_bends[cell] + j];
                for (unsigned int d = 0; d < dim; ++d)
                  for (std::size_t l = 0; l < width; ++l)
                    y[d][l] += b[d] * bend[l];
                for (unsigned int e = 0; e < dim; ++e)
                  {
                    bend += n;
                    for (unsigned int d = 0; d < dim; ++d)
                      for (std::size_t l = 0; l < width; ++l)
                        jacobian[e][d][l] += b[d] * bend[l];
                  }
              }
            for (std::size_t l = 0; l < width; ++l)
              {
                Tensor<2, dim> matrix;
                for (unsigned int e = 0; e < dim; ++e)
                  {
                    x[e][q + l] += y[e][l];
                    for (unsigned int d = 0; d < dim; ++d)
                      matrix[e][d] = jacobian[e][d][l];
                  }
                weights[q + l] =
                  std::abs(determinant(matrix)) * rule.weights[q + l];
              }
          }
      }

      std::unique_ptr<FiniteElement<dim>> element, geometry;
      unsigned int                        n_shapes;
      unsigned int                        n_standard;

      // The nodes of the geometry that belong to a_0, a_1, ... and b_0, ...
      std::vector<unsigned int> geometry_nodes;

      // The rules with n_standard + 1, n_standard + 2, ... Gauss points per
      // direction, and the square of z from which on each is good enough; the
      // first of these numbers belongs to the standard rule.
      std::vector<ReferenceRule> gauss_rules;
      std::vector<double>        limits;

      // The vertices and nodes of the reference cell, with a rule for each.
      std::vector<Point<dim>>    apexes;
      std::vector<ReferenceRule> cone_rules;

      // The a_i of all cells, the b_j of those where they do not vanish, and
      // where a cell's b_j begin.
      static constexpr std::size_t no_bends = -1;
      std::vector<Tensor<1, dim>>  coefficients, bends;
      std::vector<std::size_t>     first_bends;

      // The middle of each cell, and its radius: in arrays, as they are read
      // for every function.
      std::array<std::vector<double>, dim> middles;
      std::vector<double>                  radii;

      // A box around all near fields, for a quick exit.
      Point<dim> lower, upper;
    };
  } // namespace


  template <int dim>
  std::shared_ptr<const NearField>
  make_near_field(const Mapping<dim>    &mapping,
                  const DoFHandler<dim> &dof_handler,
                  const unsigned int     n_standard,
                  const double           tolerance)
  {
    return std::make_shared<CellNearField<dim>>(mapping,
                                                dof_handler,
                                                n_standard,
                                                tolerance);
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(make_near_field<dim>) make_near_field<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
