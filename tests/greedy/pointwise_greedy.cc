// PW-OGA: the right atoms, the right coefficients, whatever the threads, the
// memory and the blocks; and all the ways to stop.

#include "backends.h"
#include "small_problem.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/greedy/pointwise_greedy.h>
#include <evergreen/greedy/slice.h>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

using namespace Evergreen;

namespace
{
  class PointwiseGreedyTest : public Testing::BackendTest
  {};


  std::vector<Fit>
  learn(const SmallProblem     &problem,
        const Dictionary       &dictionary,
        const GreedyParameters &parameters,
        const double            validation_share = 0)
  {
    auto data       = problem.data();
    data.validation = validation_split(problem.n_samples, validation_share, 1);
    const Coordinates coordinates(data, MPI_COMM_SELF);
    std::vector<Fit>  fits;
    approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF}, fits);
    return fits;
  }


  // The actions of atoms on all samples, N x n, over the root of N.
  std::vector<double>
  actions(const SmallProblem &problem, const AtomList &atoms)
  {
    std::vector<double> result;
    for (std::size_t i = 0; i < atoms.size(); ++i)
      for (std::size_t j = 0; j < problem.n_samples; ++j)
        result.push_back(direct_action(problem, atoms, i, j) /
                         std::sqrt(double(problem.n_samples)));
    return result;
  }


  std::vector<double>
  solution_row(const SmallProblem &problem, const std::size_t s)
  {
    std::vector<double> result;
    for (std::size_t j = 0; j < problem.n_samples; ++j)
      result.push_back(problem.u[j * problem.n_nodes() + s] /
                       std::sqrt(double(problem.n_samples)));
    return result;
  }


  // Least squares min |A x - b| by the singular value decomposition; A has as
  // many rows as b. Also returns the residual.
  std::vector<double>
  least_squares(std::vector<double>        a,
                const std::vector<double> &b,
                std::vector<double>       &residual)
  {
    const std::size_t   m = b.size(), n = a.size() / m;
    const auto          matrix = a;
    std::vector<double> s, u, vt, x(n);
    Blas::singular_values(int(m), int(n), a, s, &u, &vt);
    for (std::size_t k = 0; k < s.size(); ++k)
      {
        const double c =
          std::inner_product(b.begin(), b.end(), u.begin() + k * m, 0.) / s[k];
        for (std::size_t i = 0; i < n; ++i)
          x[i] += vt[i * s.size() + k] * c;
      }
    residual = b;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j)
        residual[j] -= matrix[i * m + j] * x[i];
    return x;
  }


  double
  norm(const std::vector<double> &a)
  {
    return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.));
  }


  // Algorithm 4 straight from the paper, with dense least squares.
  std::vector<unsigned int>
  brute_force(const SmallProblem &problem,
              const Dictionary   &dictionary,
              const std::size_t   slice,
              const std::size_t   n_neurons,
              const Selection     selection)
  {
    const auto                target   = solution_row(problem, slice);
    auto                      residual = target;
    AtomList                  atoms(dictionary.dim());
    std::vector<unsigned int> chosen;
    for (std::size_t n = 0; n < n_neurons; ++n)
      {
        const AtomList candidates = dictionary.draw(n);
        const auto     h          = actions(problem, candidates);
        double         best       = -1;
        unsigned int   index      = 0;
        for (unsigned int j = 0; j < candidates.size(); ++j)
          {
            const auto begin = h.begin() + j * target.size();
            double     score = std::abs(
              std::inner_product(residual.begin(), residual.end(), begin, 0.));
            if (selection == Selection::normalised)
              score /= norm(std::vector<double>(begin, begin + target.size()));
            if (score > best)
              {
                best  = score;
                index = j;
              }
          }
        chosen.push_back(index);
        atoms.push_back(candidates, index);
        least_squares(actions(problem, atoms), target, residual);
      }
    return chosen;
  }


  // Equal to a factor of their largest entry.
  void
  expect_near(const std::vector<double> &a,
              const std::vector<double> &b,
              const double               tolerance)
  {
    ASSERT_EQ(a.size(), b.size());
    double scale = 0;
    for (const double value : a)
      scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], tolerance * scale);
  }


  // The same on a processor, and the same atoms on all backends: a device's
  // matrix products may round by the number of columns.
  void
  expect_equal(const std::vector<Fit> &a, const std::vector<Fit> &b)
  {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t s = 0; s < a.size(); ++s)
      {
        EXPECT_EQ(a[s].reason, b[s].reason);
        EXPECT_EQ(a[s].chosen, b[s].chosen);
        if (Testing::backend() == "cpu")
          {
            EXPECT_EQ(a[s].coefficients, b[s].coefficients);
            EXPECT_EQ(a[s].train_squares, b[s].train_squares);
          }
        else
          {
            expect_near(a[s].coefficients, b[s].coefficients, 1e-6);
            expect_near(a[s].train_squares, b[s].train_squares, 1e-12);
          }
      }
  }


  // Forcings whose singular values fall like the powers of @p decay.
  SmallProblem
  make_decaying_problem(const double decay, const std::size_t n_samples)
  {
    SmallProblem problem;
    add_grid(2, 15, problem);
    const std::size_t   m = problem.n_nodes();
    std::vector<double> mode(m), amplitudes(n_samples);
    problem.n_samples = n_samples;
    problem.f.assign(m * n_samples, 0.);
    for (std::size_t k = 0; k < n_samples; ++k)
      {
        Random::normals(5, Random::Stream::test, k, 0, m, mode.data());
        Random::normals(
          6, Random::Stream::test, k, 0, n_samples, amplitudes.data());
        for (std::size_t j = 0; j < n_samples; ++j)
          for (std::size_t i = 0; i < m; ++i)
            problem.f[j * m + i] +=
              std::pow(decay, k) * amplitudes[j] * mode[i];
      }
    add_solutions([](const double *x,
                     const double *y) { return kinked_kernel(2, x, y); },
                  problem);
    problem.response = {0, 37, 130, 255};
    return problem;
  }


  // All slices with a search in double precision that looks at all rows and
  // decides by itself. Counts the iterations that would leave rows out.
  std::vector<Fit>
  full_search(const SmallProblem     &problem,
              const Coordinates      &coordinates,
              const Dictionary       &dictionary,
              const GreedyParameters &parameters,
              std::size_t            &n_shorter)
  {
    const std::size_t        n_dot  = coordinates.n_dot();
    const std::size_t        n_rows = coordinates.n_rows();
    const std::size_t        size   = dictionary.size();
    const auto               cpu    = make_evaluator("cpu");
    const Blas::SingleThread one_thread; // as in a run
    cpu->reinit(problem.rule, coordinates.matrix(), n_rows);

    std::vector<double> h(n_rows * size), norms(n_levels(n_dot) * size);
    std::vector<Fit>    fits(coordinates.n_slices());
    std::vector<Slice>  slices(fits.size());
    std::vector<std::vector<double>> bases(
      fits.size(), std::vector<double>(n_rows * coordinates.rank()));
    PointwiseEngine::Problem all;
    all.parameters = &parameters;
    all.n_rows     = n_rows;
    all.n_dot      = n_dot;
    all.n_data     = coordinates.n_data();
    all.rank       = coordinates.rank();
    for (std::size_t s = 0; s < fits.size(); ++s)
      {
        PointwiseEngine::SliceStart start;
        start.target      = coordinates.target(s);
        start.misfit      = coordinates.misfit(s);
        start.square_norm = coordinates.square_norm(s);
        slices[s].start(all, start, bases[s].data());
      }
    for (std::size_t n = 0; n < coordinates.rank(); ++n)
      {
        cpu->coordinates(dictionary.draw(n), h.data());
        DictionaryView view;
        view.n_atoms = size;
        view.h       = h.data();
        view.norms   = norms.data();
        for (std::size_t j = 0; j < size; ++j)
          tail_norms(n_dot, &h[j * n_rows], &norms[j], size);
        for (std::size_t level = 0; level < n_levels(n_dot); ++level)
          view.max_norms.push_back(
            *std::max_element(norms.begin() + level * size,
                              norms.begin() + (level + 1) * size));
        for (Slice &slice : slices)
          if (slice.active())
            {
              std::vector<double> products(size);
              for (std::size_t j = 0; j < size; ++j)
                products[j] =
                  std::inner_product(slice.residual<double>(),
                                     slice.residual<double>() + n_dot,
                                     &h[j * n_rows],
                                     0.);
              n_shorter += slice.levels_to_search(view) < n_levels(n_dot);
              slice.advance(view, products.data(), n_levels(n_dot));
            }
      }
    for (std::size_t s = 0; s < fits.size(); ++s)
      {
        fits[s] = slices[s].fit;
        fits[s].finish(parameters);
      }
    return fits;
  }

} // namespace


