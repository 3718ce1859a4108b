// Learning from finite element data: the errors are what they are said to be,
// and nothing depends on interruptions.

#include "learning/small_dataset.h"

#include <evergreen/kernel/kernel_function.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/learning/checkpoint.h>

#include <cmath>
#include <csignal>
#include <numeric>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  void
  expect_same(const LearnedKernel &a, const LearnedKernel &b)
  {
    EXPECT_EQ(a.response, b.response);
    EXPECT_EQ(a.expansions.pool.weights, b.expansions.pool.weights);
    EXPECT_EQ(a.expansions.pool.biases, b.expansions.pool.biases);
    EXPECT_EQ(a.expansions.starts, b.expansions.starts);
    EXPECT_EQ(a.expansions.atoms, b.expansions.atoms);
    ASSERT_EQ(a.expansions.levels.size(), b.expansions.levels.size());
    for (std::size_t l = 0; l < a.expansions.levels.size(); ++l)
      EXPECT_EQ(a.expansions.levels[l].coefficients,
                b.expansions.levels[l].coefficients);
    ASSERT_EQ(a.table.has_value(), b.table.has_value());
    if (a.table)
      {
        EXPECT_EQ(a.table->values(), b.table->values());
      }
    EXPECT_EQ(a.history.train_error, b.history.train_error);
  }

  /** eps_u by its definition, with plain loops and G~ at Gauss points. */
  double
  direct_error(const SmallDataset<1> &data, const LearnedKernel &kernel)
  {
    const auto  &points   = data.reader->mesh().points;
    const double h        = 1. / 40;
    const double gauss[2] = {(1 - 1 / std::sqrt(3.)) / 2,
                             (1 + 1 / std::sqrt(3.)) / 2};
    double       sum      = 0;
    for (std::size_t j = 0; j < 20; ++j)
      {
        std::vector<double> f(41), u(41), e(41, 0.);
        data.reader->read_forcings(Split::test, j, 1, f.data());
        data.reader->read_solutions(Split::test, j, 1, u.data());
        for (std::size_t s = 0; s < kernel.response.size(); ++s)
          {
            const Expansion slice = kernel.slice(s);
            double          value = 0;
            for (std::size_t cell = 0; cell < 40; ++cell)
              for (const double t : gauss)
                {
                  const double y = points[cell] + t * h;
                  value += h / 2 * slice.value(&y) *
                           ((1 - t) * f[cell] + t * f[cell + 1]);
                }
            e[kernel.response[s]] = u[kernel.response[s]] - value;
          }
        // The mass matrix of linear elements: h/6 (1 4 1).
        double error = 0, norm = 0;
        for (std::size_t cell = 0; cell < 40; ++cell)
          {
            const auto square = [&](const std::vector<double> &v) {
              return h / 3 *
                     (v[cell] * v[cell] + v[cell] * v[cell + 1] +
                      v[cell + 1] * v[cell + 1]);
            };
            error += square(e);
            norm += square(u);
          }
        sum += std::sqrt(error / norm);
      }
    return sum / 20;
  }

  /** eps_G by its definition, point by point. */
  double
  direct_kernel_error(SmallDataset<2>      &data,
                      const LearnedKernel  &kernel,
                      const QuadratureRule &rule)
  {
    const KernelFunction<2> function(kernel);
    const auto              weights = all_nodal_weights(data.space);
    dealii::LinearAlgebra::distributed::Vector<double> nodal;
    double                                             error = 0, norm = 0;
    for (std::size_t s = 0; s < kernel.response.size(); ++s)
      {
        const auto node      = kernel.response[s];
        const auto expansion = kernel.slice(s);
        data.problem.greens_function(node, nodal);
        for (std::size_t q = 0; q < rule.n_points(); ++q)
          {
            const dealii::Point<2> y(rule.points[2 * q],
                                     rule.points[2 * q + 1]);
            // Row k of the rule is degree of freedom k on a single rank.
            double exact = 0, weight = 0;
            for (auto k = rule.column_starts[q]; k < rule.column_starts[q + 1];
                 ++k)
              {
                exact += rule.values[k] * nodal(rule.rows[k]);
                weight += rule.values[k];
              }
            exact /= weight;
            const double learned = kernel.table
                                     ? function.value(data.space.point(node), y)
                                     : expansion.value(y.begin_raw());
            error += weights[node] * weight * std::pow(exact - learned, 2);
            norm += weights[node] * weight * exact * exact;
          }
      }
    return std::sqrt(error / norm);
  }
} // namespace


