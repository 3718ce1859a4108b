#include "slice_evaluator.h"

#include <evergreen/dictionary/combination.h>
#include <evergreen/dictionary/simd.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // The memory for the rows of the slices that are worked on at once, and
    // for the values of shared atoms, which should stay in cache.
    constexpr std::size_t memory_of_rows   = std::size_t(192) << 20;
    constexpr std::size_t memory_of_values = std::size_t(8) << 20;

    // More slices share more atoms.
    constexpr std::size_t min_slices = 8, max_slices = 512;

    // Points are gone through so many at a time, at least.
    constexpr std::size_t min_points = 128;
  } // namespace


  std::vector<double>
  point_weights(const QuadratureRule &rule)
  {
    std::vector<double> weights(rule.n_points(), 0.);
    for (std::size_t q = 0; q < weights.size(); ++q)
      for (std::size_t k = rule.column_starts[q]; k < rule.column_starts[q + 1];
           ++k)
        weights[q] += rule.values[k];
    return weights;
  }


  struct SliceEvaluator::Block
  {
    std::vector<Staged> slices;
    SharedAtoms         shared;
    const double       *exact   = nullptr; // of the first slice
    double             *squares = nullptr;

    // Entry k of stage l of slice i is rows[(i n_rows + k) stride + l]; empty
    // if they are not wanted.
    std::vector<double> rows;

    Block(std::vector<Staged> all, const QuadratureRule &rule)
      : slices(std::move(all)), shared(lists(), rule)
    {}

  private:
    std::vector<const AtomList *>
    lists() const
    {
      std::vector<const AtomList *> result;
      for (const Staged &slice : slices)
        result.push_back(&slice.atoms);
      return result;
    }
  };


  SliceEvaluator::SliceEvaluator(const KernelStages   &kernel_stages,
                                 const QuadratureRule &quadrature_rule)
    : kernel(*kernel_stages.kernel)
    , stages(kernel_stages.stages)
    , rule(quadrature_rule)
    , coordinates(coordinates_of(rule))
    , weights(point_weights(rule))
    , table(kernel, rule)
    , stride(stages.size() == 1 ? 1 : Simd::padded(stages.size()))
  {}


  void
  SliceEvaluator::evaluate(const std::vector<std::size_t> &slices,
                           const Wanted                   &wanted) const
  {
    const std::size_t n_rows = rule.n_rows, n_stages = stages.size();
    const std::size_t n_block =
      std::clamp(memory_of_rows / 8 / std::max<std::size_t>(1, n_rows * stride),
                 min_slices,
                 max_slices);
    for (std::size_t first = 0; first < slices.size(); first += n_block)
      {
        const std::size_t   n = std::min(n_block, slices.size() - first);
        std::vector<Staged> all(n);
        tbb::parallel_for(std::size_t(0), n, [&](const std::size_t i) {
          all[i] = staged(slices[first + i]);
        });
        Block block(std::move(all), rule);
        if (wanted.exact != nullptr)
          {
            block.exact   = wanted.exact + first * rule.n_points();
            block.squares = wanted.squares + first * n_stages;
            std::fill_n(block.squares, n * n_stages, 0.);
          }
        if (wanted.rows != nullptr)
          block.rows.assign(n * n_rows * stride, 0.);
        go_through_points(block);
        if (wanted.rows == nullptr)
          continue;

        if (rule.near_field)
          block.shared.compute_corrections();
        tbb::parallel_for(std::size_t(0), n, [&](const std::size_t i) {
          if (rule.near_field)
            correct_rows(block, i);
          for (std::size_t l = 0; l < n_stages; ++l)
            for (std::size_t k = 0; k < n_rows; ++k)
              wanted.rows[(l * slices.size() + first + i) * n_rows + k] =
                block.rows[(i * n_rows + k) * stride + l];
        });
      }
  }


  bool
  SliceEvaluator::uses_table(const KernelStages::Stage &stage) const
  {
    return stage.uses_table && table.are_usable();
  }


  SliceEvaluator::Staged
  SliceEvaluator::staged(const std::size_t slice) const
  {
    std::vector<double> factors;
    Staged              result{slice, kernel.slice_atoms(slice, factors), {}};
    for (const KernelStages::Stage &stage : stages)
      {
        result.coefficients.emplace_back();
        if (uses_table(stage))
          continue;
        const std::size_t e            = kernel.is_pointwise() ? slice : 0;
        auto             &coefficients = result.coefficients.back();
        coefficients                   = stage.coefficients.empty()
                                           ? kernel.expansions[e].coefficients
                                           : stage.coefficients[e];
        for (std::size_t i = 0; i < coefficients.size(); ++i)
          coefficients[i] *= factors[i];
      }
    // Tables need no atoms.
    if (std::all_of(stages.begin(), stages.end(), [&](const auto &stage) {
          return uses_table(stage);
        }))
      result.atoms = AtomList(rule.dim);
    return result;
  }


  std::vector<const double *>
  SliceEvaluator::points_from(const std::size_t first) const
  {
    auto pointers = pointers_to(coordinates);
    for (const double *&direction : pointers)
      direction += first;
    return pointers;
  }


  /** Without shared atoms all points are gone through at once. */
  void
  SliceEvaluator::go_through_points(Block &block) const
  {
    const std::size_t n_points = rule.n_points(),
                      n_shared = block.shared.size();
    const std::size_t step =
      n_shared == 0
        ? n_points
        : std::max(min_points,
                   memory_of_values / 8 / n_shared / min_points * min_points);
    for (std::size_t first = 0; first < n_points; first += step)
      {
        const std::size_t n = std::min(step, n_points - first);
        block.shared.evaluate(n, points_from(first).data());
        tbb::parallel_for(std::size_t(0),
                          block.slices.size(),
                          [&](const std::size_t i) {
                            visit_points(block, i, first, n);
                          });
      }
  }


  void
  SliceEvaluator::visit_points(Block            &block,
                               const std::size_t i,
                               const std::size_t first,
                               const std::size_t n) const
  {
    const Staged &slice = block.slices[i];
    visit_combinations(
      slice.atoms,
      slice.coefficients,
      n,
      points_from(first).data(),
      [&](const std::size_t offset, const std::size_t n, double *values) {
        const std::size_t begin = first + offset;
        for (std::size_t l = 0; l < stages.size(); ++l)
          if (uses_table(stages[l]))
            table.evaluate(slice.slice, begin, n, values + l * n);
        if (block.exact != nullptr)
          add_squares(begin,
                      n,
                      values,
                      block.exact + i * rule.n_points(),
                      block.squares + i * stages.size());
        if (!block.rows.empty())
          add_rows(begin,
                   n,
                   values,
                   block.rows.data() + i * rule.n_rows * stride);
      },
      block.shared.values_of(i));
  }


  void
  SliceEvaluator::add_squares(const std::size_t begin,
                              const std::size_t n,
                              const double     *values,
                              const double     *exact,
                              double           *squares) const
  {
    for (std::size_t l = 0; l < stages.size(); ++l)
      for (std::size_t q = 0; q < n; ++q)
        squares[l] += weights[begin + q] *
                      std::pow(exact[begin + q] - values[l * n + q], 2);
  }


  void
  SliceEvaluator::add_rows(const std::size_t begin,
                           const std::size_t n,
                           const double     *values,
                           double           *rows) const
  {
    std::vector<double> at_point(stride, 0.);
    for (std::size_t q = 0; q < n; ++q)
      {
        for (std::size_t l = 0; l < stages.size(); ++l)
          at_point[l] = values[l * n + q];
        for (std::size_t k = rule.column_starts[begin + q];
             k < rule.column_starts[begin + q + 1];
             ++k)
          if (stride == 1)
            rows[rule.rows[k]] += rule.values[k] * at_point[0];
          else
            Simd::loops().add(stride,
                              rule.values[k],
                              at_point.data(),
                              rows + rule.rows[k] * stride);
      }
  }


  void
  SliceEvaluator::correct_rows(Block &block, const std::size_t i) const
  {
    const Staged &slice   = block.slices[i];
    const auto   &numbers = block.shared.numbers(i);
    double *const rows    = block.rows.data() + i * rule.n_rows * stride;
    const auto    add     = [&](const std::size_t      atom,
                         const NearCorrections &corrections,
                         const unsigned int     number) {
      const auto &atoms = corrections.atoms;
      const auto [first, last] =
        std::equal_range(atoms.begin(), atoms.end(), number);
      for (auto e = first - atoms.begin(); e < last - atoms.begin(); ++e)
        for (std::size_t l = 0; l < stages.size(); ++l)
          if (atom < slice.coefficients[l].size())
            rows[corrections.rows[e] * stride + l] +=
              slice.coefficients[l][atom] * corrections.values[e];
    };
    for (std::size_t atom = 0; atom < slice.atoms.size(); ++atom)
      if (numbers[atom] != SharedAtoms::not_shared)
        add(atom, block.shared.corrections(), numbers[atom]);
      else
        add(atom, near_corrections(rule, slice.atoms, atom, 1), 0);
  }
} // namespace Evergreen
