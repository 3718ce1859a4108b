// Gaussian processes: their covariance against the formula, by samples and by
// the factors themselves, on grids and elsewhere. Statistical bounds are five
// standard deviations of the estimate.

#include "data/random_field_testing.h"
#include "testing.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>

#include <algorithm>

using namespace Evergreen;
using namespace Evergreen::Testing;


TEST(GaussianProcess, HasItsCovariance)
{
  const double                   l      = 0.3;
  const std::vector<double>      points = grid(2, 12, 1.);
  const std::vector<std::size_t> nodes  = {0, 1, 5, 66, 67, 143};
  using Profile                         = std::function<double(double)>;
  const std::vector<std::pair<ForcingParameters, Profile>> cases = {
    {gaussian_process("squared-exponential", l, 2.5),
     [&](double r) { return std::exp(-r * r / (2. * l * l)); }},
    {gaussian_process("matern", l, 0.5),
     [&](double r) { return std::exp(-r / l); }},
    {gaussian_process("matern", l, 1.5),
     [&](double r) {
       return (1. + std::sqrt(3.) * r / l) * std::exp(-std::sqrt(3.) * r / l);
     }},
    {gaussian_process("matern", l, 2.5), [&](double r) {
       return (1. + std::sqrt(5.) * r / l + 5. * r * r / (3. * l * l)) *
              std::exp(-std::sqrt(5.) * r / l);
     }}};
  for (const auto &[parameters, profile] : cases)
    {
      const RandomField field(parameters, 2, points, nodes);
      check_moments(field, [&](const std::size_t a, const std::size_t b) {
        return profile(
          std::hypot(points[2 * nodes[a]] - points[2 * nodes[b]],
                     points[2 * nodes[a] + 1] - points[2 * nodes[b] + 1]));
      });
    }
}


TEST(GaussianProcess, CovarianceFactorIsExact)
{
  const std::vector<double> points  = grid(3, 10, 1.);
  const auto                nodes   = all_nodes(3, points);
  const int                 n       = static_cast<int>(nodes.size());
  const auto                largest = [&](const auto  &covariance,
                           const bool   full_rank,
                           const double perturbation) {
    CovarianceFactor factor(covariance, full_rank, 3, points, nodes);
    factor.matrix[0] += perturbation;
    std::vector<double> product(static_cast<std::size_t>(n) * n);
    Blas::gemm('N',
               'T',
               n,
               n,
               static_cast<int>(factor.positions.size()),
               1.,
               factor.matrix.data(),
               n,
               factor.matrix.data(),
               n,
               0.,
               product.data(),
               n);
    double error = 0.;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        {
          double square = 0.;
          for (unsigned int d = 0; d < 3; ++d)
            square += std::pow(points[3 * i + d] - points[3 * j + d], 2);
          error =
            std::max(error, std::abs(product[i * n + j] - covariance(square)));
        }
    return error;
  };
  // Lengths from low rank to full rank.
  for (const double length : {2., 0.5, 0.2, 0.05})
    EXPECT_LT(largest(squared_exponential_covariance(length), false, 0.),
              2e-12);
  EXPECT_GT(largest(squared_exponential_covariance(0.5), false, 1e-6), 1e-7);
  for (const double smoothness : {0.5, 1.5, 2.5})
    EXPECT_LT(largest(matern_covariance(0.5, smoothness), true, 0.), 2e-12);

  const CovarianceFactor smooth(
    squared_exponential_covariance(2.), false, 3, points, nodes);
  EXPECT_LT(smooth.positions.size(), 200u);
}


TEST(GaussianProcess, TensorGridsAreRecognised)
{
  // Shuffled points of a grid, displaced by rounding: each finds its place.
  const std::vector<double> xs = {-1., 0.5, 0.7}, ys = {3., 3.25};
  std::vector<double>       points;
  for (const std::size_t i : {4, 2, 0, 5, 1, 3})
    {
      const double noise = (i % 2 == 0 ? 1e-15 : -1e-15);
      points.insert(points.end(), {xs[i % 3] + noise, ys[i / 3] - noise});
    }
  const auto grid = TensorGrid::find(2, points);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->coordinates[0].size(), 3u);
  EXPECT_EQ(grid->coordinates[1].size(), 2u);
  EXPECT_EQ(grid->index_of_point, (std::vector<std::size_t>{4, 2, 0, 5, 1, 3}));

  // A point moved by little, missing, twice, or in place of another is seen.
  auto moved = points;
  moved[0] += 1e-6;
  EXPECT_FALSE(TensorGrid::find(2, moved));
  const std::vector<double> fewer(points.begin(), points.end() - 2);
  EXPECT_FALSE(TensorGrid::find(2, fewer));
  auto more = points;
  more.insert(more.end(), {points[0], points[1]});
  EXPECT_FALSE(TensorGrid::find(2, more));
  auto twice = points;
  twice[0]   = twice[2];
  twice[1]   = twice[3];
  EXPECT_FALSE(TensorGrid::find(2, twice));
  // Six points, three and two different coordinates, but no grid.
  EXPECT_FALSE(
    TensorGrid::find(2, {0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 1., 1.}));
}