TEST(Learner, ErrorsAreWhatTheySayTheyAre)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  for (const std::string method : {"pw-oga", "oga"})
    {
      auto parameters   = quick_learning(12);
      parameters.method = method;
      const auto kernel =
        learn_kernel(data.space, data.samples, parameters).kernel;
      const auto  eps_u  = errors_of(data, kernel).eps_u;
      const auto &levels = kernel.expansions.levels;
      ASSERT_EQ(eps_u.size(), levels.size());
      for (std::size_t l = 0; l < levels.size(); ++l)
        {
          const auto level = kernel.with_neurons(levels[l].n_neurons);
          EXPECT_EQ(level.n_neurons(), levels[l].n_neurons);
          EXPECT_NEAR(eps_u[l], direct_error(data, level), 1e-12);
        }
      EXPECT_LT(eps_u.back(), 0.2);
    }
}

// All levels in one pass against sums over the atoms of every slice alone, with
// radial atoms and their near field, and a symmetrised table at the end.
TEST(Learner, LevelsHaveTheErrorsOfSingleKernels)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5");
  auto            parameters = quick_learning(12);
  parameters.family          = "mixed";
  parameters.function        = "log";
  parameters.reciprocity     = true;
  const auto kernel = learn_kernel(data.space, data.samples, parameters).kernel;
  ASSERT_TRUE(kernel.table);
  const auto errors = errors_of(data, kernel);
  const auto tests =
    read_test_set(data.space, *data.reader, Split::test, kernel.response);
  const auto &rule   = tests.rule().rule;
  const auto &levels = kernel.expansions.levels;
  ASSERT_EQ(errors.eps_u.size(), levels.size());
  ASSERT_EQ(errors.eps_G.size(), levels.size());
  const std::size_t n_slices = kernel.response.size();
  for (const std::size_t l : {std::size_t(3), levels.size() - 1})
    {
      const auto level = kernel.with_neurons(levels[l].n_neurons);
      EXPECT_EQ(level.table.has_value(), l + 1 == levels.size());
      const KernelMatrix       matrix(level, tests.rule());
      std::vector<std::size_t> all(n_slices);
      std::iota(all.begin(), all.end(), 0);
      const auto          rows = matrix.rows(all);
      std::vector<double> predictions;
      for (std::size_t j = 0; j < tests.n_samples(); ++j)
        for (std::size_t s = 0; s < n_slices; ++s)
          predictions.push_back(
            std::inner_product(&rows[s * rule.n_rows],
                               &rows[s * rule.n_rows] + rule.n_rows,
                               &tests.forcings()[j * rule.n_rows],
                               0.));
      EXPECT_NEAR(errors.eps_u[l],
                  tests.mean_relative_error(predictions),
                  1e-12);
      EXPECT_NEAR(errors.eps_G[l],
                  direct_kernel_error(data, level, rule),
                  1e-12);
    }
  EXPECT_LT(errors.eps_u.back(), errors.eps_u.front());
}

// With fundamental solutions the rank is not used up unless it is asked for.
TEST(Learner, LeavesAShareOfTheRank)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(500);
  parameters.family                   = "mixed";
  parameters.function                 = "modulus";
  parameters.rank_share               = 0.65;
  const auto some = learn_kernel(data.space, data.samples, parameters);
  ASSERT_EQ(some.rank, 5u);
  EXPECT_EQ(some.neuron_limit, 3u); // 0.65 * 5 = 3.25
  EXPECT_LE(some.kernel.n_neurons(), 3u);
  parameters.rank_share = 1;
  const auto all        = learn_kernel(data.space, data.samples, parameters);
  EXPECT_EQ(all.kernel.n_neurons(), 5u);

  // Held-out samples decide for themselves, and ReLU atoms are the paper's.
  parameters.rank_share = 0.65;
  parameters.stopping   = "validation";
  EXPECT_EQ(learn_kernel(data.space, data.samples, parameters).neuron_limit,
            0u);
  parameters.stopping = "neurons";
  parameters.family   = "relu";
  EXPECT_EQ(
    learn_kernel(data.space, data.samples, parameters).kernel.n_neurons(), 5u);
}

