// Function approximation: the rates of the theory,
// n^(-1/2 - (2k + 1) / (2d)), over a decade of n.

#include <evergreen/base/error.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace Evergreen;

namespace
{
  // The midpoint rule with n^dim points on the unit cube.
  void
  midpoints(const unsigned int   dim,
            const unsigned int   n,
            std::vector<double> &points,
            std::vector<double> &weights)
  {
    for (unsigned int i = 0; i < (dim == 1 ? n : n * n); ++i)
      {
        points.push_back((i % n + 0.5) / n);
        if (dim == 2)
          points.push_back((i / n + 0.5) / n);
        weights.push_back(std::pow(1. / n, dim));
      }
  }


  Fit
  approximate(const unsigned int dim,
              const unsigned int power,
              const unsigned int n_neurons,
              const std::size_t  size)
  {
    std::vector<double> points, weights, values;
    midpoints(dim, dim == 1 ? 2000 : 56, points, weights);
    for (std::size_t q = 0; q < weights.size(); ++q)
      values.push_back(std::sin(2 * M_PI * points[q * dim]) *
                         (dim == 1 ? 1 : std::cos(2 * points[q * dim + 1])) +
                       std::exp(points[q * dim]));
    BoundingSphere sphere;
    sphere.centre.assign(dim, 0.5);
    sphere.radius = 0.5 * std::sqrt(double(dim));
    const Dictionary dictionary(std::make_shared<ReluFamily>(power, sphere),
                                size,
                                1);
    GreedyParameters parameters;
    parameters.n_neurons = n_neurons;
    parameters.memory    = 64 << 20;
    return approximate_function(
      points, weights, values, dictionary, parameters);
  }


  // The order of convergence between n and 10 n neurons.
  double
  measured_order(const Fit &fit, const std::size_t n)
  {
    return std::log10(fit.train_squares[n] / fit.train_squares[10 * n]) / 2;
  }


  double
  theory(const unsigned int dim, const unsigned int power)
  {
    return 0.5 + (2. * power + 1) / (2. * dim);
  }
} // namespace


TEST(FunctionGreedy, RatesInOneDimension)
{
  for (const unsigned int power : {1u, 2u})
    {
      const Fit fit = approximate(1, power, 100, 512);
      EXPECT_GT(measured_order(fit, 10), theory(1, power) - 0.1);
      EXPECT_LT(fit.train_squares[100], 1e-6 * fit.train_squares[0]);
    }
}


TEST(FunctionGreedy, RatesInTwoDimensions)
{
  for (const unsigned int power : {1u, 2u})
    {
      const Fit fit = approximate(2, power, 100, 512);
      EXPECT_GT(measured_order(fit, 10), theory(2, power) - 0.1);
    }
}


TEST(FunctionGreedy, AtomsAndCoefficientsMakeTheFunction)
{
  std::vector<double> points, weights, values;
  midpoints(1, 200, points, weights);
  for (const double y : points)
    values.push_back(y * y);
  BoundingSphere sphere;
  sphere.centre = {0.5};
  sphere.radius = 0.5;
  const Dictionary dictionary(std::make_shared<ReluFamily>(1, sphere), 64, 1);
  GreedyParameters parameters;
  parameters.n_neurons = 12;
  const Fit fit =
    approximate_function(points, weights, values, dictionary, parameters);
  const AtomList atoms = fit.atoms(dictionary, 12);
  double         error = 0;
  for (std::size_t q = 0; q < points.size(); ++q)
    {
      double rest = values[q];
      for (std::size_t i = 0; i < 12; ++i)
        rest -= fit.coefficients[i] * atoms.value(i, &points[q]);
      error += weights[q] * rest * rest;
    }
  EXPECT_NEAR(error, fit.train_squares[12], 1e-12);
  EXPECT_LT(std::sqrt(error), 5e-3);
}


TEST(FunctionGreedy, BadInput)
{
  BoundingSphere sphere;
  sphere.centre = {0.5};
  sphere.radius = 0.5;
  const Dictionary dictionary(std::make_shared<ReluFamily>(1, sphere), 64, 1);
  const auto       call = [&](const std::vector<double> &points,
                        const std::vector<double> &weights,
                        const std::vector<double> &values) {
    return approximate_function(
      points, weights, values, dictionary, GreedyParameters());
  };
  EXPECT_THROW(call({0, 1}, {1}, {1}), Error);
  EXPECT_THROW(call({0, 1}, {1, -1}, {1, 1}), Error);
  EXPECT_THROW(call({0, 1}, {1, 1}, {0, 0}), Error);
  EXPECT_THROW(call({0, 1}, {1, 1}, {0, NAN}), Error);
}
