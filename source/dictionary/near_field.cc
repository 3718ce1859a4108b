#include <evergreen/base/error.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/dictionary/simd.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  namespace
  {
    constexpr double pi = 3.14159265358979323846;

    /** Centres this close to a node, relative to the cell's radius, are it. */
    constexpr double node_tolerance = 1e-10;


    /**
     * How many Gauss points a cone rule has along the cone, and in each
     * direction of a face for an apex that is a vertex and for other nodes,
     * which are closer to their faces; and the exponent of \f$t=\tau^p\f$.
     * In 2D, \f$t\log t\f$ has to be tamed; the atoms of 1D and 3D are
     * analytic along the cone once the Jacobian is there, and a substitution
     * would only waste points.
     */
    struct ConeParameters
    {
      unsigned int n_along;
      unsigned int n_face_vertex;
      unsigned int n_face_node;
      unsigned int exponent;
    };

    constexpr ConeParameters cone_parameters[4] = {{0, 0, 0, 0},
                                                   {10, 1, 1, 1},
                                                   {12, 10, 12, 3},
                                                   {8, 8, 12, 1}};


    /** Points of a reference cell, one after the other, and weights. */
    struct WeightedPoints
    {
      std::vector<double> points;
      std::vector<double> weights;
    };


    /** The Gauss-Legendre rule with @p n points on [0, 1]. */
    WeightedPoints
    gauss(const unsigned int n)
    {
      WeightedPoints rule;
      for (unsigned int i = 0; i < n; ++i)
        {
          // Newton's method for the zeros of the Legendre polynomial P_n.
          double x = std::cos(pi * (i + 0.75) / (n + 0.5)), derivative = 1;
          for (unsigned int step = 0; step < 10; ++step)
            {
              double p = x, previous = 1;
              for (unsigned int k = 2; k <= n; ++k)
                {
                  const double next =
                    ((2 * k - 1) * x * p - (k - 1) * previous) / k;
                  previous = p;
                  p        = next;
                }
              derivative = n * (x * p - previous) / (x * x - 1);
              x -= p / derivative;
            }
          rule.points.push_back((1 + x) / 2);
          rule.weights.push_back(1 / ((1 - x * x) * derivative * derivative));
        }
      return rule;
    }


    WeightedPoints
    gauss_points(unsigned int dim, bool is_simplex, unsigned int n);


    /**
     * A rule on the reference cell for functions that are singular at the
     * @p apex. Face f of the cell is the image of the reference cell of one
     * dimension less, and a point of the cone over it is
     * \f$\xi=a+t(z-a)\f$ with z on the face; the Jacobian is
     * \f$t^{d-1}\f$ times the height of the cone.
     */
    WeightedPoints
    cone_points(const unsigned int dim,
                const bool         is_simplex,
                const double      *apex,
                const unsigned int n_along,
                const unsigned int n_face,
                const unsigned int exponent)
    {
      const WeightedPoints along   = gauss(n_along);
      const WeightedPoints on_face = gauss_points(dim - 1, is_simplex, n_face);

      WeightedPoints rule;
      const auto     add_cone = [&](const double height, const auto &place) {
        // The apex is in the plane of this face.
        if (height < 1e-12)
          return;
        for (std::size_t f = 0; f < on_face.weights.size(); ++f)
          {
            double z[3] = {};
            place(on_face.points.data() + f * (dim - 1), z);
            for (unsigned int i = 0; i < n_along; ++i)
              {
                const double tau = along.points[i], t = std::pow(tau, exponent);
                for (unsigned int d = 0; d < dim; ++d)
                  rule.points.push_back(apex[d] + t * (z[d] - apex[d]));
                rule.weights.push_back(height * on_face.weights[f] *
                                       std::pow(t, dim - 1) * exponent * t /
                                       tau * along.weights[i]);
              }
          }
      };

      // The faces on which coordinate e is 0 or, of the hypercube, 1.
      for (unsigned int e = 0; e < dim; ++e)
        for (unsigned int side = 0; side < (is_simplex ? 1u : 2u); ++side)
          add_cone(std::abs(side - apex[e]), [&](const double *u, double *z) {
            for (unsigned int d = 0; d < dim; ++d)
              z[d] = d == e ? side : *u++;
          });

      // The face of the simplex on which the coordinates add up to 1.
      double rest = 1;
      for (unsigned int d = 0; d < dim; ++d)
        rest -= apex[d];
      if (is_simplex)
        add_cone(rest, [&](const double *u, double *z) {
          z[0] = 1;
          for (unsigned int d = 1; d < dim; ++d)
            z[0] -= z[d] = u[d - 1];
        });
      return rule;
    }


    /**
     * A rule with @p n points per direction for smooth functions: tensor
     * products on the hypercube, cones from vertex 0 on the simplex. There, one
     * point more along the cone makes up for the degree of the Jacobian.
     */
    WeightedPoints
    gauss_points(const unsigned int dim,
                 const bool         is_simplex,
                 const unsigned int n)
    {
      if (dim == 0)
        return {{}, {1.}};
      if (is_simplex)
        {
          const double origin[3] = {};
          return cone_points(dim, true, origin, n + (dim > 1 ? 1 : 0), n, 1);
        }

      const WeightedPoints line  = gauss(n);
      const WeightedPoints plane = gauss_points(dim - 1, false, n);
      WeightedPoints       rule;
      for (std::size_t f = 0; f < plane.weights.size(); ++f)
        for (unsigned int i = 0; i < n; ++i)
          {
            rule.points.insert(rule.points.end(),
                               plane.points.begin() + f * (dim - 1),
                               plane.points.begin() + (f + 1) * (dim - 1));
            rule.points.push_back(line.points[i]);
            rule.weights.push_back(plane.weights[f] * line.weights[i]);
          }
      return rule;
    }


    /** The monomial \f$\xi^m\f$, of degree at most one in each variable. */
    double
    monomial(const unsigned int m, const double *xi)
    {
      double value = 1;
      for (unsigned int e = 0; m >> e != 0; ++e)
        if (m >> e & 1)
          value *= xi[e];
      return value;
    }


    /** Whether this is a monomial of a single variable, or constant. */
    bool
    is_linear(const unsigned int m)
    {
      return (m & (m - 1)) == 0;
    }


    unsigned int
    n_vertices(const unsigned int dim, const bool is_simplex)
    {
      return is_simplex ? dim + 1 : 1u << dim;
    }


    /** The vertices of the reference cell, then those nodes that are none. */
    std::vector<double>
    apex_points(const unsigned int         dim,
                const bool                 is_simplex,
                const std::vector<double> &nodes)
    {
      std::vector<double> apexes;
      for (unsigned int v = 0; v < n_vertices(dim, is_simplex); ++v)
        for (unsigned int d = 0; d < dim; ++d)
          apexes.push_back(is_simplex ? d + 1 == v : v >> d & 1);
      for (auto node = nodes.begin(); node != nodes.end(); node += dim)
        {
          bool is_new = true;
          for (auto a = apexes.begin(); a != apexes.end() && is_new; a += dim)
            is_new = !std::equal(a, a + dim, node, [](double x, double y) {
              return std::abs(x - y) < node_tolerance;
            });
          if (is_new)
            apexes.insert(apexes.end(), node, node + dim);
        }
      return apexes;
    }


    /** Adds points that do not count, as the vector kernels want full packs. */
    void
    pad(const unsigned int dim, WeightedPoints &rule)
    {
      rule.weights.resize(Simd::padded(rule.weights.size()), 0.);
      rule.points.resize(rule.weights.size() * dim, 0.5);
    }


    /**
     * The coefficients of the map in terms of monomials, from its values at
     * the vertices: on the hypercube by one difference per direction.
     */
    std::vector<double>
    map_coefficients(const unsigned int dim,
                     const bool         is_simplex,
                     const double      *vertices)
    {
      std::vector<double> c((1u << dim) * dim, 0.);
      for (unsigned int v = 0; v < n_vertices(dim, is_simplex); ++v)
        {
          const unsigned int m = !is_simplex ? v : v == 0 ? 0 : 1u << (v - 1);
          std::copy_n(vertices + v * dim, dim, c.begin() + m * dim);
        }
      for (unsigned int e = 0; e < dim; ++e)
        for (unsigned int m = 0; m < 1u << dim; ++m)
          if ((m >> e & 1) && (!is_simplex || is_linear(m)))
            for (unsigned int d = 0; d < dim; ++d)
              c[m * dim + d] -= c[(m ^ 1u << e) * dim + d];
      return c;
    }


    /**
     * The absolute determinants of @p n matrices; entry i of matrix q is
     * <tt>j[i n + q]</tt>.
     */
    void
    absolute_determinants(const unsigned int dim,
                          const std::size_t  n,
                          const double      *j,
                          double            *result)
    {
      for (std::size_t q = 0; q < n; ++q)
        {
          const auto minor = [&](const unsigned int a, const unsigned int b) {
            return j[(dim + a) * n + q] * j[(2 * dim + b) * n + q] -
                   j[(dim + b) * n + q] * j[(2 * dim + a) * n + q];
          };
          result[q] =
            std::abs(dim == 1   ? j[q]
                     : dim == 2 ? j[q] * j[3 * n + q] - j[n + q] * j[2 * n + q]
                                : j[q] * minor(1, 2) - j[n + q] * minor(0, 2) +
                                    j[2 * n + q] * minor(0, 1));
        }
    }
  } // namespace


  NearField::NearField(
    const unsigned int dimension,
    const bool         simplex,
    const unsigned int n_shape_functions,
    const std::function<double(unsigned int, const double *)> &shape_value,
    const std::vector<double>                                 &unit_nodes,
    const unsigned int n_standard_points,
    const double       tolerance)
    : dim(dimension)
    , is_simplex(simplex)
    , n_shapes(n_shape_functions)
    , n_standard(n_standard_points)
  {
    if (dim < 1 || dim > 3)
      throw Error("Near fields exist in 1, 2 or 3 dimensions, not in ",
                  dim,
                  ".");
    if (unit_nodes.size() % dim != 0)
      throw Error("The near field got ",
                  unit_nodes.size(),
                  " coordinates of nodes in ",
                  dim,
                  " dimensions.");
    if (n_standard == 0 || !(tolerance > 0 && tolerance < 1))
      throw Error("A near field for ",
                  n_standard,
                  " Gauss points per direction and the tolerance ",
                  tolerance,
                  " is impossible: take a point or more, and a number "
                  "between 0 and 1.");
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());

    const auto tabulate = [&](WeightedPoints points) {
      pad(dim, points);
      ReferenceRule rule;
      rule.n_points = points.weights.size();
      rule.weights  = points.weights;
      for (unsigned int m = 0; m < 1u << dim; ++m)
        for (std::size_t q = 0; q < rule.n_points; ++q)
          rule.monomials.push_back(monomial(m, &points.points[q * dim]));
      for (unsigned int k = 0; k < n_shapes; ++k)
        for (std::size_t q = 0; q < rule.n_points; ++q)
          rule.shapes.push_back(shape_value(k, &points.points[q * dim]));
      return rule;
    };

    const unsigned int n_max = std::max(max_gauss_points, n_standard + 1);
    for (unsigned int n = n_standard; n < n_max; ++n)
      {
        const double rho = std::pow(tolerance, -1. / (2 * n));
        limits.push_back(std::pow((rho + 1 / rho) / 2, 2));
        gauss_rules.push_back(tabulate(gauss_points(dim, is_simplex, n + 1)));
      }

    apexes                     = apex_points(dim, is_simplex, unit_nodes);
    const ConeParameters &cone = cone_parameters[dim];
    for (std::size_t a = 0; a < apexes.size() / dim; ++a)
      cone_rules.push_back(tabulate(cone_points(dim,
                                                is_simplex,
                                                &apexes[a * dim],
                                                cone.n_along,
                                                a < n_vertices(dim, is_simplex)
                                                  ? cone.n_face_vertex
                                                  : cone.n_face_node,
                                                cone.exponent)));
  }


  void
  NearField::add_cell(const double       *vertices,
                      const unsigned int *cell_rows,
                      const std::size_t   first_point,
                      const std::size_t   n_points)
  {
    const unsigned int    n      = n_vertices(dim, is_simplex);
    std::array<double, 3> middle = {};
    for (unsigned int v = 0; v < n; ++v)
      for (unsigned int d = 0; d < dim; ++d)
        middle[d] += vertices[v * dim + d] / n;
    double radius = 0;
    for (unsigned int v = 0; v < n; ++v)
      {
        double squares = 0;
        for (unsigned int d = 0; d < dim; ++d)
          squares += std::pow(vertices[v * dim + d] - middle[d], 2);
        radius = std::max(radius, std::sqrt(squares));
      }

    const auto c      = map_coefficients(dim, is_simplex, vertices);
    bool       affine = true;
    for (unsigned int m = 0; m < 1u << dim; ++m)
      for (unsigned int d = 0; d < dim; ++d)
        affine =
          affine && (is_linear(m) || std::abs(c[m * dim + d]) < 1e-13 * radius);

    coefficients.insert(coefficients.end(), c.begin(), c.end());
    is_affine.push_back(affine);
    const double near_radius = std::sqrt(limits[0]) * radius;
    for (unsigned int d = 0; d < 3; ++d)
      {
        middles[d].push_back(middle[d]);
        lower[d] = std::min(lower[d], middle[d] - near_radius);
        upper[d] = std::max(upper[d], middle[d] + near_radius);
      }
    radii.push_back(radius);
    near_radii_2.push_back(near_radius * near_radius);
    rows.insert(rows.end(), cell_rows, cell_rows + n_shapes);
    first_points.push_back(first_point);
    point_counts.push_back(n_points);
  }


  void
  NearField::renumber_rows(const std::vector<unsigned int> &new_numbers)
  {
    for (unsigned int &row : rows)
      row = new_numbers[row];
  }


  std::size_t
  NearField::n_cells() const
  {
    return radii.size();
  }


  void
  NearField::correct(const QuadratureRule &rule,
                     const RadialFunction  function,
                     const double          kappa,
                     const double         *centre,
                     double               *action,
                     const std::size_t     stride,
                     const double          factor) const
  {
    double c[3] = {};
    for (unsigned int d = 0; d < dim; ++d)
      {
        c[d] = centre[d];
        if (!(c[d] >= lower[d] && c[d] <= upper[d]))
          return;
      }

    const Atom atom = {function, kappa, c, factor};
    for (std::size_t cell = 0; cell < n_cells(); ++cell)
      {
        const double x          = middles[0][cell] - c[0];
        const double y          = middles[1][cell] - c[1];
        const double z          = middles[2][cell] - c[2];
        const double distance_2 = x * x + y * y + z * z;
        if (distance_2 < near_radii_2[cell])
          correct_cell(cell,
                       choose_rule(cell, atom, distance_2),
                       rule,
                       atom,
                       action,
                       stride);
      }
  }


  const NearField::ReferenceRule &
  NearField::choose_rule(const std::size_t cell,
                         const Atom       &atom,
                         const double      distance_2) const
  {
    const double  radius   = radii[cell];
    const double  radius_2 = radius * radius;
    const double *c        = &coefficients[(cell << dim) * dim];

    // No node is farther from the middle than the radius.
    if (distance_2 < (1 + 1e-6) * radius_2)
      for (std::size_t a = 0; a < cone_rules.size(); ++a)
        {
          double squares = 0;
          for (unsigned int d = 0; d < dim; ++d)
            {
              double difference = -atom.centre[d];
              for (unsigned int m = 0; m < 1u << dim; ++m)
                difference += c[m * dim + d] * monomial(m, &apexes[a * dim]);
              squares += difference * difference;
            }
          if (squares < node_tolerance * node_tolerance * radius_2)
            return cone_rules[a];
        }

    // Waves need points to be resolved, too.
    const double wave =
      has_wave_number(atom.function) ? 2 + atom.kappa * radius / 2 : 0.;
    std::size_t i = 0;
    while (i + 1 < gauss_rules.size() &&
           (distance_2 < limits[i + 1] * radius_2 || n_standard + 1 + i < wave))
      ++i;
    return gauss_rules[i];
  }


  void
  NearField::correct_cell(const std::size_t     cell,
                          const ReferenceRule  &accurate,
                          const QuadratureRule &standard,
                          const Atom           &atom,
                          double               *action,
                          const std::size_t     stride) const
  {
    // The points of both rules, the accurate one's first, so that one call
    // gives all values. The memory stays for the next cell.
    const std::size_t                n     = accurate.n_points;
    const std::size_t                n_all = n + point_counts[cell];
    thread_local std::vector<double> memory;
    if (memory.size() < 5 * n_all + n_shapes)
      memory.resize(5 * n_all + n_shapes);
    double *const values = memory.data(), *const measures = values + n_all;
    double *const x[3] = {values + 2 * n_all,
                          values + 3 * n_all,
                          values + 4 * n_all};
    double *const sums = values + 5 * n_all;

    map_points(cell, accurate, x);
    const double *point = &standard.points[first_points[cell] * dim];
    for (std::size_t q = n; q < n_all; ++q)
      for (unsigned int d = 0; d < dim; ++d)
        x[d][q] = *point++;
    radial_values(
      atom.function, atom.kappa, dim, atom.centre, n_all, x, values);

    volume_elements(cell, accurate, measures);
    for (std::size_t q = 0; q < n; ++q)
      measures[q] *= atom.factor * accurate.weights[q] * values[q];
    Simd::loops().correlate(
      n, accurate.shapes.data(), n, n_shapes, &measures, 1, sums);
    for (unsigned int k = 0; k < n_shapes; ++k)
      action[rows[cell * n_shapes + k] * stride] += sums[k];

    const std::size_t *starts = &standard.column_starts[first_points[cell]];
    for (std::size_t q = n; q < n_all; ++q, ++starts)
      for (std::size_t k = starts[0]; k < starts[1]; ++k)
        action[standard.rows[k] * stride] -=
          atom.factor * standard.values[k] * values[q];
  }


  void
  NearField::map_points(const std::size_t    cell,
                        const ReferenceRule &rule,
                        double *const       *x) const
  {
    const std::size_t   n = rule.n_points;
    const double *const c = &coefficients[(cell << dim) * dim];
    for (unsigned int d = 0; d < dim; ++d)
      {
        std::fill_n(x[d], n, c[d]);
        for (unsigned int m = 1; m < 1u << dim; ++m)
          if (!is_affine[cell] || is_linear(m))
            Simd::loops().add(n, c[m * dim + d], &rule.monomials[m * n], x[d]);
      }
  }


  void
  NearField::volume_elements(const std::size_t    cell,
                             const ReferenceRule &rule,
                             double              *result) const
  {
    // Linear monomials give the constant part of the Jacobian.
    const std::size_t   n = rule.n_points;
    const double *const c = &coefficients[(cell << dim) * dim];
    if (is_affine[cell])
      {
        double jacobian[9];
        for (unsigned int e = 0; e < dim; ++e)
          std::copy_n(c + (1u << e) * dim, dim, jacobian + e * dim);
        absolute_determinants(dim, 1, jacobian, result);
        std::fill_n(result + 1, n - 1, result[0]);
        return;
      }

    thread_local std::vector<double> jacobians;
    jacobians.resize(dim * dim * n);
    for (unsigned int e = 0; e < dim; ++e)
      for (unsigned int d = 0; d < dim; ++d)
        {
          double *const entry = &jacobians[(e * dim + d) * n];
          std::fill_n(entry, n, c[(1u << e) * dim + d]);
          for (unsigned int m = 1; m < 1u << dim; ++m)
            if (!is_linear(m) && (m >> e & 1))
              Simd::loops().add(n,
                                c[m * dim + d],
                                &rule.monomials[(m ^ 1u << e) * n],
                                entry);
        }
    absolute_determinants(dim, n, jacobians.data(), result);
  }
} // namespace Evergreen
