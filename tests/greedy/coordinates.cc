// The coordinates of the semi-inner product: nothing is lost, the rank is
// right, and the misfit is what it should be.

#include "small_problem.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>

#include <gtest/gtest.h>

using namespace Evergreen;

namespace
{
  std::vector<double>
  coordinates_of(const SmallProblem &problem,
                 const Coordinates  &coordinates,
                 const AtomList     &atoms)
  {
    const auto evaluator = make_evaluator("reference");
    evaluator->reinit(problem.rule, coordinates.matrix(), coordinates.n_rows());
    std::vector<double> h(coordinates.n_rows() * atoms.size());
    evaluator->coordinates(atoms, h.data());
    return h;
  }
} // namespace


TEST(Coordinates, InnerProductsAreKept)
{
  for (const unsigned int dim : {1u, 2u})
    {
      const auto problem = make_small_problem(dim, dim == 1 ? 40 : 7, 50, 200);
      const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
      const AtomList    atoms = problem.dictionary(6, 2).draw(0);
      const auto        h     = coordinates_of(problem, coordinates, atoms);
      const std::size_t n     = coordinates.n_rows();
      for (std::size_t a = 0; a < 6; ++a)
        for (std::size_t b = 0; b < 6; ++b)
          {
            double direct = 0, squares = 0;
            for (std::size_t j = 0; j < problem.n_samples; ++j)
              {
                const double left = direct_action(problem, atoms, a, j);
                direct += left * direct_action(problem, atoms, b, j);
                squares += left * left;
              }
            const double ours = std::inner_product(h.begin() + a * n,
                                                   h.begin() + (a + 1) * n,
                                                   h.begin() + b * n,
                                                   0.);
            EXPECT_NEAR(ours, direct / 50, 1e-13 * squares / 50 + 1e-16);
          }
    }
}


TEST(Coordinates, TargetsKeepInnerProductsWithAtoms)
{
  const auto        problem = make_small_problem(1, 30, 40, 200);
  const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
  const AtomList    atoms = problem.dictionary(1).draw(0);
  const auto        h     = coordinates_of(problem, coordinates, atoms);
  for (std::size_t s = 0; s < coordinates.n_slices(); ++s)
    {
      double direct = 0;
      for (std::size_t j = 0; j < 40; ++j)
        direct += direct_action(problem, atoms, 0, j) *
                  problem.u[j * problem.n_nodes() + s] / 40;
      EXPECT_NEAR(
        std::inner_product(h.begin(), h.end(), coordinates.target(s), 0.),
        direct,
        1e-12 * std::sqrt(coordinates.square_norm(s)));
    }
}


TEST(Coordinates, RankAndRowSpace)
{
  // The number of modes, nodes or samples limits the rank.
  EXPECT_EQ(
    Coordinates(make_small_problem(2, 9, 150, 90).data(), MPI_COMM_SELF).rank(),
    90u);
  EXPECT_EQ(Coordinates(make_small_problem(1, 12, 90, 300).data(),
                        MPI_COMM_SELF)
              .rank(),
            13u);
  EXPECT_EQ(
    Coordinates(make_small_problem(2, 9, 70, 300).data(), MPI_COMM_SELF).rank(),
    70u);

  // F - F V V^T vanishes to rounding, and V is orthonormal.
  const auto          problem = make_small_problem(2, 9, 150, 90);
  const std::size_t   m = problem.n_nodes(), n = problem.n_samples;
  const auto          v = row_space(problem.f, m, m, n, MPI_COMM_SELF);
  const std::size_t   r = v.size() / n;
  std::vector<double> fv(m * r), rest = problem.f, gram(r * r);
  const MatrixView<const double> v_view(v.data(), n, r);
  parallel_gemm(
    'N', 'N', 1., {problem.f.data(), m, n}, v_view, 0., {fv.data(), m, r});
  parallel_gemm(
    'N', 'T', -1., {fv.data(), m, r}, v_view, 1., {rest.data(), m, n});
  parallel_gemm('T', 'N', 1., v_view, v_view, 0., {gram.data(), r, r});
  const auto norm = [](const std::vector<double> &a) {
    return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.));
  };
  EXPECT_LT(norm(rest), 1e-13 * norm(problem.f));
  for (std::size_t i = 0; i < r; ++i)
    gram[i * r + i] -= 1;
  EXPECT_LT(norm(gram), 1e-13);
}


