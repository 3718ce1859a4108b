#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <deal.II/base/mpi.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // The memory for the rows of the slices that are worked on at once, which
    // share more atoms if they are more.
    constexpr std::size_t memory_of_rows = std::size_t(256) << 20;


    std::vector<std::size_t>
    range(const std::size_t first, const std::size_t last)
    {
      std::vector<std::size_t> result(last - first);
      std::iota(result.begin(), result.end(), first);
      return result;
    }
  } // namespace


  ShapeValues
  shape_values(const LearnedKernel            &kernel,
               const QuadratureRule           &rule,
               const std::vector<std::size_t> &nodes)
  {
    ShapeValues result;
    if (!kernel.table)
      return result;
    const auto slice_of_node = kernel.slice_of_node();
    for (std::size_t q = 0; q < rule.n_points(); ++q)
      {
        // The columns of B are w_q phi_k(y_q), and the phi_k add up to one.
        const auto   begin  = rule.values.begin() + rule.column_starts[q];
        const auto   end    = rule.values.begin() + rule.column_starts[q + 1];
        const double weight = std::accumulate(begin, end, 0.);
        for (auto value = begin; value != end; ++value)
          {
            const auto row   = rule.rows[value - rule.values.begin()];
            const auto slice = slice_of_node[nodes[row]];
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
    : kernel_(kernel), rule_(rule)
  {
    if (!kernel.frame.is_trivial())
      image_.emplace(kernel.frame.image(rule));
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
    : KernelMatrix(kernel,
                   rule.rule,
                   shape_values(kernel, rule.rule, rule.nodes))
  {}


  std::vector<double>
  KernelMatrix::rows(const std::vector<std::size_t> &slices) const
  {
    if (kernel_.table)
      return table_rows(slices);
    Expansions expansions = kernel_.slices(slices);
    expansions.levels.erase(expansions.levels.begin(),
                            expansions.levels.end() - 1);
    return rows_of(expansions);
  }


  std::vector<double>
  KernelMatrix::table_rows(const std::vector<std::size_t> &slices) const
  {
    std::vector<double> result(slices.size() * rule_.n_rows, 0.);
    tbb::parallel_for(std::size_t(0), slices.size(), [&](const auto i) {
      for (std::size_t t = 0; t < moments_.size(); ++t)
        {
          const double value = (*kernel_.table)(slices[i], t);
          for (const auto &[k, moment] : moments_[t])
            result[i * rule_.n_rows + k] += value * moment;
        }
    });
    return result;
  }


  std::vector<double>
  KernelMatrix::rows_of(const Expansions &expansions,
                        SliceObserver    *observer) const
  {
    const QuadratureRule &rule     = atom_rule();
    const std::size_t     n_levels = expansions.levels.size();
    const std::size_t     size     = rule.n_rows * n_levels;
    std::vector<double>   result(expansions.size() * size, 0.);
    if (n_levels == 0 && observer == nullptr)
      return result;
    visit_values(
      expansions,
      rule,
      [&](const auto s, const auto first, const auto n, const double *values) {
        if (observer != nullptr)
          observer->visit(s, first, n, values);
        if (n_levels == 0)
          return;
        double *const       rows = &result[s * size];
        std::vector<double> at_point(n_levels);
        for (std::size_t q = 0; q < n; ++q)
          {
            for (std::size_t l = 0; l < n_levels; ++l)
              at_point[l] = values[l * n + q];
            for (std::size_t k = rule.column_starts[first + q];
                 k < rule.column_starts[first + q + 1];
                 ++k)
              if (n_levels == 1)
                rows[rule.rows[k]] += rule.values[k] * at_point[0];
              else
                for (std::size_t l = 0; l < n_levels; ++l)
                  rows[rule.rows[k] * n_levels + l] +=
                    rule.values[k] * at_point[l];
          }
      });
    if (n_levels > 0)
      correct(expansions, result);
    return result;
  }


  void
  KernelMatrix::correct(const Expansions    &expansions,
                        std::vector<double> &rows) const
  {
    const QuadratureRule &rule     = atom_rule();
    const std::size_t     n_levels = expansions.levels.size();
    const std::size_t     size     = rule.n_rows * n_levels;
    const auto            entries =
      near_corrections(rule, expansions.pool, 0, expansions.pool.size());
    // The entries come atom by atom.
    std::vector<std::size_t> starts(expansions.pool.size() + 1, 0);
    for (const NearCorrection &entry : entries)
      ++starts[entry.atom + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t l = 0; l < n_levels; ++l)
      {
        const auto &level        = expansions.levels[l];
        const auto  level_starts = expansions.starts_on(level);
        tbb::parallel_for(std::size_t(0), expansions.size(), [&](const auto s) {
          for (std::size_t i = 0; i < expansions.n_atoms(s, level); ++i)
            {
              const double c    = level.coefficients[level_starts[s] + i];
              const auto   atom = expansions.atoms[expansions.starts[s] + i];
              for (std::size_t e = starts[atom]; e < starts[atom + 1]; ++e)
                rows[s * size + entries[e].row * n_levels + l] +=
                  c * entries[e].value;
            }
        });
      }
  }


  std::vector<std::vector<double>>
  KernelMatrix::apply(const std::vector<double> &forcings,
                      const std::size_t          n_forcings,
                      const MPI_Comm             communicator,
                      SliceObserver             *observer) const
  {
    const std::size_t n_rows = rule_.n_rows, n_slices = kernel_.response.size();
    if (forcings.size() != n_forcings * n_rows)
      throw Error("The kernel's mesh part has ",
                  n_rows,
                  " nodes, but a forcing has ",
                  n_forcings == 0 ? 0 : forcings.size() / n_forcings,
                  " values.");
    const std::size_t n_levels = kernel_.expansions.levels.size();
    std::vector<std::vector<double>> result(
      n_levels, std::vector<double>(n_slices * n_forcings, 0.));
    const std::size_t n = dealii::Utilities::MPI::min(
      std::max<std::size_t>(8,
                            memory_of_rows / sizeof(double) /
                              (n_rows * n_levels + 1)),
      communicator);
    for (std::size_t first = 0; first < n_slices; first += n)
      {
        const auto slices   = range(first, std::min(first + n, n_slices));
        const auto multiply = [&](const std::vector<double> &rows,
                                  const std::size_t          level) {
          if (n_rows > 0 && n_forcings > 0)
            Blas::gemm(
              'T',
              'N',
              1.,
              {rows.data(), n_rows, slices.size()},
              {forcings.data(), n_rows, n_forcings},
              0.,
              {&result[level][first], slices.size(), n_forcings, n_slices});
        };
        Expansions expansions = kernel_.slices(slices);
        if (kernel_.table)
          expansions.levels.pop_back();
        const std::size_t n_expanded = expansions.levels.size();
        if (observer != nullptr)
          observer->begin(slices.front(), slices.back() + 1);
        const auto all = rows_of(expansions, observer);
        if (observer != nullptr)
          observer->end();
        std::vector<double> rows(slices.size() * n_rows);
        for (std::size_t l = 0; l < n_expanded; ++l)
          {
            for (std::size_t i = 0; i < rows.size(); ++i)
              rows[i] = all[i * n_expanded + l];
            multiply(rows, l);
          }
        if (kernel_.table)
          multiply(table_rows(slices), n_expanded);
      }
    for (std::vector<double> &values : result)
      Collective::sum(communicator, values.data(), values.size());
    return result;
  }
} // namespace Evergreen
