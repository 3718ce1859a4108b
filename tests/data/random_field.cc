// Random fields: moments and covariance against closed forms, the band limit
// exactly, and sample j the same whatever is asked for beside it. Statistical
// bounds are five standard deviations of the estimate: with other seeds a
// correct program would miss each with a probability of 6e-7.

#include "data/random_field_testing.h"
#include "testing.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>
#include <evergreen/data/random_field.h>

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
