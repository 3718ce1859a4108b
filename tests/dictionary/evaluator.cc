// The backends against the naive one, for odd sizes in all dimensions, and
// against a perturbed result, which must fail.

#include "backends.h"
#include "dictionary/instructions.h"

#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/dictionary/dictionary.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/simd.h>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace Evergreen;

namespace
{
  class EvaluatorTest : public Testing::BackendTest
  {};


  std::vector<double>
  random_numbers(const std::size_t n, const std::uint64_t sequence)
  {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = 2 * Random::uniform(5, Random::Stream::test, sequence, i) - 1;
    return values;
  }


  QuadratureRule
  random_rule(const unsigned int dim,
              const std::size_t  n_points,
              const std::size_t  n_rows)
  {
    QuadratureRule rule;
    rule.dim          = dim;
    rule.n_rows       = n_rows;
    const auto points = random_numbers(n_points * dim, 1);
    const auto values = random_numbers(n_points * 4, 2);
    for (std::size_t q = 0; q < n_points; ++q)
      {
        const unsigned int n      = 1 + q % 4;
        unsigned int       row[4] = {};
        for (unsigned int k = 0; k < n; ++k)
          row[k] = static_cast<unsigned int>((7 * q + 3 * k) % n_rows);
        rule.add_point(points.data() + q * dim, n, row, values.data() + 4 * q);
      }
    return rule;
  }


  AtomList
  random_atoms(const unsigned int dim, const std::size_t n)
  {
    BoundingSphere sphere;
    sphere.centre.assign(dim, 0.1);
    sphere.radius = 1.3;
    AtomList atoms(dim);
    for (unsigned int power = 1; power <= 4; ++power)
      {
        const Dictionary dictionary(std::make_shared<ReluFamily>(power, sphere),
                                    n,
                                    power);
        for (std::size_t j = 0; j < n; ++j)
          dictionary.draw(3, j, atoms);
      }
    return atoms;
  }


  // Radial atoms of all functions in one form, in odd numbers, with centres
  // inside and outside of the points' box.
  AtomList
  radial_atoms(const unsigned int dim, const std::size_t n, const AtomForm form)
  {
    AtomList   atoms(dim);
    const auto n_all   = n * all_radial_functions().size();
    const auto numbers = random_numbers(dim * n_all, 11);
    const auto kappas  = random_numbers(n_all, 12);
    for (const RadialFunction function : all_radial_functions())
      for (std::size_t j = 0; j < n; ++j)
        {
          std::vector<double> centre(dim);
          for (unsigned int d = 0; d < dim; ++d)
            centre[d] = 1.7 * numbers[atoms.size() * dim + d];
          atoms.push_back(radial_kind(function, form),
                          centre.data(),
                          6 + 5 * kappas[atoms.size()]);
        }
    return atoms;
  }


  void
  append(AtomList &atoms, const AtomList &others)
  {
    for (std::size_t j = 0; j < others.size(); ++j)
      atoms.push_back(others, j);
  }


  // The largest difference relative to the largest reference value.
  template <typename Number>
  double
  difference(const std::vector<Number> &a, const std::vector<Number> &reference)
  {
    double error = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      {
        EXPECT_TRUE(std::isfinite(a[i]));
        error = std::max(error, double(std::abs(a[i] - reference[i])));
        scale = std::max(scale, double(std::abs(reference[i])));
      }
    return error / scale;
  }


  std::vector<double>
  coordinates_by(const std::string         &name,
                 const QuadratureRule      &rule,
                 const std::vector<double> &c,
                 const std::size_t          n_rows,
                 const AtomList            &atoms)
  {
    const auto evaluator = make_evaluator(name);
    evaluator->reinit(rule, c, n_rows);
    std::vector<double> h(n_rows * atoms.size(), 99.);
    evaluator->coordinates(atoms, h.data());
    return h;
  }
} // namespace


