// The learner on one, two or three ranks: the same atoms as on one, errors
// that agree, and errors that stop all ranks. Every rank makes the whole
// problem and learns it alone for comparison.

#include "../greedy/small_problem.h"
#include "backends.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <gtest/gtest.h>

#include <map>

using namespace Evergreen;

namespace
{
  class DistributedLearnerTest : public Testing::BackendTest
  {};


  int
  my_rank()
  {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }


  int
  n_ranks()
  {
    int n = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
  }


  // This rank's part of a problem: a range of quadrature points, the nodes
  // they touch (first those that no lower rank touches), and every response
  // point of a range of nodes.
  struct Part
  {
    explicit Part(const SmallProblem &problem)
    {
      const std::size_t rank = my_rank(), n = n_ranks();
      const std::size_t per_cell = 1u << problem.rule.dim;
      const std::size_t n_cells  = problem.rule.n_points() / per_cell;
      const auto        owner    = [&](const std::size_t q) {
        return q / per_cell * n / n_cells;
      };
      std::map<unsigned int, std::size_t> lowest;
      const QuadratureRule               &rule = problem.rule;
      for (std::size_t q = 0; q < rule.n_points(); ++q)
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          lowest.emplace(rule.rows[k], owner(q));

      std::map<unsigned int, unsigned int> local;
      for (const bool own : {true, false})
        {
          for (std::size_t q = 0; q < rule.n_points(); ++q)
            for (std::size_t k = rule.column_starts[q];
                 k < rule.column_starts[q + 1];
                 ++k)
              if (owner(q) == rank && (lowest[rule.rows[k]] == rank) == own)
                local.emplace(rule.rows[k], local.size());
          if (own)
            data.n_owned = local.size();
        }

      part_rule.dim    = rule.dim;
      part_rule.n_rows = local.size();
      for (std::size_t q = 0; q < rule.n_points(); ++q)
        if (owner(q) == rank)
          {
            std::vector<unsigned int> rows;
            const std::size_t         begin = rule.column_starts[q];
            const std::size_t         end   = rule.column_starts[q + 1];
            for (std::size_t k = begin; k < end; ++k)
              rows.push_back(local[rule.rows[k]]);
            part_rule.add_point(rule.points.data() + q * rule.dim,
                                static_cast<unsigned int>(end - begin),
                                rows.data(),
                                rule.values.data() + begin);
          }

      const std::size_t m = problem.n_nodes();
      f.resize(local.size() * problem.n_samples);
      for (std::size_t j = 0; j < problem.n_samples; ++j)
        for (const auto &[global, index] : local)
          f[j * local.size() + index] = problem.f[j * m + global];
      first_slice     = rank * m / n;
      data.n_samples  = problem.n_samples;
      data.f          = f.data();
      data.n_f_rows   = local.size();
      data.u          = problem.u.data();
      data.n_u_rows   = m;
      data.validation = validation_split(problem.n_samples, 0.2, 1);
      for (std::size_t s = first_slice; s < (rank + 1) * m / n; ++s)
        data.response.push_back(s);
      points.assign(problem.nodes.begin() + first_slice * rule.dim,
                    problem.nodes.begin() + (rank + 1) * m / n * rule.dim);
    }

    QuadratureRule      part_rule;
    TrainingData        data;
    std::vector<double> f, points;
    std::size_t         first_slice = 0;
  };
} // namespace


