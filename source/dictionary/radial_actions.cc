#include "radial_actions.h"

#include <evergreen/dictionary/near_corrections.h>
#include <evergreen/dictionary/simd.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // How many points are evaluated before B is applied to them.
    constexpr std::size_t points_per_chunk = 256;


    /** The values of a centred atom at the points [begin, begin + n). */
    void
    values_at(const std::vector<std::vector<double>> &points,
              const RadialFunction                    function,
              const double                            kappa,
              const double                           *centre,
              const std::size_t                       begin,
              const std::size_t                       n,
              double                                 *values)
    {
      const double *pointers[3] = {};
      for (std::size_t d = 0; d < points.size(); ++d)
        pointers[d] = points[d].data() + begin;
      radial_values(function,
                    kappa,
                    static_cast<unsigned int>(points.size()),
                    centre,
                    n,
                    pointers,
                    values);
    }


    /** tile += B g for a chunk of points; g[q * width + atom]. */
    void
    apply_rule(const QuadratureRule &rule,
               const std::size_t     begin,
               const std::size_t     n,
               const double         *g,
               double               *tile)
    {
      constexpr std::size_t width = Simd::ridge_tile;
      for (std::size_t q = 0; q < n; ++q)
        for (std::size_t k = rule.column_starts[begin + q];
             k < rule.column_starts[begin + q + 1];
             ++k)
          {
            const double  value = rule.values[k];
            double *const row   = tile + rule.rows[k] * width;
            for (std::size_t l = 0; l < width; ++l)
              row[l] += value * g[q * width + l];
          }
    }
  } // namespace


  void
  radial_actions(const QuadratureRule                   &rule,
                 const std::vector<std::vector<double>> &points,
                 const AtomList                         &atoms,
                 const std::size_t                       first,
                 const std::size_t                       n,
                 double                                 *tile)
  {
    constexpr std::size_t width    = Simd::ridge_tile;
    const RadialFunction  function = radial_function(atoms.kinds[first]);
    std::vector<double>   values(points_per_chunk);
    std::vector<double>   g(points_per_chunk * width, 0.);
    for (std::size_t q = 0; q < rule.n_points(); q += points_per_chunk)
      {
        const std::size_t n_here =
          std::min(points_per_chunk, rule.n_points() - q);
        for (std::size_t l = 0; l < n; ++l)
          {
            values_at(points,
                      function,
                      atoms.biases[first + l],
                      &atoms.weights[(first + l) * atoms.dim],
                      q,
                      n_here,
                      values.data());
            for (std::size_t i = 0; i < n_here; ++i)
              g[i * width + l] = values[i];
          }
        apply_rule(rule, q, n_here, g.data(), tile);
      }
    for (std::size_t l = 0; l < n; ++l)
      add_near_field(rule, atoms, first + l, tile + l, width);
  }


  template <typename Number>
  void
  difference_correlations(const std::vector<std::vector<double>> &points,
                          const AtomList                         &atoms,
                          const std::size_t                       first,
                          const std::size_t                       n,
                          const MatrixView<const double>          x,
                          const MatrixView<const Number>          p,
                          double                                 *result)
  {
    const std::size_t   n_points = points[0].size();
    std::vector<double> values(n_points);
    for (std::size_t j = first; j < first + n; ++j)
      for (std::size_t i = 0; i < x.n_columns; ++i)
        {
          values_at(points,
                    radial_function(atoms.kinds[j]),
                    atoms.biases[j],
                    x.column(i),
                    0,
                    n_points,
                    values.data());
          for (std::size_t q = 0; q < n_points; ++q)
            result[j] += values[q] * p.column(i)[q];
        }
  }


  template <typename Number>
  void
  product_correlations(const std::vector<std::vector<double>> &points,
                       const AtomList                         &atoms,
                       const std::size_t                       first,
                       const std::size_t                       n,
                       const MatrixView<const double>          x,
                       const MatrixView<const Number>          p,
                       double                                 *result)
  {
    // The factors in y of all atoms, their products with all rows of P, and
    // then the factors in x.
    const std::size_t           dim      = points.size();
    const std::size_t           n_points = points[0].size();
    const std::size_t           n_x      = x.n_columns;
    const RadialFunction        function = radial_function(atoms.kinds[first]);
    std::vector<double>         values(n_points);
    std::vector<Number>         factors(n * p.n_rows), products(n * n_x);
    std::vector<const Number *> rows(n_x);
    for (std::size_t l = 0; l < n; ++l)
      {
        values_at(points,
                  function,
                  atoms.biases[first + l],
                  &atoms.weights[(first + l) * atoms.dim + dim],
                  0,
                  n_points,
                  values.data());
        std::copy(values.begin(), values.end(), factors.begin() + l * p.n_rows);
      }
    for (std::size_t i = 0; i < n_x; ++i)
      rows[i] = p.column(i);
    Simd::loops<Number>().correlate(
      p.n_rows, factors.data(), p.n_rows, n, rows.data(), n_x, products.data());

    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t i = 0; i < n_x; ++i)
        {
          double square = 0;
          for (std::size_t d = 0; d < dim; ++d)
            square += std::pow(x.column(i)[d] -
                                 atoms.weights[(first + l) * atoms.dim + d],
                               2);
          result[first + l] +=
            radial_value(function, atoms.biases[first + l], std::sqrt(square)) *
            products[i * n + l];
        }
  }


#define EVERGREEN_INSTANTIATE(function, Number)                                \
  template void function(const std::vector<std::vector<double>> &,             \
                         const AtomList &,                                     \
                         std::size_t,                                          \
                         std::size_t,                                          \
                         MatrixView<const double>,                             \
                         MatrixView<const Number>,                             \
                         double *);
  EVERGREEN_INSTANTIATE(difference_correlations, double)
  EVERGREEN_INSTANTIATE(difference_correlations, float)
  EVERGREEN_INSTANTIATE(product_correlations, double)
  EVERGREEN_INSTANTIATE(product_correlations, float)
#undef EVERGREEN_INSTANTIATE
} // namespace Evergreen
