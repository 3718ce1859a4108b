// What the tests of random fields share: points, parameters, and moments.

#ifndef evergreen_tests_data_random_field_testing_h
#define evergreen_tests_data_random_field_testing_h

#include <evergreen/base/random.h>
#include <evergreen/data/random_field.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    constexpr auto stream = Random::Stream::test;

    inline std::vector<double>
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


    inline std::vector<std::size_t>
    all_nodes(const unsigned int dim, const std::vector<double> &points)
    {
      std::vector<std::size_t> nodes(points.size() / dim);
      std::iota(nodes.begin(), nodes.end(), 0);
      return nodes;
    }


    inline ForcingParameters
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
    inline void
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
          EXPECT_NEAR(mean_of(
                        [&](const double *f) { return std::pow(f[a], 4); }),
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
  } // namespace Testing
} // namespace Evergreen

#endif
