// Random fields: moments and covariance against closed forms, the band limit
// exactly, and sample j the same whatever is asked for beside it. Statistical
// bounds are five standard deviations of the estimate: with other seeds a
// correct program would miss each with a probability of 6e-7.

#include "testing.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>
#include <evergreen/data/random_field.h>
#include <evergreen/data/tensor_covariance_factor.h>

#include <deal.II/base/parameter_handler.h>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  constexpr auto stream = Random::Stream::test;

  std::vector<double>
  grid(const unsigned int dim, const std::size_t n, const double length)
  {
    std::vector<double> points;
    std::size_t         total = 1;
    for (unsigned int d = 0; d < dim; ++d)
      total *= n;
    for (std::size_t i = 0; i < total; ++i)
      for (std::size_t d = 0, rest = i; d < dim; ++d, rest /= n)
        points.push_back(length * static_cast<double>(rest % n) / (n - 1.));
    return points;
  }


  std::vector<std::size_t>
  all_nodes(const unsigned int dim, const std::vector<double> &points)
  {
    std::vector<std::size_t> nodes(points.size() / dim);
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }


  ForcingParameters
  gaussian_process(const std::string &covariance,
                   const double       length,
                   const double       smoothness)
  {
    ForcingParameters parameters;
    parameters.model      = "gaussian-process";
    parameters.covariance = covariance;
    parameters.length     = length;
    parameters.smoothness = smoothness;
    return parameters;
  }


  // Checks mean, covariance and kurtosis at all given nodes (few).
  void
  check_moments(
    const RandomField                                     &field,
    const std::function<double(std::size_t, std::size_t)> &covariance)
  {
    const std::size_t   n_samples = 40000;
    const std::size_t   n         = field.n_local();
    std::vector<double> values(n * n_samples);
    field.sample(stream, 0, n_samples, values.data());
    const auto mean_of = [&](const auto &function) {
      double sum = 0.;
      for (std::size_t j = 0; j < n_samples; ++j)
        sum += function(&values[j * n]);
      return sum / n_samples;
    };
    const double deviation = 1. / std::sqrt(n_samples);
    for (std::size_t a = 0; a < n; ++a)
      {
        EXPECT_NEAR(mean_of([&](const double *f) { return f[a]; }),
                    0.,
                    5. * deviation);
        EXPECT_NEAR(mean_of(
                      [&](const double *f) { return f[a] * f[a] * f[a]; }),
                    0.,
                    5. * std::sqrt(15.) * deviation);
        EXPECT_NEAR(mean_of([&](const double *f) { return std::pow(f[a], 4); }),
                    3.,
                    5. * std::sqrt(96.) * deviation);
        for (std::size_t b = 0; b <= a; ++b)
          {
            const double expected = covariance(a, b);
            EXPECT_NEAR(mean_of([&](const double *f) { return f[a] * f[b]; }),
                        expected,
                        5. * std::sqrt(1. + expected * expected) * deviation)
              << "nodes " << a << ", " << b;
          }
      }
  }


  // The covariance of the band-limited model, from the definition: the mean of
  // cos(2 pi k.(x-y)/L) over all frequencies in the ellipsoid.
  double
  band_limited_covariance(const std::array<double, 3> &difference,
                          const std::array<double, 3> &periods,
                          const double                 wavelength)
  {
    double sum   = 0.;
    int    count = 0;
    for (int k0 = -20; k0 <= 20; ++k0)
      for (int k1 = -20; k1 <= 20; ++k1)
        for (int k2 = -20; k2 <= 20; ++k2)
          {
            const std::array<int, 3> k      = {{k0, k1, k2}};
            double                   square = 0., angle = 0.;
            for (unsigned int d = 0; d < 3; ++d)
              if (k[d] != 0)
                {
                  // Half axes: 1.2 sides in wavelengths, rounded down.
                  const int axis =
                    static_cast<int>(periods[d] / wavelength - 1e-9);
                  square += axis > 0 ? std::pow(double(k[d]) / axis, 2) : 2.;
                  angle += 2. * M_PI * k[d] * difference[d] / periods[d];
                }
            if (square <= 1. + 1e-12)
              {
                sum += std::cos(angle);
                ++count;
              }
          }
    return sum / count;
  }


  // Applies the filter that annihilates exactly the frequencies -limit ...
  // limit of a period of n points, and returns the largest value that remains.
  double
  filtered(std::vector<double> values, const std::size_t n, const int limit)
  {
    const auto apply = [&](const double middle, const bool second_order) {
      std::vector<double> result;
      for (std::size_t i = second_order ? 2 : 1; i < values.size(); ++i)
        result.push_back(second_order
                           ? values[i] - middle * values[i - 1] + values[i - 2]
                           : values[i] - values[i - 1]);
      values = result;
    };
    apply(0., false);
    for (int k = 1; k <= limit; ++k)
      apply(2. * std::cos(2. * M_PI * k / n), true);
    double largest = 0.;
    for (const double value : values)
      largest = std::max(largest, std::abs(value));
    return largest;
  }
} // namespace


