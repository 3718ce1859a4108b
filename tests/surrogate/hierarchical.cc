// Cluster trees, low-rank blocks and the forms of an operator, on kernels in
// closed form.

#include "testing.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/random.h>
#include <evergreen/surrogate/cluster_tree.h>
#include <evergreen/surrogate/hierarchical_operator.h>
#include <evergreen/surrogate/low_rank.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  std::vector<double>
  random_numbers(const std::size_t n, const std::size_t sequence)
  {
    std::vector<double> numbers(n);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = Random::uniform(5, Random::Stream::test, sequence, i);
    return numbers;
  }

  double
  distance(const double *a, const double *b, const unsigned int dim)
  {
    double square = 0;
    for (unsigned int d = 0; d < dim; ++d)
      square += std::pow(a[d] - b[d], 2);
    return std::sqrt(square);
  }

  /** The kernel 1/(0.02 + |x - y|) at random points. */
  RowSource
  inverse_distance(const unsigned int dim,
                   const std::size_t  n_rows,
                   const std::size_t  n_columns)
  {
    RowSource source;
    source.dim           = dim;
    source.n_rows        = n_rows;
    source.n_columns     = n_columns;
    source.row_points    = random_numbers(dim * n_rows, 1);
    source.column_points = random_numbers(dim * n_columns, 2);
    source.rows = [x = source.row_points, y = source.column_points, dim](
                    const std::vector<std::size_t> &rows) {
      std::vector<double> values;
      for (const auto s : rows)
        for (std::size_t k = 0; k < y.size(); k += dim)
          values.push_back(1 / (0.02 + distance(&x[s * dim], &y[k], dim)));
      return values;
    };
    return source;
  }

  double
  norm(const std::vector<double> &v)
  {
    double square = 0;
    for (const double x : v)
      square += x * x;
    return std::sqrt(square);
  }

  double
  relative_difference(std::vector<double> a, const std::vector<double> &b)
  {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] -= b[i];
    return norm(a) / norm(b);
  }

  std::unique_ptr<KernelOperator>
  make(const RowSource    &source,
       const SurrogateForm form,
       const double        tolerance = 1e-4,
       const std::size_t   memory    = std::size_t(1) << 30)
  {
    SurrogateOptions options;
    options.form            = form;
    options.block_tolerance = tolerance;
    options.memory          = memory;
    return make_kernel_operator(source, options);
  }
} // namespace


TEST(ClusterTree, PairsCoverTheProductOnce)
{
  for (const unsigned int dim : {1, 2, 3})
    {
      const auto        x = random_numbers(dim * 300, 1);
      const auto        y = random_numbers(dim * 501, 2);
      const ClusterTree rows(dim, x, 16), columns(dim, y, 16);
      std::vector<int>  covered(300 * 501, 0);
      std::size_t       n_far = 0;
      for (const auto &pair : partition(rows, columns, 1.))
        {
          const auto &a = rows.clusters[pair.rows];
          const auto &b = columns.clusters[pair.columns];
          n_far += pair.is_far;
          for (std::size_t i = a.begin; i < a.end; ++i)
            for (std::size_t j = b.begin; j < b.end; ++j)
              {
                const auto s = rows.order[i], k = columns.order[j];
                ++covered[s * 501 + k];
                if (pair.is_far)
                  {
                    EXPECT_GT(distance(&x[dim * s], &y[dim * k], dim), 0.);
                  }
              }
        }
      EXPECT_GT(n_far, 0u);
      for (const int count : covered)
        ASSERT_EQ(count, 1);
    }
}

TEST(LowRank, CrossesReachTheToleranceAndTheBestRank)
{
  // Two separated clouds of points on the line.
  const std::size_t   m = 60, n = 80;
  const auto          x = random_numbers(m, 1), y = random_numbers(n, 2);
  std::vector<double> block(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      block[i * n + j] = 1 / (1 + x[i] + y[j]);
  std::vector<double> copy = block, s;
  Blas::singular_values(n, m, copy, s, nullptr, nullptr);

  for (const double tolerance : {1e-2, 1e-5, 1e-9})
    {
      auto       rest   = block;
      auto       cross  = cross_approximation(m, n, rest, tolerance, m);
      const auto before = cross.rank;
      recompress(cross, tolerance);
      EXPECT_LE(cross.rank, before);
      std::vector<double> product(m * n);
      Blas::gemm('N',
                 'T',
                 n,
                 m,
                 cross.rank,
                 1.,
                 cross.v.data(),
                 n,
                 cross.u.data(),
                 m,
                 0.,
                 product.data(),
                 n);
      EXPECT_LT(relative_difference(product, block), 2 * tolerance);

      std::size_t best = s.size();
      for (double tail = 0; best > 0; --best)
        {
          tail += s[best - 1] * s[best - 1];
          if (std::sqrt(tail) > tolerance * norm(block))
            break;
        }
      EXPECT_LE(cross.rank, best + 1);
      EXPECT_GE(cross.rank + 1, best);
    }
}

TEST(LowRank, StacksBlocks)
{
  LowRankMatrix upper = {
    30, 20, 2, random_numbers(60, 1), random_numbers(40, 2)};
  LowRankMatrix lower = {10, 20, 2, random_numbers(20, 3), upper.v};
  const auto    both  = stack(upper, lower, 1e-12);
  EXPECT_EQ(both.rank, 2u); // the row spaces are the same
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 20; ++j)
      {
        double value = 0, expected = 0;
        for (std::size_t r = 0; r < 2; ++r)
          {
            value += both.u[r * 40 + i] * both.v[r * 20 + j];
            expected +=
              (i < 30 ? upper.u[r * 30 + i] : lower.u[r * 10 + i - 30]) *
              upper.v[r * 20 + j];
          }
        EXPECT_NEAR(value, expected, 1e-12);
      }
}