TEST_P(DistributedLearnerTest, PointwiseGreedyAgreesWithOneRank)
{
  const auto problem    = make_small_problem(2, 8, 100, 300);
  const auto dictionary = problem.dictionary(100);
  const Part part(problem);
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::single_precision})
    {
      GreedyParameters parameters;
      parameters.n_neurons         = 24;
      parameters.precision         = precision;
      parameters.slices_per_report = 5;
      auto alone                   = problem.data();
      alone.validation             = part.data.validation;
      const Coordinates whole(alone, MPI_COMM_SELF);
      std::vector<Fit>  expected, fits;
      approximate_slices(
        {problem.rule, whole, dictionary, parameters, MPI_COMM_SELF}, expected);

      // Ranks may have different memory.
      parameters.backend = Testing::backend();
      parameters.memory  = (my_rank() == 0) ? 2000000 : 600000;
      const Coordinates coordinates(part.data, MPI_COMM_WORLD);
      EXPECT_EQ(coordinates.rank(), whole.rank());
      EXPECT_TRUE(approximate_slices(
        {part.part_rule, coordinates, dictionary, parameters, MPI_COMM_WORLD},
        fits,
        [](const GreedyProgress &progress) {
          return progress.n_slices == 81;
        }));
      for (std::size_t s = 0; s < fits.size(); ++s)
        {
          const Fit &other = expected[part.first_slice + s];
          EXPECT_EQ(fits[s].chosen, other.chosen);
          EXPECT_EQ(fits[s].n_kept(), other.n_kept());
        }
      const auto points = history(fits, {}, MPI_COMM_WORLD);
      const auto exact  = history(expected, {}, MPI_COMM_SELF);
      for (std::size_t n = 0; n < exact.size(); ++n)
        {
          EXPECT_NEAR(points[n].train_error, exact[n].train_error, 1e-9);
          EXPECT_NEAR(points[n].validation_error,
                      exact[n].validation_error,
                      1e-9);
        }
    }
}


TEST_P(DistributedLearnerTest, KernelGreedyAgreesWithOneRank)
{
  const auto problem    = make_small_problem(2, 6, 60, 200);
  const auto dictionary = problem.dictionary(60, 1, true);
  const Part part(problem);
  for (const auto precision :
       {SearchPrecision::double_precision, SearchPrecision::single_precision})
    {
      GreedyParameters parameters;
      parameters.n_neurons = 20;
      parameters.precision = precision;
      auto alone           = problem.data();
      alone.validation     = part.data.validation;
      const Coordinates         whole(alone, MPI_COMM_SELF);
      const std::vector<double> all_weights(problem.n_nodes(), 0.5);
      Fit                       expected, fit;
      approximate_kernel(
        {problem.rule, whole, dictionary, parameters, MPI_COMM_SELF},
        problem.nodes,
        all_weights,
        expected);

      parameters.backend = Testing::backend();
      const Coordinates         coordinates(part.data, MPI_COMM_WORLD);
      const std::vector<double> weights(coordinates.n_slices(), 0.5);
      approximate_kernel(
        {part.part_rule, coordinates, dictionary, parameters, MPI_COMM_WORLD},
        part.points,
        weights,
        fit);
      EXPECT_EQ(fit.chosen, expected.chosen);
      EXPECT_EQ(fit.n_kept(), expected.n_kept());
      for (std::size_t n = 0; n < fit.train_squares.size(); ++n)
        EXPECT_NEAR(fit.train_squares[n],
                    expected.train_squares[n],
                    1e-10 * expected.train_squares[0]);
    }
}


TEST_P(DistributedLearnerTest, AnErrorOnOneRankStopsAll)
{
  auto problem = make_small_problem(2, 4, 20, 60);
  Part part(problem);
  if (my_rank() == n_ranks() - 1)
    part.f[3] = NAN;
  EXPECT_THROW(Coordinates(part.data, MPI_COMM_WORLD), Error);

  // The observer of one rank stops all.
  const Part        good(problem);
  const Coordinates coordinates(good.data, MPI_COMM_WORLD);
  const auto        dictionary = problem.dictionary(20);
  GreedyParameters  parameters;
  parameters.backend           = Testing::backend();
  parameters.n_neurons         = 3;
  parameters.slices_per_report = 1;
  std::vector<Fit> fits;
  EXPECT_FALSE(approximate_slices(
    {good.part_rule, coordinates, dictionary, parameters, MPI_COMM_WORLD},
    fits,
    [](const GreedyProgress &) { return my_rank() != 0; }));
  std::size_t done = 0;
  for (const Fit &fit : fits)
    done += (fit.reason != StopReason::unfinished);
  EXPECT_EQ(done, 1u);
}


EVERGREEN_TEST_BACKENDS(DistributedLearnerTest);