// With as many neurons as the data have independent directions, both the
// kernel and least squares reproduce the data.
TEST(Learner, ReachesTheRankAndStops)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(500);
  const auto result = learn_kernel(data.space, data.samples, parameters);
  EXPECT_EQ(result.rank, 5u); // wavelength 0.4 on a box of 1.2: |k| < 3
  EXPECT_EQ(result.kernel.n_neurons(), 5u);
  // A slice whose residual is zero to the last bit has met the tolerance 0.
  EXPECT_EQ(result.reasons.count(StopReason::neurons), 0u);
  EXPECT_GT(result.reasons.at(StopReason::rank), 0u);
  EXPECT_LT(result.kernel.history.train_error.back(), 1e-9);
  EXPECT_LT(result.misfit, 1e-12);

  EXPECT_LT(errors_of(data, result.kernel).eps_u.back(), 1e-9);
  const auto tests = read_test_set(data.space,
                                   *data.reader,
                                   Split::test,
                                   result.kernel.response);
  EXPECT_LT(
    tests.mean_relative_error(least_squares_predictions(
      *data.reader, *data.reader, result.kernel.response, MPI_COMM_SELF)),
    1e-9);
}

TEST(Learner, KernelErrorAgainstTheExactGreensFunction)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  const auto result = learn_kernel(data.space, data.samples, quick_learning(6));
  const double error = errors_of(data, result.kernel).eps_G.back();

  // In one dimension G_h interpolates G = min(x,y) (1 - max(x,y)), and the
  // slices are compared by the midpoint rule of a much finer mesh.
  double square = 0, norm = 0;
  for (std::size_t s = 0; s < result.kernel.response.size(); ++s)
    {
      const double x     = result.kernel.response[s] / 40.;
      const auto   slice = result.kernel.expansions[s];
      for (std::size_t i = 0; i < 4000; ++i)
        {
          const double y     = (i + 0.5) / 4000;
          const double exact = std::min(x, y) * (1 - std::max(x, y));
          square += std::pow(exact - slice.value(&y), 2);
          norm += std::pow(exact, 2);
        }
    }
  EXPECT_NEAR(error, std::sqrt(square / norm), 0.02 * error);
}

TEST(Learner, MonteCarloRuleIsThePapers)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  const auto rule = make_rule(data.space, QuadratureKind::monte_carlo).rule;
  EXPECT_EQ(rule.n_points(), 41u);
  for (const double value : rule.values)
    EXPECT_NEAR(value, 1. / 41, 1e-14);
  auto parameters       = quick_learning(5);
  parameters.quadrature = "monte-carlo";
  const auto result     = learn_kernel(data.space, data.samples, parameters);
  EXPECT_EQ(result.kernel.quadrature, "monte-carlo");
  EXPECT_LT(result.kernel.history.train_error.back(), 1e-9);
}

TEST(Learner, FundamentalSolutionsOfTheInterval)
{
  // G = min(x, y) (1 - max(x, y)) is made of a few such atoms, by both methods.
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  for (const std::string method : {"pw-oga", "oga"})
    {
      auto parameters     = quick_learning(8);
      parameters.method   = method;
      parameters.family   = "fundamental";
      parameters.function = "modulus";
      const auto result   = learn_kernel(data.space, data.samples, parameters);
      EXPECT_LT(errors_of(data, result.kernel).eps_G.back(), 1e-9);
      EXPECT_LT(errors_of(data, result.kernel).eps_u.back(), 1e-9);

      // What was saved is what was learned.
      result.kernel.save(directory / "kernel.h5");
      const auto loaded = LearnedKernel::load(directory / "kernel.h5");
      EXPECT_EQ(errors_of(data, loaded).eps_G.back(),
                errors_of(data, result.kernel).eps_G.back());
    }
}

TEST(Learner, FindsTheAtomsThatSuitTheData)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5");
  auto            parameters = quick_learning(24);
  parameters.family          = "auto";
  parameters.wave_number     = 5; // spares the search for it
  parameters.stopping        = "auto";
  parameters.sensors =
    "0, 0; 0.3, 0.2; -0.5, 0.1; 0.1, 0.6; 0.4, -0.4; "
    "-0.2, -0.7; 0.8, 0.1; -0.1, 0.3";
  const auto found = learn_kernel(data.space, data.samples, parameters);
  EXPECT_NE(found.dictionary.family, "relu");
  EXPECT_EQ(found.dictionary.solution.function, RadialFunction::logarithm);
  EXPECT_GE(found.trials.size(), 5u);

  parameters.family = "relu";
  const auto relu   = learn_kernel(data.space, data.samples, parameters);
  EXPECT_LT(10 * errors_of(data, found.kernel).eps_u.back(),
            errors_of(data, relu.kernel).eps_u.back());

  parameters.family   = "mixed";
  parameters.function = "inverse";
  expect_error([&]() { learn_kernel(data.space, data.samples, parameters); },
               "no fundamental solution in 2D");
}

