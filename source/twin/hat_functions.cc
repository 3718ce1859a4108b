#include <evergreen/base/error.h>
#include <evergreen/twin/hat_functions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace Evergreen
{
  namespace
  {
    // The corners of the unit cube in VTK's order; those of the square and the
    // interval are its first ones.
    constexpr double corners[8][3] = {{0, 0, 0},
                                      {1, 0, 0},
                                      {1, 1, 0},
                                      {0, 1, 0},
                                      {0, 0, 1},
                                      {1, 0, 1},
                                      {1, 1, 1},
                                      {0, 1, 1}};

    // A point this far outside of a cell, in units of the cell, is in it.
    constexpr double tolerance = 1e-9;


    /** Solves a system of up to three equations by Cramer's rule. */
    bool
    solve_small(const unsigned int dim,
                const double (&a)[3][3],
                const double *b,
                double       *x)
    {
      const auto determinant = [dim](const double(&m)[3][3]) {
        switch (dim)
          {
            case 1:
              return m[0][0];
            case 2:
              return m[0][0] * m[1][1] - m[0][1] * m[1][0];
            default:
              return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
          }
      };
      const double all = determinant(a);
      for (unsigned int c = 0; c < dim; ++c)
        {
          double replaced[3][3];
          for (unsigned int i = 0; i < dim; ++i)
            for (unsigned int j = 0; j < dim; ++j)
              replaced[i][j] = (j == c ? b[i] : a[i][j]);
          x[c] = determinant(replaced) / all;
        }
      return std::abs(all) > 0 && std::isfinite(x[0]);
    }
  } // namespace


  HatFunctions::HatFunctions(const MeshData &mesh)
    : mesh_(mesh)
    , n_vertices_(mesh.vertices_per_cell())
    , is_simplex_(n_vertices_ == mesh.dim + 1)
  {
    if (mesh.degree != 1 || !mesh.is_complete)
      throw Error(
        "The mesh of a twin has to have elements of degree 1, "
        "straight cells and no hanging nodes: give it a coarser mesh "
        "of its own.");
    fill_boxes();
  }


  void
  HatFunctions::fill_boxes()
  {
    const unsigned int    dim = mesh_.dim;
    std::array<double, 3> upper;
    double                volume = 1;
    for (unsigned int d = 0; d < dim; ++d)
      {
        lower_[d] = upper[d] = mesh_.points[d];
        for (std::size_t i = d; i < mesh_.points.size(); i += dim)
          {
            lower_[d] = std::min(lower_[d], mesh_.points[i]);
            upper[d]  = std::max(upper[d], mesh_.points[i]);
          }
        volume *= upper[d] - lower_[d];
      }
    // About as many boxes as cells.
    const double size = std::pow(volume / mesh_.n_cells(), 1. / dim);
    std::size_t  n    = 1;
    n_boxes_.fill(1);
    for (unsigned int d = 0; d < dim; ++d)
      {
        n_boxes_[d] = std::max(1., std::ceil((upper[d] - lower_[d]) / size));
        width_[d]   = (upper[d] - lower_[d]) / n_boxes_[d];
        n *= n_boxes_[d];
      }
    cells_of_box_.resize(n);
    for (std::size_t c = 0; c < mesh_.n_cells(); ++c)
      {
        std::array<std::size_t, 3> first = {{0, 0, 0}}, last = first;
        for (unsigned int d = 0; d < dim; ++d)
          {
            double low  = std::numeric_limits<double>::max();
            double high = -low;
            for (unsigned int v = 0; v < n_vertices_; ++v)
              {
                const double x =
                  mesh_.points[mesh_.cells[c * n_vertices_ + v] * dim + d];
                low  = std::min(low, x);
                high = std::max(high, x);
              }
            bounds_.push_back(low - 1e-6 * width_[d]);
            bounds_.push_back(high + 1e-6 * width_[d]);
            first[d] = box_of(d, bounds_.end()[-2]);
            last[d]  = box_of(d, bounds_.back());
          }
        for (std::size_t z = first[2]; z <= last[2]; ++z)
          for (std::size_t y = first[1]; y <= last[1]; ++y)
            for (std::size_t x = first[0]; x <= last[0]; ++x)
              cells_of_box_[(z * n_boxes_[1] + y) * n_boxes_[0] + x].push_back(
                c);
      }
  }


  std::size_t
  HatFunctions::box_of(const unsigned int d, const double coordinate) const
  {
    const double box = (coordinate - lower_[d]) / width_[d];
    return std::min<std::size_t>(n_boxes_[d] - 1, std::max(0., box));
  }


  bool
  HatFunctions::is_in_bounds(const std::size_t cell, const double *point) const
  {
    for (unsigned int d = 0; d < mesh_.dim; ++d)
      {
        const double *const bounds = &bounds_[(cell * mesh_.dim + d) * 2];
        if (point[d] < bounds[0] || point[d] > bounds[1])
          return false;
      }
    return true;
  }


  void
  HatFunctions::shape_values(const double *reference, double *values) const
  {
    if (is_simplex_)
      {
        values[0] = 1;
        for (unsigned int d = 0; d < mesh_.dim; ++d)
          {
            values[d + 1] = reference[d];
            values[0] -= reference[d];
          }
        return;
      }
    for (unsigned int v = 0; v < n_vertices_; ++v)
      {
        values[v] = 1;
        for (unsigned int d = 0; d < mesh_.dim; ++d)
          values[v] *= corners[v][d] > 0 ? reference[d] : 1 - reference[d];
      }
  }


  /**
   * Where a point of the reference cell is, and the determinant of the map's
   * derivative there.
   */
  double
  HatFunctions::map(const std::size_t cell,
                    const double     *reference,
                    double           *point) const
  {
    const unsigned int dim = mesh_.dim;
    double             values[8];
    shape_values(reference, values);
    std::fill_n(point, dim, 0.);
    for (unsigned int v = 0; v < n_vertices_; ++v)
      for (unsigned int d = 0; d < dim; ++d)
        point[d] += values[v] *
                    mesh_.points[mesh_.cells[cell * n_vertices_ + v] * dim + d];
    // The functions are linear in each direction: a step of one is exact.
    double derivative[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (unsigned int c = 0; c < dim; ++c)
      {
        double step[3], shifted[8];
        std::copy_n(reference, dim, step);
        step[c] += 1;
        shape_values(step, shifted);
        for (unsigned int d = 0; d < dim; ++d)
          {
            derivative[d][c] = 0;
            for (unsigned int v = 0; v < n_vertices_; ++v)
              derivative[d][c] +=
                (shifted[v] - values[v]) *
                mesh_.points[mesh_.cells[cell * n_vertices_ + v] * dim + d];
          }
      }
    const auto &m = derivative;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }


  /**
   * Newton's method for the place of a point on the reference cell, which ends
   * after one step on simplices; returns how far outside it is.
   */
  double
  HatFunctions::locate(const std::size_t cell,
                       const double     *point,
                       double           *reference) const
  {
    const unsigned int dim = mesh_.dim;
    std::fill_n(reference, dim, is_simplex_ ? 0. : 0.5);
    for (unsigned int iteration = 0; iteration < 20; ++iteration)
      {
        double here[3], residual[3], derivative[3][3], step[3] = {};
        map(cell, reference, here);
        for (unsigned int d = 0; d < dim; ++d)
          residual[d] = point[d] - here[d];
        for (unsigned int c = 0; c < dim; ++c)
          {
            double moved[3], there[3];
            std::copy_n(reference, dim, moved);
            moved[c] += 1;
            map(cell, moved, there);
            for (unsigned int d = 0; d < dim; ++d)
              derivative[d][c] = there[d] - here[d];
          }
        if (!solve_small(dim, derivative, residual, step))
          break;
        double length = 0;
        for (unsigned int d = 0; d < dim; ++d)
          {
            reference[d] += step[d];
            length = std::max(length, std::abs(step[d]));
          }
        if (length > 1e3)
          break;
        if (length < 1e-13 || is_simplex_)
          {
            double outside = 0, values[8];
            shape_values(reference, values);
            if (is_simplex_)
              for (unsigned int v = 0; v < n_vertices_; ++v)
                outside = std::max(outside, -values[v]);
            else
              for (unsigned int d = 0; d < dim; ++d)
                outside = std::max({outside, -reference[d], reference[d] - 1.});
            return outside;
          }
      }
    return std::numeric_limits<double>::max();
  }


  HatFunctions::Weights
  HatFunctions::at(const double *point) const
  {
    const unsigned int         dim    = mesh_.dim;
    std::array<std::size_t, 3> centre = {{0, 0, 0}}, first, last;
    for (unsigned int d = 0; d < dim; ++d)
      centre[d] = box_of(d, point[d]);
    const std::size_t n_rings =
      *std::max_element(n_boxes_.begin(), n_boxes_.end());
    double      nearest = std::numeric_limits<double>::max();
    double      best[3], reference[3];
    std::size_t found     = 0;
    const auto  try_cells = [&](const std::size_t ring, const bool in_bounds) {
      for (unsigned int d = 0; d < 3; ++d)
        {
          first[d] = centre[d] - std::min(centre[d], ring);
          last[d]  = std::min(n_boxes_[d] - 1, centre[d] + ring);
        }
      for (std::size_t z = first[2]; z <= last[2]; ++z)
        for (std::size_t y = first[1]; y <= last[1]; ++y)
          for (std::size_t x = first[0]; x <= last[0]; ++x)
            for (const auto cell :
                 cells_of_box_[(z * n_boxes_[1] + y) * n_boxes_[0] + x])
              if (nearest > tolerance &&
                  (!in_bounds || is_in_bounds(cell, point)))
                if (const double outside = locate(cell, point, reference);
                    outside < nearest)
                  {
                    nearest = outside;
                    found   = cell;
                    std::copy_n(reference, dim, best);
                  }
    };
    // Cells further away are asked only if no cell has the point.
    try_cells(0, true);
    bool is_last = nearest <= tolerance;
    for (std::size_t ring = 0; ring < n_rings && !is_last; ++ring)
      {
        is_last = ring > 0 && nearest < std::numeric_limits<double>::max();
        try_cells(ring, false);
      }
    if (nearest == std::numeric_limits<double>::max())
      throw Error(
        "A point is far outside of the mesh of the twin: check that "
        "both meshes are of the same domain.");
    double values[8];
    shape_values(best, values);
    Weights weights;
    for (unsigned int v = 0; v < n_vertices_; ++v)
      if (std::abs(values[v]) > 1e-12)
        weights.emplace_back(mesh_.cells[found * n_vertices_ + v],
                             std::abs(values[v] - 1) < 1e-12 ? 1. : values[v]);
    return weights;
  }


  void
  HatFunctions::integrate(
    const unsigned int                                                  n,
    const std::function<void(const double *, double, const Weights &)> &action)
    const
  {
    const unsigned int dim      = mesh_.dim;
    const auto         gauss    = gauss_rule(n);
    std::size_t        n_points = 1;
    for (unsigned int d = 0; d < dim; ++d)
      n_points *= n;
    Weights weights(n_vertices_);
    for (std::size_t c = 0; c < mesh_.n_cells(); ++c)
      for (std::size_t q = 0; q < n_points; ++q)
        {
          double      reference[3], point[3], values[8], weight = 1, left = 1;
          std::size_t rest = q;
          for (unsigned int d = 0; d < dim; ++d, rest /= n)
            {
              reference[d] = gauss.first[rest % n];
              weight *= gauss.second[rest % n];
            }
          // Simplices are cubes of which one end of each direction is a point.
          if (is_simplex_)
            for (unsigned int d = 0; d < dim; ++d)
              {
                const double x = reference[d];
                weight *= std::pow(1 - x, dim - 1 - d);
                reference[d] = left * x;
                left *= 1 - x;
              }
          weight *= std::abs(map(c, reference, point));
          shape_values(reference, values);
          for (unsigned int v = 0; v < n_vertices_; ++v)
            weights[v] = {mesh_.cells[c * n_vertices_ + v], values[v]};
          action(point, weight, weights);
        }
  }


  std::vector<double>
  HatFunctions::integrals() const
  {
    std::vector<double> result(mesh_.n_nodes(), 0.);
    integrate(2, [&](const double *, const double weight, const Weights &hats) {
      for (const auto &[k, value] : hats)
        result[k] += weight * value;
    });
    return result;
  }


  CsrMatrix
  HatFunctions::mass_matrix() const
  {
    std::vector<std::map<std::uint32_t, double>> rows(mesh_.n_nodes());
    integrate(3, [&](const double *, const double weight, const Weights &hats) {
      for (const auto &[k, value] : hats)
        for (const auto &[l, other] : hats)
          rows[k][l] += weight * value * other;
    });
    CsrMatrix result;
    result.n_columns = mesh_.n_nodes();
    for (const auto &row : rows)
      result.add_row({row.begin(), row.end()});
    return result;
  }


  std::pair<std::vector<double>, std::vector<double>>
  gauss_rule(const unsigned int n)
  {
    std::vector<double> points(n), weights(n);
    for (unsigned int i = 0; i < n; ++i)
      {
        double x = std::cos(M_PI * (i + 0.75) / (n + 0.5)), derivative = 1;
        for (unsigned int iteration = 0; iteration < 50; ++iteration)
          {
            double last = 1, value = x;
            for (unsigned int k = 2; k <= n; ++k)
              {
                const double next =
                  ((2. * k - 1.) * x * value - (k - 1.) * last) / k;
                last  = value;
                value = next;
              }
            derivative        = n * (x * value - last) / (x * x - 1);
            const double step = value / derivative;
            x -= step;
            if (std::abs(step) < 1e-15)
              break;
          }
        points[i]  = 0.5 * (1 + x);
        weights[i] = 1 / ((1 - x * x) * derivative * derivative);
      }
    return {points, weights};
  }
} // namespace Evergreen
