#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/greedy/reductions.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // Rows of actions are gone through so many entries at a time, which are in
    // cache for the atoms of a block.
    constexpr std::size_t entries_at_a_time = 256;
  } // namespace


  ShapeValues
  shape_values(const LearnedKernel &kernel, const DistributedRule &distributed)
  {
    ShapeValues result;
    if (!kernel.table)
      return result;
    std::vector<std::int64_t> slice_of_node(kernel.mesh.n_nodes(), -1);
    for (std::size_t s = 0; s < kernel.response.size(); ++s)
      slice_of_node[kernel.response[s]] = s;
    const QuadratureRule &rule = distributed.rule;
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      {
        // The columns of B are w_q phi_k(y_q), and the phi_k add up to one.
        const auto   begin  = rule.values.begin() + rule.column_starts[q];
        const auto   end    = rule.values.begin() + rule.column_starts[q + 1];
        const double weight = std::accumulate(begin, end, 0.);
        for (auto value = begin; value != end; ++value)
          {
            const auto row   = rule.rows[value - rule.values.begin()];
            const auto slice = slice_of_node[distributed.nodes[row]];
            if (slice < 0)
              continue;
            result.slices.push_back(slice);
            result.values.push_back(*value / weight);
          }
        result.starts.push_back(result.slices.size());
      }
    return result;
  }


  KernelMatrix::KernelMatrix(const LearnedKernel  &kernel,
                             const QuadratureRule &rule,
                             const ShapeValues    &shapes)
    : kernel_(kernel)
    , n_rows_(rule.n_rows)
    , evaluator_(action_evaluator(rule))
  {
    if (!kernel.table)
      return;
    std::vector<std::map<unsigned int, double>> sums(kernel.response.size());
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      for (std::size_t i = shapes.starts[q]; i < shapes.starts[q + 1]; ++i)
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          sums[shapes.slices[i]][rule.rows[k]] +=
            shapes.values[i] * rule.values[k];
    for (const auto &sum : sums)
      moments_.emplace_back(sum.begin(), sum.end());
  }


  KernelMatrix::KernelMatrix(const LearnedKernel   &kernel,
                             const DistributedRule &rule)
    : KernelMatrix(kernel, rule.rule, shape_values(kernel, rule))
  {}


  std::vector<double>
  KernelMatrix::rows(const std::vector<std::size_t> &slices) const
  {
    std::vector<double> result(slices.size() * n_rows_, 0.);
    if (kernel_.table)
      {
        tbb::parallel_for(std::size_t(0), slices.size(), [&](const auto i) {
          add_table_row(slices[i], &result[i * n_rows_]);
        });
        return result;
      }
    const Expansions expansions = kernel_.slices(slices);
    visit_actions(
      expansions.pool,
      *evaluator_,
      n_rows_,
      [&](const auto first, const auto last, const double *actions) {
        const ExpansionBlock block(expansions,
                                   expansions.levels.back(),
                                   first,
                                   last);
        for (std::size_t k = 0; k < n_rows_; k += entries_at_a_time)
          tbb::parallel_for(std::size_t(0), slices.size(), [&](const auto i) {
            block.add(i,
                      std::min(entries_at_a_time, n_rows_ - k),
                      actions + k,
                      n_rows_,
                      &result[i * n_rows_ + k]);
          });
      });
    return result;
  }


  void
  KernelMatrix::add_table_row(const std::size_t s, double *row) const
  {
    for (std::size_t t = 0; t < moments_.size(); ++t)
      {
        const double value = (*kernel_.table)(s, t);
        for (const auto &[k, moment] : moments_[t])
          row[k] += value * moment;
      }
  }


  std::vector<std::vector<double>>
  KernelMatrix::apply(const std::vector<double> &forcings,
                      const std::size_t          n_forcings,
                      const MPI_Comm             communicator) const
  {
    if (forcings.size() != n_forcings * n_rows_)
      throw Error("The kernel's mesh part has ",
                  n_rows_,
                  " nodes, but a forcing has ",
                  n_forcings == 0 ? 0 : forcings.size() / n_forcings,
                  " values.");
    auto products = apply_expansions(forcings, n_forcings);
    if (kernel_.table)
      products.push_back(apply_table(forcings, n_forcings));
    const std::size_t n_slices = kernel_.response.size();
    for (std::vector<double> &values : products)
      {
        // So far the forcings of a slice are next to each other.
        std::vector<double> columns(values.size());
        for (std::size_t s = 0; s < n_slices; ++s)
          for (std::size_t j = 0; j < n_forcings; ++j)
            columns[j * n_slices + s] = values[s * n_forcings + j];
        Collective::sum(communicator, columns.data(), columns.size());
        values = std::move(columns);
      }
    return products;
  }


  std::vector<std::vector<double>>
  KernelMatrix::apply_expansions(const std::vector<double> &forcings,
                                 const std::size_t          n) const
  {
    std::vector<std::size_t> all(kernel_.response.size());
    std::iota(all.begin(), all.end(), 0);
    Expansions expansions = kernel_.slices(all);
    if (kernel_.table)
      expansions.levels.pop_back();
    std::vector<std::vector<double>> result(
      expansions.levels.size(), std::vector<double>(all.size() * n, 0.));
    if (result.empty() || n_rows_ == 0 || n == 0)
      return result;
    visit_actions(
      expansions.pool,
      *evaluator_,
      n_rows_,
      [&](const auto first, const auto last, const double *actions) {
        std::vector<double> products((last - first) * n);
        Blas::gemm('T',
                   'N',
                   static_cast<int>(n),
                   static_cast<int>(last - first),
                   static_cast<int>(n_rows_),
                   1.,
                   forcings.data(),
                   static_cast<int>(n_rows_),
                   actions,
                   static_cast<int>(n_rows_),
                   0.,
                   products.data(),
                   static_cast<int>(n));
        for (std::size_t l = 0; l < result.size(); ++l)
          {
            const ExpansionBlock block(expansions,
                                       expansions.levels[l],
                                       first,
                                       last);
            tbb::parallel_for(std::size_t(0), all.size(), [&](const auto s) {
              block.add(s, n, products.data(), n, &result[l][s * n]);
            });
          }
      });
    return result;
  }


  std::vector<double>
  KernelMatrix::apply_table(const std::vector<double> &forcings,
                            const std::size_t          n) const
  {
    const std::size_t   n_slices = kernel_.response.size();
    std::vector<double> moments(n_slices * n, 0.), result(n_slices * n, 0.);
    tbb::parallel_for(std::size_t(0), n_slices, [&](const auto t) {
      for (const auto &[k, moment] : moments_[t])
        for (std::size_t j = 0; j < n; ++j)
          moments[t * n + j] += moment * forcings[j * n_rows_ + k];
    });
    tbb::parallel_for(std::size_t(0), n_slices, [&](const auto s) {
      for (std::size_t t = 0; t < n_slices; ++t)
        {
          const double value = (*kernel_.table)(s, t);
          for (std::size_t j = 0; j < n; ++j)
            result[s * n + j] += value * moments[t * n + j];
        }
    });
    return result;
  }
} // namespace Evergreen
