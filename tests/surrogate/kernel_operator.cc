// The forms of an operator, on a kernel in closed form.

#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/surrogate/kernel_operator.h>

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
    source.n_rows    = n_rows;
    source.n_columns = n_columns;
    source.rows      = [x = random_numbers(dim * n_rows, 1),
                   y = random_numbers(dim * n_columns, 2),
                   dim](const std::vector<std::size_t> &rows) {
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
       const std::size_t   memory = std::size_t(1) << 30)
  {
    SurrogateOptions options;
    options.form   = form;
    options.memory = memory;
    return make_kernel_operator(source, options);
  }
} // namespace


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
    {SurrogateForm::dense_single, 1e-5}};
  for (const auto &[form, accuracy] : accuracies)
    for (const std::size_t n : {1u, 37u})
      {
        const auto          op = make(source, form);
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

TEST(KernelOperator, MemoryIsKept)
{
  const auto source = inverse_distance(2, 1500, 1500);
  expect_error([&]() { make(source, SurrogateForm::dense, 1 << 20); }, "MiB");
  const std::size_t dense = 1500 * 1500 * 8;
  EXPECT_EQ(make(source, SurrogateForm::automatic, dense)->form(),
            SurrogateForm::dense);
  EXPECT_EQ(make(source, SurrogateForm::automatic, dense - 1)->form(),
            SurrogateForm::dense_single);
  EXPECT_EQ(make(source, SurrogateForm::automatic, 1 << 18)->form(),
            SurrogateForm::atoms);
  expect_error([]() { form_from_name("fast"); }, "fast");
}