TEST(RandomField, BandLimitedHasTheCovarianceOfItsDefinition)
{
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      // A box of sides 1, 2, 0.7, and some of its points.
      const std::array<double, 3> sides  = {{1., 2., 0.7}};
      std::vector<double>         points = grid(dim, 5, 1.);
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = points[i] * sides[i % dim] + 3.;
      std::vector<std::size_t> nodes = {0, 1, 3, 4};
      if (dim > 1)
        nodes.insert(nodes.end(), {7, 12, 24});
      ForcingParameters parameters;
      parameters.wavelength = 0.3;
      const RandomField field(parameters, dim, points, nodes);

      std::array<double, 3> periods = {{1e-9, 1e-9, 1e-9}};
      for (unsigned int d = 0; d < dim; ++d)
        periods[d] = 1.2 * sides[d];
      check_moments(field, [&](const std::size_t a, const std::size_t b) {
        std::array<double, 3> difference = {{0., 0., 0.}};
        for (unsigned int d = 0; d < dim; ++d)
          difference[d] =
            points[nodes[a] * dim + d] - points[nodes[b] * dim + d];
        return band_limited_covariance(difference,
                                       periods,
                                       parameters.wavelength);
      });
    }
}


TEST(RandomField, BandLimitedHasNoFrequencyBeyondTheBand)
{
  // 1.2 sides are 24 points: frequencies up to 5 if the wavelength is a little
  // more than a sixth of that. The filter amplifies rounding by up to 2^11.
  const std::vector<double> line = grid(1, 21, 1.);
  ForcingParameters         parameters;
  parameters.wavelength = 1.2 / 6.;
  const RandomField field(parameters, 1, line, all_nodes(1, line));
  EXPECT_EQ(field.n_coefficients(), 11u);
  std::vector<double> values(21);
  for (const std::uint64_t j : {0, 1, 2})
    {
      field.sample(stream, j, 1, values.data());
      EXPECT_LT(filtered(values, 24, 5), 1e-11);
      EXPECT_GT(filtered(values, 24, 4), 1e-3);
    }

  // In two dimensions: along a row of points, and the same along a column.
  const std::vector<double> square = grid(2, 21, 2.);
  parameters.wavelength            = 2.4 / 4.5;
  const RandomField   plane(parameters, 2, square, all_nodes(2, square));
  std::vector<double> surface(21 * 21), row(21), column(21);
  plane.sample(stream, 7, 1, surface.data());
  for (std::size_t i = 0; i < 21; ++i)
    {
      row[i]    = surface[21 * 11 + i];
      column[i] = surface[21 * i + 11];
    }
  EXPECT_LT(filtered(row, 24, 4), 1e-11);
  EXPECT_LT(filtered(column, 24, 4), 1e-11);
  EXPECT_GT(filtered(row, 24, 3), 1e-3);
}


TEST(RandomField, BandLimitedUsesTheNumbersOfItsSample)
{
  // At the centre all sines vanish, and all cosines are one.
  const std::vector<double> line = grid(1, 3, 1.);
  ForcingParameters         parameters;
  parameters.wavelength = 1.2 / 400.5;
  const RandomField field(parameters, 1, line, {1});
  ASSERT_EQ(field.n_coefficients(), 801u);
  std::vector<double> numbers(801);
  for (const std::uint64_t sample : {0, 1, 77})
    {
      double value = 0.;
      field.sample(stream, sample, 1, &value);
      Random::normals(parameters.seed, stream, sample, 0, 801, numbers.data());
      double expected = numbers[0];
      for (std::size_t k = 1; k < 801; k += 2)
        expected += std::sqrt(2.) * numbers[k];
      EXPECT_NEAR(value, expected / std::sqrt(801.), 1e-13);
    }
}


