#include <evergreen/base/error.h>
#include <evergreen/fem/quadrature_rule.h>

#include <cmath>

namespace Evergreen
{
  void
  QuadratureRule::add_point(const double       *point,
                            const unsigned int  n,
                            const unsigned int *entry_rows,
                            const double       *entry_values)
  {
    points.insert(points.end(), point, point + dim);
    rows.insert(rows.end(), entry_rows, entry_rows + n);
    values.insert(values.end(), entry_values, entry_values + n);
    column_starts.push_back(rows.size());
  }


  void
  QuadratureRule::check() const
  {
    if (points.size() != n_points() * dim)
      throw Error("The quadrature rule has ",
                  points.size(),
                  " coordinates for ",
                  n_points(),
                  " points in ",
                  dim,
                  " dimensions.");
    if (rows.size() != column_starts.back() || values.size() != rows.size())
      throw Error("The quadrature rule's sparse matrix has ",
                  rows.size(),
                  " indices and ",
                  values.size(),
                  " values for ",
                  column_starts.back(),
                  " entries.");
    for (const unsigned int row : rows)
      if (row >= n_rows)
        throw Error("The quadrature rule names row ",
                    row,
                    " of ",
                    n_rows,
                    " shape functions.");
    for (const std::vector<double> *data : {&points, &values})
      for (const double value : *data)
        if (!std::isfinite(value))
          throw Error("The quadrature rule contains ", value, ".");
  }


  QuadratureRule
  diagonal_rule(const unsigned int         dim,
                const std::vector<double> &points,
                const std::vector<double> &diagonal)
  {
    QuadratureRule rule;
    rule.dim    = dim;
    rule.n_rows = diagonal.size();
    for (unsigned int q = 0; q < diagonal.size(); ++q)
      rule.add_point(points.data() + q * dim, 1, &q, &diagonal[q]);
    return rule;
  }


  std::vector<std::vector<double>>
  coordinates_of(const QuadratureRule &rule)
  {
    std::vector<std::vector<double>> coordinates(
      rule.dim, std::vector<double>(rule.n_points()));
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      for (unsigned int d = 0; d < rule.dim; ++d)
        coordinates[d][q] = rule.points[q * rule.dim + d];
    return coordinates;
  }
} // namespace Evergreen