TEST_P(PointwiseGreedyTest, PicksAsBruteForceDoes)
{
  const auto problem    = make_small_problem(1, 20, 30, 60);
  const auto dictionary = problem.dictionary(37, 1);
  for (const auto selection : {Selection::plain, Selection::normalised})
    for (const auto precision :
         {SearchPrecision::double_precision, SearchPrecision::single_precision})
      {
        auto parameters      = with_neurons(6);
        parameters.selection = selection;
        parameters.precision = precision;
        const auto fits      = learn(problem, dictionary, parameters);
        for (const std::size_t s : {3u, 10u, 17u})
          EXPECT_EQ(fits[s].chosen,
                    brute_force(problem, dictionary, s, 6, selection));
      }
}


TEST_P(PointwiseGreedyTest, CoefficientsSolveTheLeastSquaresProblem)
{
  const auto problem    = make_small_problem(2, 7, 90, 200);
  const auto dictionary = problem.dictionary(64, 1);
  const auto fits       = learn(problem, dictionary, with_neurons(16));
  for (const std::size_t s : {0u, 20u, 45u})
    for (const std::size_t n : {1u, 2u, 8u, 16u})
      {
        std::vector<double> residual;
        const auto          x =
          least_squares(actions(problem, fits[s].atoms(dictionary, n)),
                        solution_row(problem, s),
                        residual);
        auto ours = fits[s].coefficients_of(n);
        for (std::size_t i = 0; i < n; ++i)
          ours[i] -= x[i];
        EXPECT_LT(norm(ours), 1e-9 * norm(x));
        EXPECT_NEAR(std::sqrt(fits[s].train_squares[n]),
                    norm(residual),
                    1e-10 * norm(residual));
        ours[0] += 1e-6 * norm(x);
        EXPECT_GT(norm(ours), 1e-9 * norm(x));
      }
  EXPECT_EQ(fits[20].coefficients, fits[20].coefficients_of(16));
  EXPECT_THROW(
    [&] {
      auto parameters         = with_neurons(4);
      parameters.keep_factors = false;
      learn(problem, dictionary, parameters)[0].coefficients_of(2);
    }(),
    Error);
}