TEST(Coordinates, MisfitOfNoise)
{
  // Fewer independent forcings than samples: noise in u cannot be fitted.
  auto       problem = make_small_problem(1, 20, 60, 10);
  const auto clean   = Coordinates(problem.data(), MPI_COMM_SELF);
  EXPECT_LT(clean.relative_misfit(), 1e-13);

  std::vector<double> noise(problem.u.size() + 1);
  Random::normals(8, Random::Stream::test, 0, 0, problem.u.size(), &noise[0]);
  for (std::size_t i = 0; i < problem.u.size(); ++i)
    problem.u[i] += 1e-3 * noise[i];
  const Coordinates noisy(problem.data(), MPI_COMM_SELF);

  // Independently: the part outside of the span of F's right singular vectors.
  const std::size_t   m = problem.n_nodes(), n = problem.n_samples;
  std::vector<double> f = problem.f, values, left, right;
  Blas::singular_values(int(m), int(n), f, values, &left, &right);
  const std::size_t k = values.size();
  for (std::size_t s = 0; s < m; ++s)
    {
      std::vector<double> rest(n);
      for (std::size_t j = 0; j < n; ++j)
        rest[j] = problem.u[j * m + s];
      for (std::size_t i = 0; i < 10; ++i)
        {
          double c = 0;
          for (std::size_t j = 0; j < n; ++j)
            c += right[j * k + i] * problem.u[j * m + s];
          for (std::size_t j = 0; j < n; ++j)
            rest[j] -= c * right[j * k + i];
        }
      const double misfit =
        std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.) / n;
      EXPECT_NEAR(noisy.misfit(s), misfit, 1e-10 * misfit);
    }
}


TEST(Coordinates, ValidationSplit)
{
  const auto split = validation_split(100, 0.2, 5);
  EXPECT_EQ(split.size(), 20u);
  EXPECT_TRUE(std::is_sorted(split.begin(), split.end()));
  EXPECT_EQ(split, validation_split(100, 0.2, 5));
  EXPECT_NE(split, validation_split(100, 0.2, 6));
  EXPECT_TRUE(validation_split(100, 0, 5).empty());
  EXPECT_EQ(validation_split(3, 0.99, 5).size(), 2u);
  EXPECT_THROW(validation_split(100, 1, 5), UsageError);
  EXPECT_THROW(validation_split(1, 0.5, 5), UsageError);
}


TEST(Coordinates, BadData)
{
  const auto problem      = make_small_problem(1, 10, 6, 20);
  const auto expect_error = [](const SmallProblem &bad) {
    EXPECT_THROW(Coordinates(bad.data(), MPI_COMM_SELF), Error);
  };
  auto bad = problem;
  bad.f[5] = NAN;
  expect_error(bad);
  bad      = problem;
  bad.u[7] = INFINITY;
  expect_error(bad);
  bad = problem;
  std::fill(bad.f.begin(), bad.f.end(), 0.);
  expect_error(bad);
  bad = problem;
  std::fill(bad.u.begin(), bad.u.end(), 0.);
  expect_error(bad);
  bad           = problem;
  bad.n_samples = 0;
  expect_error(bad);
  bad = problem;
  bad.response.push_back(11);
  expect_error(bad);
  auto data       = problem.data();
  data.validation = {0, 1, 2, 3, 4, 5};
  EXPECT_THROW(Coordinates(data, MPI_COMM_SELF), Error);

  // One sample, or one node, is little but not wrong.
  bad           = problem;
  bad.n_samples = 1;
  EXPECT_EQ(Coordinates(bad.data(), MPI_COMM_SELF).rank(), 1u);
}