TEST(Learner, NeedsNothingButFundamentalSolutionsInOneDimension)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(24);
  parameters.family                   = "auto";
  parameters.method                   = "oga";
  const auto result = learn_kernel(data.space, data.samples, parameters);
  EXPECT_EQ(result.dictionary.family, "fundamental");
  // |x - y|, x, y, xy and 1 are Poisson's kernel.
  EXPECT_LT(errors_of(data, result.kernel).eps_G.back(), 1e-8);
}

TEST(Learner, ReciprocityKeepsASymmetricKernel)
{
  // The exact kernel vanishes on the boundary and is its own transpose.
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(8);
  parameters.family                   = "fundamental";
  parameters.function                 = "modulus";
  parameters.reciprocity              = true;
  const auto result = learn_kernel(data.space, data.samples, parameters);
  EXPECT_LT(errors_of(data, result.kernel).eps_G.back(), 1e-8);
}

TEST(Learner, ReciprocityHelpsNoisyData)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5", 60, 0.05);
  auto            parameters = quick_learning(16);
  parameters.family          = "mixed";
  parameters.function        = "log";
  const auto once        = learn_kernel(data.space, data.samples, parameters);
  parameters.reciprocity = true;
  const auto symmetric   = learn_kernel(data.space, data.samples, parameters);
  EXPECT_LT(errors_of(data, symmetric.kernel).eps_u.back(),
            0.7 * errors_of(data, once.kernel).eps_u.back());
}

// Solutions and kernel are measured in one pass, and alike alone.
TEST(Learner, ErrorsAreTheSameTogetherAndAlone)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5", 60, 0.3);
  for (const std::string kind : {"plain", "symmetrised", "of one level"})
    {
      auto parameters        = quick_learning(6);
      parameters.family      = "mixed";
      parameters.function    = "log";
      parameters.reciprocity = (kind != "plain");
      auto kernel = learn_kernel(data.space, data.samples, parameters).kernel;
      if (kind == "of one level")
        kernel = kernel.with_neurons(6);
      const auto together = errors_of(data, kernel);
      const auto alone =
        kernel_errors<2>(kernel, data.space, nullptr, &data.problem);
      ASSERT_EQ(together.eps_G.size(), kernel.expansions.levels.size());
      ASSERT_EQ(together.eps_u.size(), together.eps_G.size());
      for (std::size_t l = 0; l < together.eps_G.size(); ++l)
        {
          EXPECT_GT(together.eps_G[l], 0.) << kind;
          EXPECT_NEAR(together.eps_G[l], alone.eps_G[l], 1e-12) << kind;
        }
    }
}

TEST(Learner, ReciprocityMakesASymmetricKernel)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "d.h5", 30, 0.1);
  auto                     parameters = quick_learning(8);
  parameters.reciprocity              = true;
  const auto result = learn_kernel(data.space, data.samples, parameters);
  result.kernel.save(directory / "kernel.h5");
  const auto kernel = LearnedKernel::load(directory / "kernel.h5");
  ASSERT_TRUE(kernel.table);
  EXPECT_EQ(kernel.table->values(), result.kernel.table->values());

  // As a function of two points, nodes or not.
  const KernelFunction<1> function(kernel);
  for (const double x : {0.1, 0.25, 0.33, 0.71})
    for (const double y : {0.05, 0.5, 0.625, 0.98})
      EXPECT_EQ(function.value(dealii::Point<1>(x), dealii::Point<1>(y)),
                function.value(dealii::Point<1>(y), dealii::Point<1>(x)));

  // As a matrix: u.(K f) is the double integral of u G f, so a symmetric form
  // if u is integrated by the same mass matrix, here by Simpson's rule.
  const auto         rule = make_rule(data.space);
  const KernelMatrix matrix(kernel, rule);
  const double       h    = 1. / 40;
  const auto         form = [&](const int a, const int b) {
    const auto wave = [&](const int k, const std::size_t node) {
      return std::sin(k * M_PI * node * h);
    };
    std::vector<double> f(41);
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] = wave(b, rule.nodes[i]);
    auto u = matrix.apply(f, 1, MPI_COMM_SELF).back();
    u.insert(u.begin(), 0.);
    u.push_back(0.);
    double sum = 0;
    for (std::size_t i = 0; i < 40; ++i)
      sum += h / 6 *
             (2 * u[i] * wave(a, i) + u[i] * wave(a, i + 1) +
              u[i + 1] * wave(a, i) + 2 * u[i + 1] * wave(a, i + 1));
    return sum;
  };
  EXPECT_NEAR(form(1, 3), form(3, 1), 1e-12);
  EXPECT_NEAR(form(2, 5), form(5, 2), 1e-12);

  // Before, it was not symmetric, and a damaged file is refused.
  LearnedKernel plain = kernel;
  plain.table.reset();
  const KernelFunction<1> before(plain);
  EXPECT_GT(std::abs(
              before.value(dealii::Point<1>(0.25), dealii::Point<1>(0.5)) -
              before.value(dealii::Point<1>(0.5), dealii::Point<1>(0.25))),
            1e-4);
  plain.table.emplace(std::vector<double>{1., std::nan("")});
  plain.save(directory / "damaged.h5");
  expect_error([&]() { LearnedKernel::load(directory / "damaged.h5"); },
               "do not fit");
}