TEST_P(PointwiseGreedyTest, ResidualIsOrthogonalAtFullRank)
{
  const auto problem    = make_small_problem(2, 8, 200, 60);
  const auto dictionary = problem.dictionary(128, 1);
  const auto fits       = learn(problem, dictionary, with_neurons(500));
  for (const std::size_t s : {0u, 40u, 80u})
    {
      EXPECT_EQ(fits[s].reason, StopReason::rank);
      EXPECT_EQ(fits[s].chosen.size(), 60u);
      // From the atoms and coefficients alone.
      const auto atoms    = fits[s].atoms(dictionary, 60);
      const auto h        = actions(problem, atoms);
      const auto target   = solution_row(problem, s);
      auto       residual = target;
      for (std::size_t i = 0; i < 60; ++i)
        for (std::size_t j = 0; j < 200; ++j)
          residual[j] -= h[i * 200 + j] * fits[s].coefficients[i];
      EXPECT_LT(norm(residual), 1e-8 * norm(target));
      for (std::size_t i = 0; i < 60; ++i)
        {
          const std::vector<double> atom(h.begin() + i * 200,
                                         h.begin() + (i + 1) * 200);
          const double              product =
            std::inner_product(atom.begin(), atom.end(), residual.begin(), 0.);
          EXPECT_LT(std::abs(product), 1e-10 * norm(atom) * norm(target));
        }
    }
}


TEST_P(PointwiseGreedyTest, DoesNotDependOnThreadsMemoryOrBlocks)
{
  const auto problem    = make_small_problem(2, 7, 60, 200);
  const auto dictionary = problem.dictionary(50, 1);
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::single_precision})
    {
      auto parameters      = with_neurons(20);
      parameters.precision = precision;
      const auto fits      = learn(problem, dictionary, parameters);

      auto other            = parameters;
      other.slices_per_task = 5;
      expect_equal(fits, learn(problem, dictionary, other));
      other.memory            = 200000; // a few dictionaries at a time
      other.slices_per_report = 7;
      expect_equal(fits, learn(problem, dictionary, other));
      const tbb::global_control one_thread(
        tbb::global_control::max_allowed_parallelism, 1);
      expect_equal(fits, learn(problem, dictionary, parameters));
    }
}


TEST_P(PointwiseGreedyTest, SinglePrecisionSearchPicksTheSameAtoms)
{
  const auto problem    = make_small_problem(2, 7, 60, 200);
  const auto dictionary = problem.dictionary(200, 1);
  auto       parameters = with_neurons(30);
  const auto fits       = learn(problem, dictionary, parameters);
  parameters.precision  = SearchPrecision::single_precision;
  expect_equal(fits, learn(problem, dictionary, parameters));
}


