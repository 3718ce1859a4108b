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
      directions.push_back({1, {1.}, {0}, {1.}});
    choose_columns();
  }


  // The factor of one direction has its columns in the order of their random
  // numbers.
  TensorCovarianceFactor::Direction
  TensorCovarianceFactor::factorise(const double               length,
                                    const std::vector<double> &coordinates)
  {
    const std::size_t        n = coordinates.size();
    std::vector<std::size_t> points(n);
    std::iota(points.begin(), points.end(), 0);
    // Three such errors together stay below the tolerance.
    const CovarianceFactor factor(squared_exponential_covariance(length),
                                  false,
                                  1,
                                  coordinates,
                                  points,
                                  0.2 * CovarianceFactor::default_tolerance);

    std::vector<std::size_t> order(factor.positions.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return factor.positions[a] < factor.positions[b];
    });
    Direction direction{n, {}, {}, {}};
    for (const std::size_t k : order)
      {
        const auto   begin   = factor.matrix.begin() + k * n;
        const double largest = std::abs(*std::max_element(
          begin, begin + n, [](const double a, const double b) {
            return std::abs(a) < std::abs(b);
          }));
        direction.matrix.insert(direction.matrix.end(), begin, begin + n);
        direction.positions.push_back(factor.positions[k]);
        direction.sizes.push_back(largest * largest);
      }
    for (std::size_t k = order.size() - 1; k > 0; --k)
      direction.sizes[k - 1] =
        std::max(direction.sizes[k - 1], direction.sizes[k]);
    return direction;
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
    const Direction &first  = directions[0];
    const Direction &second = directions[1];
    const Direction &third  = directions[2];
    // Each row of the grid begins at an even number.
    const std::size_t   stride = first.n_points + first.n_points % 2;
    std::vector<double> numbers(stride);
    std::size_t         row = 0;
    for (const std::size_t c : third.positions)
      for (const std::size_t b : second.positions)
        {
          const std::size_t length = row_lengths[row++];
          if (length == 0)
            continue;
          Random::normals(seed,
                          stream,
                          sample,
                          stride * (b + second.n_points * c),
                          first.positions[length - 1] + 1,
                          numbers.data());
          for (std::size_t k = 0; k < length; ++k)
            *coefficients++ = numbers[first.positions[k]];
        }
  }


  void
  TensorCovarianceFactor::multiply(const double *coefficients,
                                   double       *values) const
  {
    // The coefficients as a full tensor, zero where columns are left out.
    const std::size_t   n_first = directions[0].positions.size();
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
        const std::size_t n_columns_1d = direction.positions.size();
        const std::size_t n_others     = tensor.size() / n_columns_1d;
        const bool        last         = (&direction == &directions.back());
        if (!last)
          result.resize(n_others * direction.n_points);
        Blas::gemm('T',
                   'T',
                   static_cast<int>(n_others),
                   static_cast<int>(direction.n_points),
                   static_cast<int>(n_columns_1d),
                   1.,
                   tensor.data(),
                   static_cast<int>(n_columns_1d),
                   direction.matrix.data(),
                   static_cast<int>(direction.n_points),
                   0.,
                   last ? values : result.data(),
                   static_cast<int>(n_others));
        std::swap(tensor, result);
      }
  }
} // namespace Evergreen
