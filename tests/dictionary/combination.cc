// Combinations of atoms at many points against one atom at one point.

#include "dictionary/instructions.h"

#include <evergreen/base/random.h>
#include <evergreen/dictionary/combination.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace Evergreen;

namespace
{
  // A number of points that is no multiple of anything, and more than a piece.
  constexpr std::size_t n_points = 1237, n_atoms = 13;

  /** Random points, and ridge and radial atoms in turn with coefficients. */
  struct RandomAtoms
  {
    explicit RandomAtoms(const unsigned int dim)
      : numbers(dim * n_points + n_atoms * (dim + 2)), atoms(dim)
    {
      Random::normals(
        dim, Random::Stream::test, 0, 0, numbers.size(), numbers.data());
      const double *next = numbers.data() + dim * n_points;
      for (std::size_t i = 0; i < n_atoms; ++i, next += dim + 2)
        {
          const auto &functions = all_radial_functions();
          atoms.push_back(i % 2 == 0 ? relu_kind(1 + i / 2 % 4)
                                     : radial_kind(functions[i / 2 % 8],
                                                   AtomForm::centred),
                          next,
                          i % 2 == 0 ? next[dim] : 1 + std::abs(next[dim]));
          coefficients.push_back(next[dim + 1]);
        }
      for (unsigned int d = 0; d < dim; ++d)
        coordinates.push_back(numbers.data() + d * n_points);
    }

    std::vector<double>         numbers;
    AtomList                    atoms;
    std::vector<double>         coefficients;
    std::vector<const double *> coordinates;
  };
} // namespace


void
compare_with_sums()
{
  constexpr std::size_t n_used = 11;
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const RandomAtoms   random(dim);
      const auto         &atoms        = random.atoms;
      const auto         &coefficients = random.coefficients;
      const auto         &coordinates  = random.coordinates;
      std::vector<double> values(n_points, 0.5);
      add_combination(atoms,
                      coefficients.data(),
                      n_used,
                      n_points,
                      coordinates.data(),
                      values.data());
      for (std::size_t q = 0; q < n_points; ++q)
        {
          double y[3], expected = 0.5, scale = 1;
          for (unsigned int d = 0; d < dim; ++d)
            y[d] = coordinates[d][q];
          for (std::size_t i = 0; i < n_used; ++i)
            {
              const double term = coefficients[i] * atoms.value(i, y);
              expected += term;
              scale += std::abs(term);
            }
          EXPECT_NEAR(values[q], expected, 1e-12 * scale);
        }
    }
}


TEST(Combination, IsTheSumOfItsAtoms)
{
  Testing::for_all_instructions(compare_with_sums);
}


TEST(Combination, SeveralAtOnceAreTheSameAsOneByOne)
{
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const RandomAtoms                random(dim);
      const auto                      &c = random.coefficients;
      std::vector<std::vector<double>> some;
      for (const std::size_t n : {3, 0, 13, 8})
        {
          some.emplace_back(c.begin(), c.begin() + n);
          for (double &coefficient : some.back())
            coefficient *= 1 + n;
        }
      std::vector<std::vector<double>> values(some.size());
      std::size_t                      n_visited = 0;
      visit_combinations(random.atoms,
                         some,
                         n_points,
                         random.coordinates.data(),
                         [&](const auto begin, const auto n, const double *v) {
                           EXPECT_EQ(begin, n_visited);
                           n_visited += n;
                           for (std::size_t l = 0; l < some.size(); ++l)
                             values[l].insert(values[l].end(),
                                              v + l * n,
                                              v + (l + 1) * n);
                         });
      ASSERT_EQ(n_visited, n_points);
      for (std::size_t l = 0; l < some.size(); ++l)
        {
          std::vector<double> expected(n_points, 0.);
          add_combination(random.atoms,
                          some[l].data(),
                          some[l].size(),
                          n_points,
                          random.coordinates.data(),
                          expected.data());
          double scale = 1e-300;
          for (const double value : expected)
            scale = std::max(scale, std::abs(value));
          for (std::size_t q = 0; q < n_points; ++q)
            EXPECT_NEAR(values[l][q], expected[q], 1e-13 * scale);
        }
    }
}


// Values that are known are not computed again, and nothing else changes.
TEST(Combination, TakesKnownValues)
{
  const RandomAtoms                      random(2);
  const std::vector<std::vector<double>> all = {random.coefficients,
                                                {random.coefficients[0]}};
  const auto evaluate = [&](const std::vector<const double *> &known) {
    std::vector<double> values(all.size() * n_points);
    visit_combinations(
      random.atoms,
      all,
      n_points,
      random.coordinates.data(),
      [&](const auto begin, const auto n, const double *v) {
        for (std::size_t l = 0; l < all.size(); ++l)
          std::copy_n(v + l * n, n, &values[l * n_points + begin]);
      },
      known);
    return values;
  };
  const auto                  expected = evaluate({});
  std::vector<double>         first(n_points), other(n_points, 7.);
  std::vector<const double *> known(random.atoms.size(), nullptr);
  for (std::size_t q = 0; q < n_points; ++q)
    {
      const double y[2] = {random.coordinates[0][q], random.coordinates[1][q]};
      first[q]          = random.atoms.value(0, y);
    }
  known[0]             = first.data();
  const auto same      = evaluate(known);
  known[0]             = other.data();
  const auto different = evaluate(known);
  for (std::size_t q = 0; q < expected.size(); ++q)
    {
      EXPECT_NEAR(same[q], expected[q], 1e-12 * (1 + std::abs(expected[q])));
      EXPECT_NEAR(different[q] - expected[q],
                  all[0][0] * (7. - first[q % n_points]),
                  1e-12 * (1 + std::abs(expected[q]) + std::abs(different[q])));
    }
}