TEST(Learner, SensorsGetTheSameSlices)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(5);
  const auto all     = learn_kernel(data.space, data.samples, parameters);
  parameters.sensors = "0.26; 0.5";
  const auto some    = learn_kernel(data.space, data.samples, parameters);
  ASSERT_EQ(some.kernel.response, (std::vector<std::size_t>{10, 20}));
  EXPECT_EQ(some.kernel.expansions[0].coefficients,
            all.kernel.expansions[9].coefficients);
  EXPECT_LT(errors_of(data, some.kernel).eps_u.back(), 0.5);
  parameters.sensors = "0.26, 0.5";
  expect_error([&]() { learn_kernel(data.space, data.samples, parameters); },
               "Sensors");
}

TEST(Learner, ValidationKeepsTheBestPointOfNoisyData)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "d.h5", 12, 0.3);
  auto                     parameters = quick_learning(100);
  parameters.stopping                 = "validation";
  parameters.validation_share         = 0.3;
  const auto  result  = learn_kernel(data.space, data.samples, parameters);
  const auto &history = result.kernel.history;
  EXPECT_LT(*std::min_element(history.validation_error.begin(),
                              history.validation_error.end()),
            history.validation_error.front() * 1.0001);
  std::size_t least = 100;
  for (std::size_t s = 0; s < result.kernel.expansions.size(); ++s)
    least = std::min(least, result.kernel.slice(s).coefficients.size());
  EXPECT_LT(least, result.rank);
}

TEST(Learner, InterruptedAndResumedGivesTheSameKernel)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5");
  for (const std::string kind : {"pw-oga", "oga", "reciprocity"})
    {
      auto parameters        = quick_learning(kind == "oga" ? 6 : 10);
      parameters.method      = kind == "oga" ? "oga" : "pw-oga";
      parameters.reciprocity = kind == "reciprocity";
      parameters.size        = 32;
      const auto whole = learn_kernel(data.space, data.samples, parameters);

      LearningOptions options;
      options.target      = directory / kind;
      options.on_progress = [](const GreedyProgress &) { raise(SIGINT); };
      const auto broken =
        learn_kernel(data.space, data.samples, parameters, options);
      EXPECT_TRUE(broken.interrupted);

      options.on_progress = {};
      expect_error(
        [&]() { learn_kernel(data.space, data.samples, parameters, options); },
        "--resume");
      options.resume = true;
      const auto resumed =
        learn_kernel(data.space, data.samples, parameters, options);
      EXPECT_GT(resumed.n_resumed, 0u);
      EXPECT_FALSE(resumed.interrupted);
      expect_same(whole.kernel, resumed.kernel);
      EXPECT_EQ(whole.kernel.table.has_value(), parameters.reciprocity);

      options.parameter_text = "other";
      expect_error(
        [&]() { learn_kernel(data.space, data.samples, parameters, options); },
        "other parameters");
    }
}

TEST(Learner, BadDataIsRefused)
{
  const TemporaryDirectory directory;
  SmallDataset<1>          data(small_interval(), directory / "data.h5", 1);
  const auto result = learn_kernel(data.space, data.samples, quick_learning(5));
  EXPECT_EQ(result.rank, 1u);
  EXPECT_EQ(result.kernel.n_neurons(), 1u);
  auto parameters     = quick_learning(5);
  parameters.stopping = "validation";
  expect_error([&]() { learn_kernel(data.space, data.samples, parameters); },
               "sample");
  parameters         = quick_learning(5);
  parameters.sensors = "a";
  expect_error([&]() { learn_kernel(data.space, data.samples, parameters); },
               "Sensors");
}