void
compare_coordinates()
{
  for (const unsigned int dim : {1u, 2u, 3u, 4u, 6u})
    for (const std::size_t n_atoms : {1u, 13u, 61u})
      {
        const auto rule  = random_rule(dim, 157, 37);
        auto       atoms = random_atoms(dim, n_atoms);
        if (dim <= 3)
          append(atoms, radial_atoms(dim, n_atoms, AtomForm::centred));
        const auto c = random_numbers(19 * 37, 3);
        const auto ours =
          coordinates_by(Testing::backend(), rule, c, 19, atoms);
        auto exact = coordinates_by("reference", rule, c, 19, atoms);
        EXPECT_LT(difference(ours, exact), 1e-12);
        *std::max_element(exact.begin(), exact.end()) *= 1 + 1e-10;
        EXPECT_GT(difference(ours, exact), 1e-12);
      }
}


TEST_P(EvaluatorTest, CoordinatesAgreeWithReference)
{
  Testing::for_all_instructions(compare_coordinates);
}


TEST_P(EvaluatorTest, UnitMatrixPadsWithZeros)
{
  const auto rule  = random_rule(2, 157, 37);
  const auto atoms = random_atoms(2, 5);
  const auto ours  = coordinates_by(GetParam(), rule, {}, 40, atoms);
  const auto exact = coordinates_by("reference", rule, {}, 40, atoms);
  EXPECT_LT(difference(ours, exact), 1e-12);
  EXPECT_EQ(ours[37], 0.);
  EXPECT_EQ(exact[39], 0.);
}


template <typename Number>
void
check_correlations(const double tolerance)
{
  for (const std::size_t n_slices : {1u, 2u, 3u, 7u})
    for (const std::size_t n_atoms : {1u, 5u, 8u, 31u})
      {
        const std::size_t           n = 48, ldh = 53;
        const auto                  numbers = random_numbers(ldh * n_atoms, 4);
        const auto                  others  = random_numbers(n * n_slices, 5);
        const std::vector<Number>   h(numbers.begin(), numbers.end());
        const std::vector<Number>   r(others.begin(), others.end());
        std::vector<const Number *> residuals;
        std::vector<Number>         ours(n_atoms * n_slices), exact;
        for (std::size_t s = 0; s < n_slices; ++s)
          {
            residuals.push_back(r.data() + s * n);
            for (std::size_t j = 0; j < n_atoms; ++j)
              exact.push_back(static_cast<Number>(std::inner_product(
                residuals[s], residuals[s] + n, &h[j * ldh], 0.)));
          }
        Simd::loops<Number>().correlate(
          n, h.data(), ldh, n_atoms, residuals.data(), n_slices, ours.data());
        EXPECT_LT(difference(ours, exact), tolerance);
        *std::max_element(exact.begin(), exact.end()) *=
          Number(1 + 10 * tolerance);
        EXPECT_GT(difference(ours, exact), tolerance);
      }
}


TEST(Evaluator, CorrelationsOfBothPrecisions)
{
  Testing::for_all_instructions([] {
    check_correlations<double>(1e-12);
    check_correlations<float>(1e-5);
  });
}


void
compare_kernel_correlations(const bool single, const double tolerance)
{
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      const auto rule  = random_rule(dim, 1123, 37);
      auto       atoms = random_atoms(2 * dim, 37);
      for (const AtomForm form : {AtomForm::difference, AtomForm::product})
        append(atoms,
               radial_atoms(2 * dim, form == AtomForm::product ? 35 : 2, form));
      const auto          x    = random_numbers(11 * dim, 6);
      const auto          some = random_numbers(11 * 1123, 7);
      const std::size_t   ldp  = Simd::padded(1123);
      std::vector<double> p(11 * ldp);
      for (std::size_t i = 0; i < 11; ++i)
        std::copy_n(some.begin() + i * 1123, 1123, p.begin() + i * ldp);

      const auto correlations = [&](const std::string &backend) {
        const auto                evaluator = make_evaluator(backend);
        const std::vector<double> none;
        evaluator->reinit(rule, none, 37);
        return evaluator->kernel_correlations(atoms,
                                              {x.data(), dim, 11},
                                              {p.data(), ldp, 11},
                                              single);
      };
      const auto a = correlations(Testing::backend());
      auto       b = correlations("reference");
      EXPECT_LT(difference(a, b), tolerance);
      *std::max_element(b.begin(), b.end()) *= 1 + 10 * tolerance;
      EXPECT_GT(difference(a, b), tolerance);
    }
}


