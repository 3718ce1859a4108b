// Combinations of atoms at many points against one atom at one point.

#include <evergreen/base/random.h>
#include <evergreen/dictionary/combination.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace Evergreen;

TEST(Combination, IsTheSumOfItsAtoms)
{
  // A number of points that is no multiple of anything, and more than a piece.
  constexpr std::size_t n_points = 1237, n_atoms = 13, n_used = 11;
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      std::vector<double> numbers(dim * n_points + n_atoms * (dim + 2));
      Random::normals(
        dim, Random::Stream::test, 0, 0, numbers.size(), numbers.data());
      const double       *next = numbers.data() + dim * n_points;
      AtomList            atoms(dim);
      std::vector<double> coefficients;
      for (std::size_t i = 0; i < n_atoms; ++i, next += dim + 2)
        {
          // Ridge and radial atoms in turn.
          const auto &functions = all_radial_functions();
          atoms.push_back(i % 2 == 0 ? relu_kind(1 + i / 2 % 4)
                                     : radial_kind(functions[i / 2 % 8],
                                                   AtomForm::centred),
                          next,
                          i % 2 == 0 ? next[dim] : 1 + std::abs(next[dim]));
          coefficients.push_back(next[dim + 1]);
        }
      std::vector<const double *> coordinates;
      for (unsigned int d = 0; d < dim; ++d)
        coordinates.push_back(numbers.data() + d * n_points);

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