TEST(RandomField, GaussianProcessHasItsCovariance)
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


TEST(RandomField, CovarianceFactorIsExact)
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


TEST(RandomField, TensorGridsAreRecognised)
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


TEST(RandomField, TensorCovarianceFactorIsExact)
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


TEST(RandomField, TensorCovarianceNeedsFewColumnsAndScales)
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


TEST(RandomField, GridAndGeneralFactorAgreeInDistribution)
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


TEST(RandomField, SamplesAndStreamsAreIndependent)
{
  const std::vector<double> points = grid(1, 3, 1.);
  const RandomField         field(ForcingParameters(), 1, points, {1});
  const std::size_t         n = 40000;
  std::vector<double>       train(n), test(n);
  field.sample(Random::Stream::training_forcing, 0, n, train.data());
  field.sample(Random::Stream::test_forcing, 0, n, test.data());
  double neighbours = 0., streams = 0., squares = 0.;
  for (std::size_t j = 0; j + 1 < n; ++j)
    {
      neighbours += train[j] * train[j + 1] / n;
      streams += train[j] * test[j] / n;
      squares +=
        (train[j] * train[j] - 1.) * (train[j + 1] * train[j + 1] - 1.) / n;
    }
  EXPECT_LT(std::abs(neighbours), 5. / std::sqrt(n));
  EXPECT_LT(std::abs(streams), 5. / std::sqrt(n));
  EXPECT_LT(std::abs(squares), 5. * 2. / std::sqrt(n));
}


TEST(RandomField, SampleDependsOnItsNumberOnly)
{
  const std::vector<double>      points = grid(2, 20, 1.);
  const std::vector<std::size_t> some   = {399, 7, 150, 20};
  for (const ForcingParameters &parameters :
       {ForcingParameters(),
        gaussian_process("squared-exponential", 0.3, 2.5),
        gaussian_process("matern", 0.3, 1.5)})
    {
      const RandomField whole(parameters, 2, points, all_nodes(2, points));
      const RandomField part(parameters, 2, points, some);
      const RandomField blocks(
        parameters, 2, points, all_nodes(2, points), 20000);
      const RandomField   nothing(parameters, 2, points, {});
      std::vector<double> a(30 * 400), again(30 * 400), b(30 * 400), c(4 * 5);
      whole.sample(stream, 100, 30, a.data());
      whole.sample(stream, 100, 30, again.data());
      EXPECT_EQ(a, again);
      blocks.sample(stream, 100, 30, b.data());
      part.sample(stream, 120, 5, c.data());
      nothing.sample(stream, 120, 5, nullptr);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], 1e-12);
      for (std::size_t j = 0; j < 5; ++j)
        for (std::size_t i = 0; i < 4; ++i)
          ASSERT_NEAR(c[j * 4 + i], a[(20 + j) * 400 + some[i]], 1e-12);

      ForcingParameters other = parameters;
      ++other.seed;
      const RandomField different(other, 2, points, all_nodes(2, points));
      different.sample(stream, 100, 30, b.data());
      EXPECT_GT(std::abs(a[0] - b[0]), 1e-3);
    }
}


TEST(RandomField, SampleDoesNotDependOnThreads)
{
  const std::vector<double> points = grid(3, 9, 1.);
  const unsigned int        n_blas = Blas::n_threads();
  for (const double length : {0.2, 0.6})
    {
      std::vector<double> samples[2];
      for (const unsigned int n_threads : {1, 2})
        {
          const tbb::global_control limit(
            tbb::global_control::max_allowed_parallelism, n_threads);
          Blas::set_n_threads(n_threads);
          const RandomField field(gaussian_process("squared-exponential",
                                                   length,
                                                   2.5),
                                  3,
                                  points,
                                  all_nodes(3, points));
          samples[n_threads - 1].resize(729 * 4);
          field.sample(stream, 0, 4, samples[n_threads - 1].data());
        }
      for (std::size_t i = 0; i < samples[0].size(); ++i)
        ASSERT_NEAR(samples[0][i], samples[1][i], 1e-12);
    }
  Blas::set_n_threads(n_blas);
}


