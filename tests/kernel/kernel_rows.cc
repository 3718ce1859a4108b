// Rows of a learned kernel against plain sums over the atoms of every slice
// alone.

#include "learning/small_dataset.h"

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <algorithm>
#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  /** B g of an atom by the values of AtomList, times a factor. */
  void
  add_plainly(const QuadratureRule &rule,
              const AtomList       &atoms,
              const std::size_t     j,
              const double          factor,
              double               *row)
  {
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      {
        const double value =
          factor * atoms.value(j, &rule.points[q * rule.dim]);
        for (auto k = rule.column_starts[q]; k < rule.column_starts[q + 1]; ++k)
          row[rule.rows[k]] += rule.values[k] * value;
      }
    std::vector<double> correction(rule.n_rows);
    add_near_field(rule, atoms, j, correction.data());
    for (std::size_t k = 0; k < rule.n_rows; ++k)
      row[k] += factor * correction[k];
  }
} // namespace


TEST(KernelRows, AreSumsOverTheAtomsOfEverySlice)
{
  const TemporaryDirectory directory;
  DomainParameters         domain;
  domain.name = "disk";
  SmallDataset<2> data(domain, directory / "data.h5");
  auto            parameters = quick_learning(12);
  parameters.family          = "mixed";
  parameters.function        = "log";
  const auto kernel = learn_kernel(data.space, data.samples, parameters).kernel;
  const auto distributed = make_rule(data.space);
  const auto &rule       = distributed.rule;
  ASSERT_TRUE(rule.near_field);

  std::vector<std::size_t> slices;
  for (std::size_t s = 5; s < kernel.response.size(); s += 60)
    slices.push_back(s);
  // Slices share atoms.
  const Expansions some = kernel.slices(slices);
  EXPECT_LT(some.pool.size(), some.atoms.size());

  const auto rows = KernelMatrix(kernel, distributed).rows(slices);
  ASSERT_EQ(rows.size(), slices.size() * rule.n_rows);
  for (std::size_t i = 0; i < slices.size(); ++i)
    {
      const Expansion     slice = kernel.slice(slices[i]);
      std::vector<double> row(rule.n_rows, 0.);
      double              largest = 0;
      for (std::size_t j = 0; j < slice.coefficients.size(); ++j)
        add_plainly(rule, slice.atoms, j, slice.coefficients[j], row.data());
      for (const double value : row)
        largest = std::max(largest, std::abs(value));
      for (std::size_t k = 0; k < rule.n_rows; ++k)
        ASSERT_NEAR(rows[i * rule.n_rows + k], row[k], 1e-10 * largest);
    }
}