TEST_P(EvaluatorTest, KernelCorrelationsAgreeWithReference)
{
  Testing::for_all_instructions([] {
    compare_kernel_correlations(false, 1e-12);
    compare_kernel_correlations(true, 1e-5);
  });
}


TEST(Evaluator, DoesNotDependOnThreads)
{
  const auto rule  = random_rule(2, 357, 137);
  const auto atoms = random_atoms(2, 100);
  const auto c     = random_numbers(48 * 137, 3);
  const auto two   = coordinates_by("cpu", rule, c, 48, atoms);

  const tbb::global_control one_thread(
    tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(two, coordinates_by("cpu", rule, c, 48, atoms));
}


void
check_gram_schmidt()
{
  // Unit vectors as basis: what is left is known exactly.
  const std::size_t   n = 24, n_all = 32, n_vectors = 11;
  std::vector<double> q(n_all * n_vectors), c(n_vectors, 1.);
  for (std::size_t j = 0; j < n_vectors; ++j)
    {
      q[j * n_all + 2 * j] = 1;
      q[j * n_all + n + 1] = 0.5; // takes part in updates only
    }
  auto       h        = random_numbers(n_all, 8);
  const auto original = h;
  Simd::loops().project_out(n, n_all, q.data(), n_vectors, h.data(), c.data());
  double sum = 0;
  for (std::size_t j = 0; j < n_vectors; ++j)
    {
      EXPECT_NEAR(c[j], 1 + original[2 * j], 1e-15);
      EXPECT_NEAR(h[2 * j], 0, 1e-15);
      EXPECT_EQ(h[2 * j + 1], original[2 * j + 1]);
      sum += original[2 * j];
    }
  EXPECT_NEAR(h[n + 1], original[n + 1] - 0.5 * sum, 1e-14);
}


TEST(Evaluator, GramSchmidtRemovesTheSpan)
{
  Testing::for_all_instructions(check_gram_schmidt);
}


template <typename Number>
void
check_dots_and_subtract()
{
  const std::size_t n = 48, ldq = 51;
  for (const std::size_t n_vectors : {1u, 4u, 7u, 8u})
    {
      const auto                numbers = random_numbers(ldq * n_vectors, 9);
      const std::vector<Number> q(numbers.begin(), numbers.end());
      const auto                h = random_numbers(n, 10);
      std::vector<double>       c(n_vectors), exact(n_vectors), rest = h;
      std::vector<double>       exact_rest = h;
      Simd::loops<Number>().dots(
        n, q.data(), ldq, n_vectors, h.data(), c.data());
      for (std::size_t j = 0; j < n_vectors; ++j)
        for (std::size_t i = 0; i < n; ++i)
          exact[j] += double(q[j * ldq + i]) * h[i];
      EXPECT_LT(difference(c, exact), 1e-14);
      Simd::loops<Number>().subtract(
        n, q.data(), ldq, n_vectors, exact.data(), rest.data());
      for (std::size_t j = 0; j < n_vectors; ++j)
        for (std::size_t i = 0; i < n; ++i)
          exact_rest[i] -= double(q[j * ldq + i]) * exact[j];
      EXPECT_LT(difference(rest, exact_rest), 1e-14);
      exact.back() *= 1 + 1e-10;
      exact_rest[n - 1] *= 1 + 1e-10;
      EXPECT_GT(difference(c, exact) + difference(rest, exact_rest), 1e-12);
    }
}


TEST(Evaluator, DotsAndDifferencesOfBothPrecisions)
{
  Testing::for_all_instructions(check_dots_and_subtract<double>);
  Testing::for_all_instructions(check_dots_and_subtract<float>);
}


TEST(Evaluator, BadInput)
{
  EXPECT_THROW(make_evaluator("abacus"), UsageError);

  const auto                evaluator = make_evaluator("cpu");
  auto                      rule      = random_rule(2, 10, 5);
  const std::vector<double> c(7);
  EXPECT_THROW(evaluator->reinit(rule, c, 5), Error);
  rule.rows[3] = 5;
  EXPECT_THROW(rule.check(), Error);
  rule.rows[3]   = 4;
  rule.values[2] = NAN;
  EXPECT_THROW(rule.check(), Error);
}


EVERGREEN_TEST_BACKENDS(EvaluatorTest);