TEST(RandomField, ParametersComeFromAFile)
{
  ForcingParameters        parameters;
  dealii::ParameterHandler prm;
  parameters.add_parameters(prm);
  prm.parse_input_from_string(
    "subsection Forcing\n"
    "  set Model = gaussian-process\n"
    "  set Wavelength = 0.5\n"
    "  set Covariance = matern\n"
    "  set Length = 0.25\n"
    "  set Smoothness = 1.5\n"
    "  set Seed = 17\n"
    "  set Normalise = true\n"
    "  set Noise = 0.01\n"
    "end\n");
  EXPECT_EQ(parameters.model, "gaussian-process");
  EXPECT_EQ(parameters.wavelength, 0.5);
  EXPECT_EQ(parameters.covariance, "matern");
  EXPECT_EQ(parameters.length, 0.25);
  EXPECT_EQ(parameters.smoothness, 1.5);
  EXPECT_EQ(parameters.seed, 17u);
  EXPECT_TRUE(parameters.normalise);
  EXPECT_EQ(parameters.noise, 0.01);
  EXPECT_EQ(error_of([&] { parameters.check(); }), "");
  EXPECT_ANY_THROW(
    prm.parse_input_from_string("subsection Forcing\n"
                                "  set Model = white\n"
                                "end\n"));
}


TEST(RandomField, RefusesWhatCannotBeDone)
{
  const std::vector<double> points = grid(2, 4, 1.);
  const auto                refused =
    [&](const std::function<void(ForcingParameters &)> &change,
        const std::vector<double>                      &where) {
      ForcingParameters parameters;
      change(parameters);
      return error_of([&] { RandomField(parameters, 2, where, {0}); });
    };
  const auto nothing = [](ForcingParameters &) {};
  EXPECT_EQ(refused(nothing, points), "");
  EXPECT_TRUE(contains(refused([](auto &p) { p.wavelength = 0.; }, points),
                       "Forcing/Wavelength = 0"));
  EXPECT_TRUE(contains(refused([](auto &p) { p.wavelength = 1e-300; }, points),
                       "choose a longer wavelength"));
  EXPECT_TRUE(contains(refused([](auto &p) { p.wavelength = 1e-5; }, points),
                       "choose a longer wavelength"));
  // The box has sides 1: wavelengths stay below 1.2.
  EXPECT_EQ(refused([](auto &p) { p.wavelength = 1.19; }, points), "");
  const std::string constant =
    refused([](auto &p) { p.wavelength = 1.21; }, points);
  EXPECT_TRUE(contains(constant, "Forcing/Wavelength = 1.21")) << constant;
  EXPECT_TRUE(contains(constant, "less than 1.2,")) << constant;
  EXPECT_THROW(RandomField(
                 [] {
                   ForcingParameters parameters;
                   parameters.wavelength = 2.;
                   return parameters;
                 }(),
                 2,
                 points,
                 {0}),
               UsageError);
  EXPECT_TRUE(contains(refused([](auto &p) { p.smoothness = 1.; }, points),
                       "Forcing/Smoothness = 1: it must be 0.5, 1.5 or 2.5"));
  EXPECT_TRUE(contains(refused([](auto &p) { p.model = "white"; }, points),
                       "Forcing/Model = white"));
  EXPECT_TRUE(contains(refused([](auto &p) { p.noise = -1.; }, points),
                       "Forcing/Noise = -1"));
  EXPECT_TRUE(contains(refused(nothing, {0., 0., NAN, 1.}), "Node 1 is not"));

  const auto        many  = grid(2, 400, 1.);
  const std::string error = error_of(
    [&] { RandomField(gaussian_process("matern", 0.1, 2.5), 2, many, {0}); });
  EXPECT_TRUE(contains(error, "160000 points needs 190.73 GiB")) << error;
  EXPECT_TRUE(contains(error, "Forcing/Model = band-limited"));
  EXPECT_TRUE(contains(error_of([&] {
                         CovarianceFactor(squared_exponential_covariance(0.1),
                                          false,
                                          2,
                                          points,
                                          {0},
                                          1e-12,
                                          1000);
                       }),
                       "needs more than"));
}