TEST(KernelOperator, AllFormsAreTheSameMatrix)
{
  const auto          source = inverse_distance(2, 700, 900);
  const auto          f      = random_numbers(900 * 37, 3);
  const auto          v      = random_numbers(700 * 37, 4);
  std::vector<double> expected(700 * 37, 0.), expected_transposed(900 * 37, 0.);
  const auto          rows = source.rows([]() {
    std::vector<std::size_t> all(700);
    for (std::size_t s = 0; s < 700; ++s)
      all[s] = s;
    return all;
  }());
  for (std::size_t j = 0; j < 37; ++j)
    for (std::size_t s = 0; s < 700; ++s)
      for (std::size_t k = 0; k < 900; ++k)
        {
          expected[j * 700 + s] += rows[s * 900 + k] * f[j * 900 + k];
          expected_transposed[j * 900 + k] +=
            rows[s * 900 + k] * v[j * 700 + s];
        }

  const std::pair<SurrogateForm, double> accuracies[] = {
    {SurrogateForm::automatic, 1e-13},
    {SurrogateForm::dense, 1e-13},
    {SurrogateForm::atoms, 1e-13},
    {SurrogateForm::dense_single, 1e-5},
    {SurrogateForm::hierarchical, 1e-4}};
  for (const auto &[form, accuracy] : accuracies)
    for (const std::size_t n : {1u, 37u})
      {
        const auto          op = make(source, form, 1e-4);
        std::vector<double> u(700 * n), g(900 * n);
        op->apply(f.data(), u.data(), n);
        op->apply_transposed(v.data(), g.data(), n);
        const auto first = [n](const std::vector<double> &all) {
          return std::vector<double>(all.begin(),
                                     all.begin() + all.size() / 37 * n);
        };
        EXPECT_LT(relative_difference(u, first(expected)), accuracy)
          << form_name(form);
        EXPECT_LT(relative_difference(g, first(expected_transposed)), accuracy)
          << form_name(form);
        EXPECT_EQ(form_from_name(form_name(form)), form);
      }
  EXPECT_EQ(make(source, SurrogateForm::automatic)->form(),
            SurrogateForm::dense);
}

// Memory: with a looser tolerance less, and for more points a smaller share of
// the dense matrix.
TEST(HierarchicalOperator, CompressesMoreTheLargerAndTheLooser)
{
  const auto share = [](const std::size_t n) {
    const auto source = inverse_distance(2, n, n);
    return make(source, SurrogateForm::hierarchical, 1e-3)->memory() /
           (4. * n * n);
  };
  const double share_of_2000 = share(2000);
  EXPECT_LT(share_of_2000, 0.8);
  EXPECT_LT(share(6000), 0.6 * share_of_2000);
  const auto          source = inverse_distance(2, 2000, 2000);
  const auto          f      = random_numbers(2000, 3);
  std::vector<double> exact(2000), u(2000);
  make(source, SurrogateForm::dense)->apply(f.data(), exact.data(), 1);
  std::size_t memory_before = 0;
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4})
    {
      const auto op = make(source, SurrogateForm::hierarchical, tolerance);
      EXPECT_GT(op->memory(), memory_before);
      memory_before = op->memory();
      op->apply(f.data(), u.data(), 1);
      EXPECT_LT(relative_difference(u, exact), tolerance);
    }
}

TEST(KernelOperator, MemoryIsKept)
{
  const auto source = inverse_distance(2, 1500, 1500);
  expect_error([&]() { make(source, SurrogateForm::dense, 1e-3, 1 << 20); },
               "MiB");
  expect_error(
    [&]() { make(source, SurrogateForm::hierarchical, 1e-3, 1 << 20); },
    "hierarchical");
  const std::size_t dense = 1500 * 1500 * 8;
  EXPECT_EQ(make(source, SurrogateForm::automatic, 1e-3, dense)->form(),
            SurrogateForm::dense);
  EXPECT_EQ(make(source, SurrogateForm::automatic, 1e-3, dense - 1)->form(),
            SurrogateForm::hierarchical);
  EXPECT_EQ(make(source, SurrogateForm::automatic, 1e-3, 1 << 18)->form(),
            SurrogateForm::atoms);
  expect_error([]() { form_from_name("fast"); }, "fast");
}