// On processors only: a device looks at all rows.
TEST(PointwiseGreedy, LeavingOutRowsPicksTheSameAtoms)
{
  for (const double decay : {1., 0.9})
    for (const auto selection : {Selection::plain, Selection::normalised})
      {
        const auto        problem    = make_decaying_problem(decay, 200);
        const auto        dictionary = problem.dictionary(128);
        const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
        auto              parameters = with_neurons(500);
        parameters.selection         = selection;
        std::size_t n_shorter        = 0;
        const auto  full =
          full_search(problem, coordinates, dictionary, parameters, n_shorter);
        for (const Fit &fit : full)
          EXPECT_GT(fit.chosen.size(), 190u);
        EXPECT_GE(n_shorter, decay < 1 ? 100u : 0u);
        for (const auto precision : {SearchPrecision::double_precision,
                                     SearchPrecision::single_precision})
          {
            parameters.precision = precision;
            std::vector<Fit> fits;
            approximate_slices({problem.rule,
                                coordinates,
                                dictionary,
                                parameters,
                                MPI_COMM_SELF},
                               fits);
            expect_equal(full, fits);
          }
      }
}


TEST_P(PointwiseGreedyTest, SubsetsOfSlicesGiveTheSame)
{
  auto       problem    = make_small_problem(1, 20, 30, 60);
  const auto dictionary = problem.dictionary(50, 2);
  const auto all        = learn(problem, dictionary, with_neurons(10));
  problem.response      = {11, 4};
  const auto some       = learn(problem, dictionary, with_neurons(10));
  expect_equal({all[11], all[4]}, some);
}


TEST_P(PointwiseGreedyTest, SkipsDuplicatesAndStopsAtTheSpan)
{
  const auto       problem = make_small_problem(1, 20, 30, 60);
  const Dictionary dictionary(std::make_shared<FewAtoms>(), 40, 3);
  const auto       fits = learn(problem, dictionary, with_neurons(20));
  for (const Fit &fit : fits)
    {
      // Five different atoms exist, each is chosen once.
      EXPECT_EQ(fit.chosen.size(), 5u);
      EXPECT_EQ(fit.reason, StopReason::rank);
      auto biases = fit.atoms(dictionary, 5).biases;
      std::sort(biases.begin(), biases.end());
      EXPECT_EQ(std::unique(biases.begin(), biases.end()), biases.end());
    }
}


// A dictionary is given up after so many atoms in the span; up to there
// nothing changes.
TEST_P(PointwiseGreedyTest, GivesUpWhenManyAreSkipped)
{
  const auto problem        = make_small_problem(1, 20, 30, 60);
  const auto dictionary     = problem.dictionary(50, 2);
  auto       parameters     = with_neurons(15);
  parameters.span_tolerance = 0.1;
  const auto patient        = learn(problem, dictionary, parameters);
  parameters.max_skipped    = 1;
  const auto  impatient     = learn(problem, dictionary, parameters);
  std::size_t n_shorter     = 0;
  for (std::size_t s = 0; s < patient.size(); ++s)
    {
      const auto &all = patient[s].chosen, &some = impatient[s].chosen;
      ASSERT_LE(some.size(), all.size());
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
      if (some.size() < all.size())
        {
          EXPECT_EQ(impatient[s].reason, StopReason::rank);
          ++n_shorter;
        }
    }
  EXPECT_GT(n_shorter, 0u);
}


TEST_P(PointwiseGreedyTest, StopsAtTheTolerance)
{
  const auto problem    = make_small_problem(1, 30, 30, 60);
  auto       parameters = with_neurons(30);
  parameters.tolerance  = 0.05;
  for (const Fit &fit : learn(problem, problem.dictionary(100), parameters))
    {
      EXPECT_EQ(fit.reason, StopReason::tolerance);
      EXPECT_LE(std::sqrt(fit.train_squares.back() / fit.train_squares[0]),
                0.05);
      EXPECT_GT(std::sqrt(fit.train_squares[fit.chosen.size() - 1] /
                          fit.train_squares[0]),
                0.05);
    }
}


TEST_P(PointwiseGreedyTest, ZeroSlicesNeedNoNeurons)
{
  auto problem = make_small_problem(1, 20, 30, 60);
  for (std::size_t j = 0; j < 30; ++j)
    problem.u[j * 21] = 0;
  const auto fits = learn(problem, problem.dictionary(50), with_neurons(4));
  EXPECT_EQ(fits[0].n_kept(), 0u);
  EXPECT_EQ(fits[1].n_kept(), 4u);
}


