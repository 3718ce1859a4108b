// Expansions in a common pool against sums over the atoms of each of them.

#include <evergreen/base/random.h>
#include <evergreen/kernel/expansions.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace Evergreen;

namespace
{
  constexpr std::size_t n_pool = 37, n_lists = 11, n_longest = 9;

  /** Random lists of atoms of all forms that exist in so many variables. */
  Expansions
  random_expansions(const unsigned int dim, const bool in_x_and_y)
  {
    const unsigned int  n_variables = in_x_and_y ? 2 * dim : dim;
    std::vector<double> numbers(n_pool * (n_variables + 1) +
                                3 * n_lists * n_longest);
    Random::normals(
      dim, Random::Stream::test, 0, 0, numbers.size(), numbers.data());
    const double *next = numbers.data();
    Expansions    result;
    result.pool       = AtomList(n_variables);
    const auto radial = all_radial_functions();
    for (std::size_t i = 0; i < n_pool; ++i, next += n_variables + 1)
      {
        AtomKind kind = relu_kind(1 + i / 3 % 4);
        if (i % 3 == 1)
          kind =
            radial_kind(radial[i % radial.size()],
                        in_x_and_y ? AtomForm::product : AtomForm::centred);
        else if (i % 3 == 2 && in_x_and_y)
          kind = radial_kind(radial[i % radial.size()], AtomForm::difference);
        result.pool.push_back(kind, next, 1 + std::abs(next[n_variables]));
      }
    result.levels = {{2, {}}, {5, {}}, {n_longest, {}}};
    for (std::size_t s = 0; s < n_lists; ++s)
      {
        for (std::size_t i = 0; i < 1 + s * s % n_longest; ++i)
          result.atoms.push_back((5 * s + 7 * i) % n_pool);
        result.starts.push_back(result.atoms.size());
        for (auto &level : result.levels)
          for (std::size_t i = 0; i < result.n_atoms(s, level); ++i)
            level.coefficients.push_back(*next++);
      }
    return result;
  }


  /** Expansion @p s by its definition. */
  double
  value(const Expansions &expansions,
        const std::size_t s,
        const std::size_t level,
        const double     *y)
  {
    const double *coefficient = expansions.levels[level].coefficients.data();
    for (std::size_t t = 0; t < s; ++t)
      coefficient += std::min(expansions.starts[t + 1] - expansions.starts[t],
                              expansions.levels[level].n_neurons);
    double sum = 0;
    for (std::size_t i = 0;
         i < std::min(expansions.starts[s + 1] - expansions.starts[s],
                      expansions.levels[level].n_neurons);
         ++i)
      sum +=
        coefficient[i] *
        expansions.pool.value(expansions.atoms[expansions.starts[s] + i], y);
    return sum;
  }


  void
  expect_close(const double a, const double b)
  {
    EXPECT_NEAR(a, b, 1e-12 * (1 + std::abs(b)));
  }

  const double y[6] = {0.3, -0.2, 0.7, 0.45, 0.15, -0.6};
} // namespace


TEST(Expansions, PartsOfThemAreTheSame)
{
  const Expansions               all    = random_expansions(2, false);
  const std::vector<std::size_t> wanted = {7, 2, 3};
  const Expansions               some   = all.subset(wanted);
  EXPECT_LT(some.pool.size(), all.pool.size());
  ASSERT_EQ(some.size(), wanted.size());
  for (std::size_t l = 0; l < all.levels.size(); ++l)
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(value(some, i, l, y), value(all, wanted[i], l, y));
  for (std::size_t s = 0; s < n_lists; ++s)
    expect_close(all[s].value(y), value(all, s, 2, y));
}


TEST(Expansions, RestrictionsAreFunctionsOfOnePoint)
{
  for (const unsigned int dim : {1, 2, 3})
    {
      const Expansions    full = random_expansions(dim, true);
      const std::size_t   n_x  = 4;
      std::vector<double> x;
      for (std::size_t i = 0; i < n_x * dim; ++i)
        x.push_back(std::cos(1. + i));
      const Expansions slices = full.restricted(n_x, x.data());
      ASSERT_EQ(slices.pool.dim, dim);
      ASSERT_EQ(slices.size(), n_lists * n_x);
      // Products need one atom for all points.
      EXPECT_LT(slices.pool.size(), n_x * full.pool.size());
      for (std::size_t l = 0; l < full.levels.size(); ++l)
        for (std::size_t s = 0; s < n_lists; ++s)
          for (std::size_t p = 0; p < n_x; ++p)
            {
              double both[6];
              std::copy_n(&x[p * dim], dim, both);
              std::copy_n(y, dim, both + dim);
              expect_close(value(slices, s * n_x + p, l, y),
                           value(full, s, l, both));
            }
    }
}


// At many points, some of them at a time, on all levels or a single one.
TEST(Expansions, HaveTheValuesOfTheirAtoms)
{
  for (const unsigned int dim : {1, 2, 3})
    for (const bool alone : {false, true})
      {
        Expansions expansions = random_expansions(dim, false);
        if (alone)
          expansions.levels.erase(expansions.levels.begin(),
                                  expansions.levels.end() - 1);
        const std::size_t   n_levels = expansions.levels.size();
        const std::size_t   n        = 1237;
        std::vector<double> points(dim * n);
        Random::normals(
          7, Random::Stream::test, 0, 0, points.size(), points.data());
        const auto rule =
          diagonal_rule(dim, points, std::vector<double>(n, 2.));
        std::vector<std::size_t> n_visited(n_lists, 0);
        visit_values(expansions,
                     rule,
                     [&](const auto    s,
                         const auto    first,
                         const auto    count,
                         const double *v) {
                       EXPECT_EQ(first, n_visited[s]);
                       n_visited[s] += count;
                       for (std::size_t l = 0; l < n_levels; ++l)
                         for (std::size_t q = 0; q < count; ++q)
                           expect_close(v[l * count + q],
                                        value(expansions,
                                              s,
                                              l,
                                              &points[(first + q) * dim]));
                     });
        EXPECT_EQ(n_visited, std::vector<std::size_t>(n_lists, n));
      }
}
