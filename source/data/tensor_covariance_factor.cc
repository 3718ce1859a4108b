#include "normal_numbers.h"

#include <evergreen/base/blas.h>
#include <evergreen/data/covariance_factor.h>
#include <evergreen/data/tensor_covariance_factor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace Evergreen
{
  namespace
  {
    // How far a point may be from its place: rounding, in the units of the
    // grid's extent and of the numbers themselves.
    double
    rounding_of(const double lower, const double upper)
    {
      return 1e-12 * (upper - lower) +
             8. * std::numeric_limits<double>::epsilon() *
               std::max(std::abs(lower), std::abs(upper));
    }


    // The different values among those given, in increasing order; values
    // closer than rounding are one.
    std::vector<double>
    different_values(std::vector<double> values)
    {
      std::sort(values.begin(), values.end());
      const double        rounding = rounding_of(values.front(), values.back());
      std::vector<double> different;
      for (const double value : values)
        if (different.empty() || value - different.back() > rounding)
          different.push_back(value);
      return different;
    }


    // The index of the largest entry that is not above the value.
    std::size_t
    place_of(const double value, const std::vector<double> &sorted)
    {
      return std::upper_bound(sorted.begin(), sorted.end(), value) -
             sorted.begin() - 1;
    }


    // C = A^T B^T (n_rows x n_columns), in parts so small that the BLAS library
    // uses one thread for each: the samples keep all of ours busy.
    void
    multiply_transposed(const std::size_t n_rows,
                        const std::size_t n_columns,
                        const std::size_t n_inner,
                        const double     *a,
                        const double     *b,
                        double           *c)
    {
      constexpr std::size_t small = 200000;
      const std::size_t     part =
        std::max<std::size_t>(16, small / (n_columns * n_inner));
      for (std::size_t first = 0; first < n_rows; first += part)
        Blas::gemm('T',
                   'T',
                   static_cast<int>(std::min(part, n_rows - first)),
                   static_cast<int>(n_columns),
                   static_cast<int>(n_inner),
                   1.,
                   a + first * n_inner,
                   static_cast<int>(n_inner),
                   b,
                   static_cast<int>(n_columns),
                   0.,
                   c + first,
                   static_cast<int>(n_rows));
    }
  } // namespace


  std::optional<TensorGrid>
  TensorGrid::find(const unsigned int dim, const std::vector<double> &points)
  {
    const std::size_t n = points.size() / dim;
    TensorGrid        grid;
    std::size_t       n_places = 1;
    for (unsigned int d = 0; d < dim; ++d)
      {
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i)
          values[i] = points[i * dim + d];
        grid.coordinates.push_back(different_values(std::move(values)));
        n_places *= grid.coordinates.back().size();
        if (n_places > n)
          return {};
      }
    if (n_places != n)
      return {};

    std::vector<char> taken(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      {
        std::size_t index = 0;
        for (unsigned int d = dim; d-- > 0;)
          index = index * grid.coordinates[d].size() +
                  place_of(points[i * dim + d], grid.coordinates[d]);
        if (std::exchange(taken[index], 1) != 0)
          return {};
        grid.index_of_point.push_back(index);
      }
    return grid;
  }


  TensorCovarianceFactor::TensorCovarianceFactor(const double      length,
                                                 const TensorGrid &grid)
  {
    for (const auto &coordinates : grid.coordinates)
      directions.push_back(factorise(length, coordinates));
    while (directions.size() < 3)
      directions.push_back({1, {1.}, {1.}});
    choose_columns();
  }


  TensorCovarianceFactor::Direction
  TensorCovarianceFactor::factorise(const double               length,
                                    const std::vector<double> &coordinates)
  {
    const std::size_t        n = coordinates.size();
    std::vector<std::size_t> points(n);
    std::iota(points.begin(), points.end(), 0);
    // Three such errors together stay below the tolerance.
    CovarianceFactor factor(squared_exponential_covariance(length),
                            false,
                            1,
                            coordinates,
                            points,
                            0.2 * CovarianceFactor::default_tolerance);

    const std::size_t   n_columns = factor.positions.size();
    std::vector<double> sizes(n_columns, 0.);
    for (std::size_t k = n_columns; k-- > 0;)
      {
        if (k + 1 < n_columns)
          sizes[k] = sizes[k + 1];
        for (std::size_t i = 0; i < n; ++i)
          sizes[k] = std::max(sizes[k], std::pow(factor.matrix[k * n + i], 2));
      }
    return {n, std::move(factor.matrix), std::move(sizes)};
  }


  // Leaves out columns whose variances add up to a share of the tolerance, the
  // smallest first.
  void
  TensorCovarianceFactor::choose_columns()
  {
    const auto         &first = directions[0].sizes;
    std::vector<double> rest;
    for (const double c : directions[2].sizes)
      for (const double b : directions[1].sizes)
        rest.push_back(b * c);

    std::vector<double> sizes;
    for (const double bc : rest)
      for (const double a : first)
        sizes.push_back(a * bc);
    std::sort(sizes.begin(), sizes.end());
    const double limit  = 0.4 * CovarianceFactor::default_tolerance;
    double       sum    = 0.;
    double       cutoff = 0.;
    for (const double size : sizes)
      {
        sum += size;
        if (sum > limit)
          break;
        cutoff = size;
      }

    for (const double bc : rest)
      {
        std::size_t length = 0;
        while (length < first.size() && first[length] * bc > cutoff)
          ++length;
        row_lengths.push_back(length);
        n_columns += length;
      }
  }


  std::size_t
  TensorCovarianceFactor::n_coefficients() const
  {
    return n_columns;
  }


  std::size_t
  TensorCovarianceFactor::n_points() const
  {
    std::size_t n = 1;
    for (const Direction &direction : directions)
      n *= direction.n_points;
    return n;
  }


  void
  TensorCovarianceFactor::draw(const std::uint64_t  seed,
                               const Random::Stream stream,
                               const std::uint64_t  sample,
                               double              *coefficients) const
  {
    // Each row of the grid begins at an even number.
    const std::size_t stride =
      directions[0].n_points + directions[0].n_points % 2;
    std::size_t row = 0;
    for (std::size_t c = 0; c < directions[2].sizes.size(); ++c)
      for (std::size_t b = 0; b < directions[1].sizes.size(); ++b, ++row)
        {
          Internal::fast_normals(seed,
                                 stream,
                                 sample,
                                 stride * (b + directions[1].n_points * c),
                                 row_lengths[row],
                                 coefficients);
          coefficients += row_lengths[row];
        }
  }


  void
  TensorCovarianceFactor::multiply(const double *coefficients,
                                   double       *values) const
  {
    // The coefficients as a full tensor, zero where columns are left out.
    const std::size_t   n_first = directions[0].sizes.size();
    std::vector<double> tensor(n_first * row_lengths.size(), 0.);
    for (std::size_t row = 0; row < row_lengths.size(); ++row)
      {
        std::copy_n(coefficients, row_lengths[row], &tensor[row * n_first]);
        coefficients += row_lengths[row];
      }

    // Each product replaces the fastest index by one that becomes the slowest:
    // after three of them the indices are in their order again.
    std::vector<double> result;
    for (const Direction &direction : directions)
      {
        const std::size_t n_others = tensor.size() / direction.sizes.size();
        const bool        last     = (&direction == &directions.back());
        result.resize(last ? 0 : n_others * direction.n_points);
        multiply_transposed(n_others,
                            direction.n_points,
                            direction.sizes.size(),
                            tensor.data(),
                            direction.matrix.data(),
                            last ? values : result.data());
        std::swap(tensor, result);
      }
  }
} // namespace Evergreen