TEST_P(PointwiseGreedyTest, ValidationKeepsTheBestPoint)
{
  // Noisy solutions: more and more neurons fit the noise.
  auto                problem = make_small_problem(1, 60, 60, 300);
  std::vector<double> noise(problem.u.size() + 1);
  Random::normals(8, Random::Stream::test, 0, 0, problem.u.size(), &noise[0]);
  for (std::size_t i = 0; i < problem.u.size(); ++i)
    problem.u[i] += 0.1 * noise[i];
  const auto dictionary = problem.dictionary(100);
  const auto held_out   = validation_split(60, 0.25, 1);
  const auto fits       = learn(problem, dictionary, with_neurons(20), 0.25);
  bool       early      = false;
  for (std::size_t s = 0; s < fits.size(); ++s)
    {
      const Fit &fit = fits[s];
      ASSERT_EQ(fit.validation_squares.size(), fit.chosen.size() + 1);
      const auto best = std::min_element(fit.validation_squares.begin(),
                                         fit.validation_squares.end());
      EXPECT_EQ(fit.n_kept(), best - fit.validation_squares.begin());
      early |= fit.n_kept() < fit.chosen.size();

      // The error itself, from atoms and coefficients.
      const std::size_t n     = fit.n_kept();
      const auto        atoms = fit.atoms(dictionary, n);
      double            sum   = 0;
      for (const std::size_t j : held_out)
        {
          double rest = problem.u[j * problem.n_nodes() + s];
          for (std::size_t i = 0; i < n; ++i)
            rest -= fit.coefficients[i] * direct_action(problem, atoms, i, j);
          sum += rest * rest / held_out.size();
        }
      EXPECT_NEAR(sum, *best, 1e-7 * fit.validation_squares[0]);
    }
  EXPECT_TRUE(early);

  auto parameters     = with_neurons(40);
  parameters.patience = 3;
  for (const Fit &fit : learn(problem, dictionary, parameters, 0.25))
    if (fit.reason == StopReason::validation)
      {
        EXPECT_EQ(fit.chosen.size(), fit.n_kept() + 3);
      }
}


TEST_P(PointwiseGreedyTest, ResumesToTheSameResult)
{
  const auto        problem    = make_small_problem(2, 6, 60, 200);
  const auto        dictionary = problem.dictionary(50);
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  auto              parameters = with_neurons(12);
  parameters.slices_per_report = 10;
  const auto       all         = learn(problem, dictionary, parameters);
  std::vector<Fit> fits, stored;

  EXPECT_FALSE(approximate_slices(
    {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
    fits,
    [&](const GreedyProgress &progress) {
      EXPECT_EQ(progress.n_slices, 49u);
      EXPECT_GT(progress.train_error, 0);
      EXPECT_LT(progress.train_error, 1);
      stored = fits;
      return progress.n_slices_done < 20;
    }));
  EXPECT_EQ(stored[30].reason, StopReason::unfinished);
  EXPECT_EQ(stored[10].reason, StopReason::neurons);
  EXPECT_TRUE(approximate_slices(
    {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
    stored));
  expect_equal(all, stored);

  stored.resize(7);
  EXPECT_THROW(
    approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      stored),
    Error);
}


TEST_P(PointwiseGreedyTest, HistoryFalls)
{
  const auto problem = make_small_problem(2, 6, 60, 200);
  const auto fits =
    learn(problem, problem.dictionary(100), with_neurons(16), 0.2);
  const auto points = history(fits, {}, MPI_COMM_SELF);
  ASSERT_EQ(points.size(), 17u);
  EXPECT_EQ(points[0].train_error, 1.);
  EXPECT_EQ(points[0].validation_error, 1.);
  for (std::size_t n = 1; n < points.size(); ++n)
    {
      EXPECT_EQ(points[n].n_neurons, n);
      EXPECT_LE(points[n].train_error, points[n - 1].train_error);
    }
  EXPECT_LT(points[16].validation_error, 0.2);
}


TEST_P(PointwiseGreedyTest, BadInput)
{
  const auto problem = make_small_problem(1, 10, 10, 20);
  const auto plane   = make_small_problem(2, 3, 10, 20);
  EXPECT_THROW(learn(problem, problem.dictionary(5), with_neurons(0)), Error);
  EXPECT_THROW(learn(problem, plane.dictionary(5), with_neurons(1)), Error);
  auto parameters    = with_neurons(1);
  parameters.backend = "abacus";
  EXPECT_THROW(learn(problem, problem.dictionary(5), parameters), Error);
}


EVERGREEN_TEST_BACKENDS(PointwiseGreedyTest);
