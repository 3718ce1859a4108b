#include "column_chunks.h"

#include <evergreen/base/blas.h>
#include <evergreen/surrogate/hierarchical_operator.h>

#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  namespace
  {
    /** The size of panels and of dense blocks. */
    constexpr std::size_t leaf_size = 64;

    /** How far apart clusters must be, measured in diameters. */
    constexpr double eta = 2.5;


    /** Columns [begin, end) of a panel, in the order of the column tree. */
    std::vector<double>
    columns_of(const std::vector<double> &panel,
               const std::size_t          n_rows,
               const std::size_t          begin,
               const std::size_t          end,
               const ClusterTree         &columns)
    {
      const std::size_t   n_all = columns.order.size();
      std::vector<double> block(n_rows * (end - begin));
      for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t j = begin; j < end; ++j)
          block[i * (end - begin) + j - begin] =
            panel[i * n_all + columns.order[j]];
      return block;
    }


    /** A far block in the making: its parts from top to bottom. */
    struct Parts
    {
      ClusterPair                pair;
      std::vector<LowRankMatrix> parts;
    };


    /** Merges neighbours for as long as this saves memory. */
    void
    merge(std::vector<LowRankMatrix> &parts, const double tolerance)
    {
      for (bool merged = true; merged && parts.size() > 1;)
        {
          merged = false;
          std::vector<LowRankMatrix> next;
          for (std::size_t i = 0; i < parts.size(); i += 2)
            {
              if (i + 1 == parts.size())
                {
                  next.push_back(std::move(parts[i]));
                  break;
                }
              auto both = stack(parts[i], parts[i + 1], tolerance);
              if (both.size() <= parts[i].size() + parts[i + 1].size())
                {
                  merged = true;
                  next.push_back(std::move(both));
                }
              else
                {
                  next.push_back(std::move(parts[i]));
                  next.push_back(std::move(parts[i + 1]));
                }
            }
          parts = std::move(next);
        }
    }
  } // namespace


  HierarchicalOperator::HierarchicalOperator(const RowSource &source)
    : KernelOperator(source.n_rows, source.n_columns)
    , rows_(source.dim, source.row_points, leaf_size)
    , columns_(source.dim, source.column_points, leaf_size)
  {}


  std::unique_ptr<KernelOperator>
  HierarchicalOperator::make_if_fits(const RowSource        &source,
                                     const SurrogateOptions &options)
  {
    std::unique_ptr<HierarchicalOperator> result(
      new HierarchicalOperator(source));
    if (!result->build(source, options))
      return nullptr;
    return result;
  }


  bool
  HierarchicalOperator::build(const RowSource        &source,
                              const SurrogateOptions &options)
  {
    const double             tolerance = options.block_tolerance;
    std::vector<Parts>       far;
    std::vector<ClusterPair> near;
    for (const auto &pair : partition(rows_, columns_, eta))
      if (pair.is_far)
        far.push_back({pair, {}});
      else
        near.push_back(pair);

    const Blas::SingleThread quiet_blas;
    for (const auto leaf : rows_.leaves())
      {
        const auto &rows = rows_.clusters[leaf];
        if (rows.size() == 0)
          continue;
        const auto panel =
          source.rows(std::vector<std::size_t>(rows_.order.begin() + rows.begin,
                                               rows_.order.begin() + rows.end));
        const auto block_of = [&](const ClusterPair &pair) {
          const auto &columns = columns_.clusters[pair.columns];
          return columns_of(
            panel, rows.size(), columns.begin, columns.end, columns_);
        };
        for (const auto &pair : near)
          if (pair.rows == leaf)
            {
              const auto &columns = columns_.clusters[pair.columns];
              add_dense(rows.begin,
                        columns.begin,
                        columns.size(),
                        block_of(pair));
            }
        tbb::parallel_for(std::size_t(0), far.size(), [&](const std::size_t i) {
          const auto &block_rows = rows_.clusters[far[i].pair.rows];
          if (rows.begin < block_rows.begin || rows.begin >= block_rows.end)
            return;
          const auto &columns = columns_.clusters[far[i].pair.columns];
          auto        block   = block_of(far[i].pair);
          auto        part =
            cross_approximation(rows.size(),
                                columns.size(),
                                block,
                                tolerance / 2,
                                std::min(rows.size(), columns.size()));
          recompress(part, tolerance);
          far[i].parts.push_back(std::move(part));
          if (rows.end == block_rows.end)
            merge(far[i].parts, tolerance);
        });
        for (auto &block : far)
          if (rows_.clusters[block.pair.rows].end == rows.end)
            {
              std::size_t row = rows_.clusters[block.pair.rows].begin;
              for (auto &part : block.parts)
                {
                  const std::size_t n = part.n_rows;
                  add(row,
                      columns_.clusters[block.pair.columns].begin,
                      std::move(part));
                  row += n;
                }
              block.parts.clear();
            }
        if (memory_ > options.memory)
          return false;
      }
    return true;
  }


  void
  HierarchicalOperator::add(const std::size_t row,
                            const std::size_t column,
                            LowRankMatrix     matrix)
  {
    if (matrix.rank == 0)
      return;
    if (matrix.size() >= matrix.n_rows * matrix.n_columns)
      {
        std::vector<double> entries(matrix.n_rows * matrix.n_columns);
        Blas::gemm('N',
                   'T',
                   matrix.n_columns,
                   matrix.n_rows,
                   matrix.rank,
                   1.,
                   matrix.v.data(),
                   matrix.n_columns,
                   matrix.u.data(),
                   matrix.n_rows,
                   0.,
                   entries.data(),
                   matrix.n_columns);
        add_dense(row, column, matrix.n_columns, entries);
        return;
      }
    memory_ += matrix.size() * sizeof(float);
    blocks_.push_back({row,
                       matrix.n_rows,
                       column,
                       matrix.n_columns,
                       matrix.rank,
                       {matrix.u.begin(), matrix.u.end()},
                       {matrix.v.begin(), matrix.v.end()}});
  }


  void
  HierarchicalOperator::add_dense(const std::size_t          row,
                                  const std::size_t          column,
                                  const std::size_t          n_columns,
                                  const std::vector<double> &entries)
  {
    memory_ += entries.size() * sizeof(float);
    blocks_.push_back({row,
                       entries.size() / n_columns,
                       column,
                       n_columns,
                       0,
                       {entries.begin(), entries.end()},
                       {}});
  }


  void
  HierarchicalOperator::add_blocks(const float      *in,
                                   float            *out,
                                   const std::size_t n,
                                   const bool        transposed) const
  {
    const std::size_t  ld_in  = transposed ? n_rows() : n_columns();
    const std::size_t  ld_out = transposed ? n_columns() : n_rows();
    std::vector<float> inner;
    for (const auto &block : blocks_)
      {
        const float *const x    = in + (transposed ? block.row : block.column);
        float *const       y    = out + (transposed ? block.column : block.row);
        const std::size_t  n_in = transposed ? block.n_rows : block.n_columns;
        const std::size_t  n_out = transposed ? block.n_columns : block.n_rows;
        if (block.v.empty())
          {
            Blas::gemm(transposed ? 'N' : 'T',
                       'N',
                       n_out,
                       n,
                       n_in,
                       1.f,
                       block.u.data(),
                       block.n_columns,
                       x,
                       ld_in,
                       1.f,
                       y,
                       ld_out);
            continue;
          }
        const float *const first = (transposed ? block.u : block.v).data();
        const float *const last  = (transposed ? block.v : block.u).data();
        inner.resize(block.rank * n);
        Blas::gemm('T',
                   'N',
                   block.rank,
                   n,
                   n_in,
                   1.f,
                   first,
                   n_in,
                   x,
                   ld_in,
                   0.f,
                   inner.data(),
                   block.rank);
        Blas::gemm('N',
                   'N',
                   n_out,
                   n,
                   block.rank,
                   1.f,
                   last,
                   n_out,
                   inner.data(),
                   block.rank,
                   1.f,
                   y,
                   ld_out);
      }
  }


  void
  HierarchicalOperator::multiply(const double     *in,
                                 double           *out,
                                 const std::size_t n,
                                 const bool        transposed) const
  {
    const auto &order_in  = transposed ? rows_.order : columns_.order;
    const auto &order_out = transposed ? columns_.order : rows_.order;

    for_column_chunks(n, [&](const std::size_t first, const std::size_t count) {
      std::vector<float> x(order_in.size() * count);
      std::vector<float> y(order_out.size() * count, 0.f);
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < order_in.size(); ++i)
          x[j * order_in.size() + i] =
            in[(first + j) * order_in.size() + order_in[i]];
      add_blocks(x.data(), y.data(), count, transposed);
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < order_out.size(); ++i)
          out[(first + j) * order_out.size() + order_out[i]] =
            y[j * order_out.size() + i];
    });
  }


  void
  HierarchicalOperator::apply(const double     *forcings,
                              double           *solutions,
                              const std::size_t n) const
  {
    multiply(forcings, solutions, n, false);
  }


  void
  HierarchicalOperator::apply_transposed(const double     *solutions,
                                         double           *forcings,
                                         const std::size_t n) const
  {
    multiply(solutions, forcings, n, true);
  }
} // namespace Evergreen
