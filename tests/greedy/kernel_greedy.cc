// OGA for the whole kernel against brute force on a tiny problem.

#include "backends.h"
#include "small_problem.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/greedy/kernel_greedy.h>

#include <gtest/gtest.h>

using namespace Evergreen;

namespace
{
  class KernelGreedyTest : public Testing::BackendTest
  {};


  std::vector<double>
  weights_of(const SmallProblem &problem)
  {
    std::vector<double> weights;
    for (std::size_t s = 0; s < problem.response.size(); ++s)
      weights.push_back(0.5 + s % 3);
    return weights;
  }


  Fit
  learn(const SmallProblem     &problem,
        const Dictionary       &dictionary,
        const GreedyParameters &parameters,
        const double            validation_share = 0,
        Fit                     fit              = {})
  {
    auto data       = problem.data();
    data.validation = validation_split(problem.n_samples, validation_share, 1);
    const Coordinates coordinates(data, MPI_COMM_SELF);
    approximate_kernel(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      problem.response_points(),
      weights_of(problem),
      fit);
    return fit;
  }


  // The action of an atom g(x, y) at all response points on all samples,
  // weighted so that dot products are the inner products.
  std::vector<double>
  action(const SmallProblem &problem, const AtomList &atoms, std::size_t index)
  {
    const auto          points  = problem.response_points();
    const auto          weights = weights_of(problem);
    std::vector<double> factors, result;
    const auto          slices = restrict_to_points(
      atoms, index, problem.response.size(), points.data(), factors);
    for (std::size_t s = 0; s < slices.size(); ++s)
      for (std::size_t j = 0; j < problem.n_samples; ++j)
        result.push_back(factors[s] * direct_action(problem, slices, s, j) *
                         std::sqrt(weights[s] / problem.n_samples));
    return result;
  }


  double
  dot(const std::vector<double> &a, const std::vector<double> &b)
  {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
  }


  // Gram-Schmidt in full coordinates, and a search over all atoms.
  std::vector<unsigned int>
  brute_force(const SmallProblem  &problem,
              const Dictionary    &dictionary,
              const std::size_t    n_neurons,
              std::vector<double> &squares)
  {
    const auto          weights = weights_of(problem);
    std::vector<double> residual;
    for (std::size_t s = 0; s < problem.response.size(); ++s)
      for (std::size_t j = 0; j < problem.n_samples; ++j)
        residual.push_back(
          problem.u[j * problem.n_nodes() + problem.response[s]] *
          std::sqrt(weights[s] / problem.n_samples));
    std::vector<std::vector<double>> basis;
    std::vector<unsigned int>        chosen;
    for (std::size_t n = 0; n < n_neurons; ++n)
      {
        const AtomList atoms = dictionary.draw(n);
        unsigned int   best  = 0;
        double         score = -1;
        for (unsigned int j = 0; j < atoms.size(); ++j)
          if (const double c =
                std::abs(dot(action(problem, atoms, j), residual));
              c > score)
            {
              score = c;
              best  = j;
            }
        chosen.push_back(best);
        auto q = action(problem, atoms, best);
        for (int pass = 0; pass < 2; ++pass)
          for (const auto &b : basis)
            {
              const double c = dot(q, b);
              for (std::size_t i = 0; i < q.size(); ++i)
                q[i] -= c * b[i];
            }
        const double norm = std::sqrt(dot(q, q));
        for (double &value : q)
          value /= norm;
        const double c = dot(q, residual);
        for (std::size_t i = 0; i < q.size(); ++i)
          residual[i] -= c * q[i];
        basis.push_back(q);
        squares.push_back(dot(residual, residual));
      }
    return chosen;
  }
} // namespace


TEST_P(KernelGreedyTest, AgreesWithBruteForce)
{
  for (const unsigned int dim : {1u, 2u})
    {
      auto problem = make_small_problem(dim, dim == 1 ? 12 : 3, 20, 60);
      problem.response.resize(9);
      const auto          dictionary = problem.dictionary(21, 1, true);
      std::vector<double> squares;
      const auto          chosen = brute_force(problem, dictionary, 6, squares);
      for (const auto precision : {SearchPrecision::double_precision,
                                   SearchPrecision::single_precision})
        {
          auto parameters      = with_neurons(6);
          parameters.precision = precision;
          const Fit fit        = learn(problem, dictionary, parameters);
          EXPECT_EQ(fit.chosen, chosen);
          for (std::size_t n = 0; n < 6; ++n)
            EXPECT_NEAR(fit.train_squares[n + 1],
                        squares[n],
                        1e-11 * fit.train_squares[0]);
        }
    }
}