TEST(GaussianProcess, TensorCovarianceFactorIsExact)
{
  // Sides and spacings differ, and the coordinates are not equidistant.
  const std::vector<std::size_t> n = {9, 7, 8};
  std::vector<double>            points;
  for (std::size_t k = 0; k < n[2]; ++k)
    for (std::size_t j = 0; j < n[1]; ++j)
      for (std::size_t i = 0; i < n[0]; ++i)
        points.insert(points.end(),
                      {i / 8., 2. * std::pow(j / 6., 1.5), 1. + 0.1 * k});
  for (const unsigned int dim : {2, 3})
    {
      std::vector<double> some;
      for (std::size_t i = 0; i < (dim == 2 ? n[0] * n[1] : 504); ++i)
        some.insert(some.end(), &points[3 * i], &points[3 * i] + dim);
      const auto grid = TensorGrid::find(dim, some);
      ASSERT_TRUE(grid.has_value());
      const std::size_t m = some.size() / dim;

      // The largest difference of E E^T from the formula.
      const auto error = [&](const double length, const double formula_length) {
        const TensorCovarianceFactor factor(length, *grid);
        EXPECT_EQ(factor.n_points(), m);
        std::vector<double> sum(m * m, 0.), column(m);
        for (std::size_t c = 0; c < factor.n_coefficients(); ++c)
          {
            std::vector<double> unit(factor.n_coefficients(), 0.);
            unit[c] = 1.;
            factor.multiply(unit.data(), column.data());
            for (std::size_t a = 0; a < m; ++a)
              for (std::size_t b = 0; b < m; ++b)
                sum[a * m + b] += column[a] * column[b];
          }
        double largest = 0.;
        for (std::size_t a = 0; a < m; ++a)
          for (std::size_t b = 0; b < m; ++b)
            {
              double square = 0.;
              for (unsigned int d = 0; d < dim; ++d)
                square += std::pow(some[a * dim + d] - some[b * dim + d], 2);
              largest = std::max(
                largest,
                std::abs(
                  sum[a * m + b] -
                  std::exp(-square / (2. * std::pow(formula_length, 2)))));
            }
        return largest;
      };
      for (const double length : {3., 0.5, 0.05})
        EXPECT_LT(error(length, length), 2e-12) << length;
      EXPECT_GT(error(0.5, 0.500001), 1e-7);
    }
}


TEST(GaussianProcess, TensorCovarianceNeedsFewColumnsAndScales)
{
  const auto                   small = TensorGrid::find(3, grid(3, 17, 1.));
  const TensorCovarianceFactor smooth(1., *small);
  EXPECT_LT(smooth.n_coefficients(), 1000u);

  // 65^3 nodes, too many for a general factor.
  const std::vector<double> points = grid(3, 65, 1.);
  const RandomField   field(gaussian_process("squared-exponential", 0.2, 0.5),
                          3,
                          points,
                          {0, 1, 65 * 65 * 32 + 65 * 32 + 32});
  std::vector<double> values(3);
  field.sample(stream, 5, 1, values.data());
  EXPECT_GT(std::abs(values[0]), 0.);
  EXPECT_NEAR(values[0], values[1], 1.);
}


TEST(GaussianProcess, GridAndGeneralFactorAgreeInDistribution)
{
  // The same points but one: the general factor, the same covariance.
  const std::vector<double> points = grid(3, 4, 1.);
  std::vector<double>       more   = points;
  more.insert(more.end(), {0.5, 0.1, 0.2});
  ASSERT_TRUE(TensorGrid::find(3, points));
  ASSERT_FALSE(TensorGrid::find(3, more));
  const std::vector<std::size_t> nodes = {0, 1, 22, 63};
  const auto parameters = gaussian_process("squared-exponential", 0.4, 0.5);
  for (const auto &where : {points, more})
    check_moments(RandomField(parameters, 3, where, nodes),
                  [&](const std::size_t a, const std::size_t b) {
                    double square = 0.;
                    for (unsigned int d = 0; d < 3; ++d)
                      square += std::pow(points[3 * nodes[a] + d] -
                                           points[3 * nodes[b] + d],
                                         2);
                    return std::exp(-square / (2. * 0.16));
                  });
}
