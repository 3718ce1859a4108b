// The small problems inside of a twin, against the long way round.

#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/twin/coarse_solver.h>
#include <evergreen/twin/ridge_row.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  std::vector<double>
  normals(const std::size_t n, const std::uint64_t sample)
  {
    std::vector<double> values(n);
    Random::normals(5, Random::Stream::test, sample, 0, n, values.data());
    return values;
  }

  /** The same with the sample @p n of N left out. */
  std::vector<double>
  without(const std::vector<double> &columns,
          const std::size_t          n_samples,
          const std::size_t          n)
  {
    std::vector<double> result;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (i % n_samples != n)
        result.push_back(columns[i]);
    return result;
  }

  /** A random sparse matrix with rows of different sizes. */
  CsrMatrix
  random_matrix(const std::size_t n)
  {
    const auto numbers = normals(8 * n, 1);
    CsrMatrix  matrix;
    matrix.n_columns = n;
    for (std::size_t i = 0; i < n; ++i)
      {
        std::vector<std::pair<std::uint32_t, double>> row;
        for (std::size_t j = 0; j < n; ++j)
          if (i == j)
            row.emplace_back(j, 0.1 + 3 * (i % 7));
          else if ((i * i + 3 * j) % 41 == 0)
            row.emplace_back(j, numbers[(i + 7 * j) % numbers.size()]);
        matrix.add_row(row);
      }
    return matrix;
  }
} // namespace


// Columns of equal norms in all samples but one are not equal without it: a
// ridge in the columns' own scale makes the comparison exact.
TEST(RidgeRow, LeavesSamplesOut)
{
  constexpr std::size_t n_samples = 12, n_columns = 5;
  const auto            columns = normals(n_samples * n_columns, 2);
  const auto            target  = normals(n_samples, 3);
  const RidgeRow        row(columns, target, n_columns);
  const auto            fit = row.fit(0.);
  for (std::size_t n = 0; n < n_samples; ++n)
    {
      const auto others = RidgeRow(without(columns, n_samples, n),
                                   without(target, n_samples, n),
                                   n_columns)
                            .fit(0.)
                            .coefficients;
      double error = target[n];
      for (std::size_t k = 0; k < n_columns; ++k)
        error -= others[k] * columns[k * n_samples + n];
      EXPECT_NEAR(fit.left_out[n], error, 1e-11);
    }
}

// The ridge as more samples: rows of a diagonal matrix with zero targets.
TEST(RidgeRow, TakesTheRidgeForSamples)
{
  constexpr std::size_t n_samples = 6, n_columns = 9;
  constexpr double      ridge   = 1e-2;
  const auto            columns = normals(n_samples * n_columns, 4);
  const auto            target  = normals(n_samples, 5);
  const auto            prior   = normals(n_columns, 6);
  const RidgeRow        row(columns, target, n_columns);

  // The samples, and the differences from the prior.
  constexpr std::size_t n_all = n_samples + n_columns;
  std::vector<double>   more(n_all * n_columns, 0.), targets = target;
  for (std::size_t k = 0; k < n_columns; ++k)
    {
      double square = 0;
      for (std::size_t n = 0; n < n_samples; ++n)
        {
          more[k * n_all + n] = columns[k * n_samples + n];
          square += std::pow(columns[k * n_samples + n], 2);
        }
      more[k * n_all + n_samples + k] = ridge * std::sqrt(square);
      targets.push_back(ridge * std::sqrt(square) * prior[k]);
    }
  const auto expected = RidgeRow(more, targets, n_columns).fit(0.);
  const auto fit      = row.fit(ridge, prior);
  for (std::size_t k = 0; k < n_columns; ++k)
    EXPECT_NEAR(fit.coefficients[k], expected.coefficients[k], 1e-8);
  for (std::size_t n = 0; n < n_samples; ++n)
    EXPECT_NEAR(fit.left_out[n], expected.left_out[n], 1e-8);
}

// As many coefficients as samples: nothing is known about what is left out.
TEST(RidgeRow, SaysWhatIsUnknown)
{
  const RidgeRow row(normals(36, 7), normals(6, 8), 6);
  EXPECT_TRUE(std::isinf(row.fit(0.).left_out[0]));
  EXPECT_TRUE(std::isfinite(row.fit(1e-8).left_out[0]));
}

TEST(CoarseSolver, SolvesInBothForms)
{
  constexpr std::size_t n      = 200;
  const auto            matrix = random_matrix(n);
  for (const auto form :
       {CoarseSolver::Form::sparse, CoarseSolver::Form::dense})
    for (const std::size_t n_columns : {1, 3, 21})
      {
        const CoarseSolver solver(matrix, form);
        EXPECT_EQ(solver.form(), form);
        const auto          expected = normals(n * n_columns, 9);
        std::vector<double> columns(n * n_columns);
        matrix.multiply(expected.data(), columns.data(), n_columns);
        solver.solve(columns.data(), n_columns);
        for (std::size_t i = 0; i < columns.size(); ++i)
          EXPECT_NEAR(columns[i], expected[i], 1e-9);
      }
}

TEST(CoarseSolver, RefusesSingularMatrices)
{
  CsrMatrix matrix;
  matrix.n_columns = 2;
  matrix.add_row({{0, 1.}, {1, 2.}});
  matrix.add_row({{0, 2.}, {1, 4.}});
  expect_error([&]() { CoarseSolver solver(matrix); }, "singular");
}