TEST_P(KernelGreedyTest, CoefficientsMakeTheResidual)
{
  const auto problem    = make_small_problem(1, 12, 20, 60);
  const auto dictionary = problem.dictionary(40, 2, true);
  const Fit  fit        = learn(problem, dictionary, with_neurons(10));
  const auto atoms      = fit.atoms(dictionary, 10);
  const auto weights    = weights_of(problem);
  for (const std::size_t n : {3u, 10u})
    {
      const auto          x = fit.coefficients_of(n);
      std::vector<double> residual;
      for (std::size_t s = 0; s < problem.response.size(); ++s)
        for (std::size_t j = 0; j < 20; ++j)
          residual.push_back(problem.u[j * problem.n_nodes() + s] *
                             std::sqrt(weights[s] / 20));
      const double total = dot(residual, residual);
      for (std::size_t i = 0; i < n; ++i)
        {
          const auto h = action(problem, atoms, i);
          for (std::size_t k = 0; k < h.size(); ++k)
            residual[k] -= x[i] * h[k];
        }
      EXPECT_NEAR(dot(residual, residual), fit.train_squares[n], 1e-10 * total);
      for (std::size_t i = 0; i < n; ++i)
        {
          const auto h = action(problem, atoms, i);
          EXPECT_LT(std::abs(dot(h, residual)),
                    1e-10 * std::sqrt(dot(h, h) * total));
        }
    }
}


TEST_P(KernelGreedyTest, SinglePrecisionOfTheBasisIsEnough)
{
  // The same atoms, and errors that are right to 1e-6 of the data's norm, down
  // to where atoms are nearly in the span of the others.
  const auto problem    = make_small_problem(1, 16, 20, 60);
  const auto dictionary = problem.dictionary(40, 1, true);
  auto       parameters = with_neurons(40);
  const Fit  exact      = learn(problem, dictionary, parameters, 0.2);

  parameters.single_basis = true;
  const Fit fit           = learn(problem, dictionary, parameters, 0.2);
  EXPECT_EQ(fit.chosen, exact.chosen);
  ASSERT_EQ(fit.train_squares.size(), exact.train_squares.size());
  const double norm = std::sqrt(exact.train_squares[0]);
  double       most = 0;
  for (std::size_t n = 0; n < fit.train_squares.size(); ++n)
    {
      const double error = std::abs(std::sqrt(fit.train_squares[n]) -
                                    std::sqrt(exact.train_squares[n]));
      EXPECT_LT(error, 1e-6 * norm);
      most = std::max(most, error);
      EXPECT_NEAR(std::sqrt(fit.validation_squares[n]),
                  std::sqrt(exact.validation_squares[n]),
                  1e-6 * std::sqrt(exact.validation_squares[0]));
    }
  EXPECT_GT(most, 0.); // it was in single precision

  // Half the memory.
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  parameters.memory = 6 * 40 * coordinates.n_rows() * coordinates.n_slices();
  EXPECT_NO_THROW(learn(problem, dictionary, parameters));
  parameters.single_basis = false;
  EXPECT_THROW(learn(problem, dictionary, parameters), UsageError);
}


TEST_P(KernelGreedyTest, ResumesToTheSameResult)
{
  const auto problem    = make_small_problem(1, 16, 20, 60);
  const auto dictionary = problem.dictionary(40, 1, true);
  const auto parameters = with_neurons(12);
  const Fit  all        = learn(problem, dictionary, parameters, 0.2);

  auto data       = problem.data();
  data.validation = validation_split(20, 0.2, 1);
  const Coordinates coordinates(data, MPI_COMM_SELF);
  const auto        points  = problem.response_points();
  const auto        weights = weights_of(problem);
  Fit               fit;
  EXPECT_FALSE(approximate_kernel(
    {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
    points,
    weights,
    fit,
    [](const GreedyProgress &progress) {
      return progress.n_neurons_done < 5;
    }));
  EXPECT_EQ(fit.chosen.size(), 5u);
  EXPECT_EQ(fit.reason, StopReason::unfinished);
  const Fit resumed = learn(problem, dictionary, parameters, 0.2, fit);
  EXPECT_EQ(resumed.chosen, all.chosen);
  EXPECT_EQ(resumed.coefficients, all.coefficients);
  EXPECT_EQ(resumed.train_squares, all.train_squares);
  EXPECT_EQ(resumed.validation_squares, all.validation_squares);
}


TEST_P(KernelGreedyTest, NormalisedSelectionLearnsToo)
{
  const auto problem    = make_small_problem(1, 16, 20, 60);
  auto       parameters = with_neurons(20);
  parameters.selection  = Selection::normalised;
  const Fit fit = learn(problem, problem.dictionary(40, 1, true), parameters);
  EXPECT_LT(fit.train_squares.back(), 0.02 * fit.train_squares.front());
}


TEST_P(KernelGreedyTest, BadInput)
{
  const auto problem = make_small_problem(1, 12, 20, 60);
  EXPECT_THROW(learn(problem, problem.dictionary(5), with_neurons(2)), Error);
  auto parameters   = with_neurons(1000);
  parameters.memory = 1000;
  EXPECT_THROW(learn(problem, problem.dictionary(5, 1, true), parameters),
               Error);
}


EVERGREEN_TEST_BACKENDS(KernelGreedyTest);
