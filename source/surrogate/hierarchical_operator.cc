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
    std::vector<Far>                                far;
    std::map<std::size_t, std::vector<std::size_t>> near; // of leaves
    for (const auto &pair : partition(rows_, columns_, eta))
      if (pair.is_far)
        far.push_back({pair, {}});
      else
        near[pair.rows].push_back(pair.columns);

    const Blas::SingleThread quiet_blas;
    for (const auto leaf : rows_.leaves())
      {
        const auto &rows = rows_.clusters[leaf];
        if (rows.size() == 0)
          continue;
        const auto panel =
          source.rows(std::vector<std::size_t>(rows_.order.begin() + rows.begin,
                                               rows_.order.begin() + rows.end));
        add_near(rows, near[leaf], panel);
        compress(rows, panel, options.block_tolerance, far);
        for (auto &block : far)
          if (const auto &all = rows_.clusters[block.pair.rows];
              all.end == rows.end)
            {
              std::size_t row = all.begin;
              for (auto &part : block.parts)
                {
                  const std::size_t n = part.n_rows;
                  add_far(row,
                          columns_.clusters[block.pair.columns].begin,
                          std::move(part));
                  row += n;
                }
              block.parts.clear();
            }
        if (memory_ > options.memory)
          return false;
      }
    finish();
    return true;
  }


  void
  HierarchicalOperator::add_near(
    const ClusterTree::Cluster     &rows,
    const std::vector<std::size_t> &column_clusters,
    const std::vector<double>      &panel)
  {
    Near near = {rows.begin, rows.size(), 0, {}, {}};
    for (const auto c : column_clusters)
      {
        const auto &columns = columns_.clusters[c];
        near.ranges.emplace_back(columns.begin, columns.size());
        near.n_columns += columns.size();
      }
    near.entries.reserve(near.n_rows * near.n_columns);
    for (std::size_t i = 0; i < near.n_rows; ++i)
      for (const auto &[begin, size] : near.ranges)
        for (std::size_t j = begin; j < begin + size; ++j)
          near.entries.push_back(
            panel[i * columns_.order.size() + columns_.order[j]]);
    memory_ += near.entries.size() * sizeof(float);
    near_.push_back(std::move(near));
  }


  void
  HierarchicalOperator::compress(const ClusterTree::Cluster &rows,
                                 const std::vector<double>  &panel,
                                 const double                tolerance,
                                 std::vector<Far>           &far) const
  {
    tbb::parallel_for(std::size_t(0), far.size(), [&](const std::size_t i) {
      const auto &all = rows_.clusters[far[i].pair.rows];
      if (rows.begin < all.begin || rows.begin >= all.end)
        return;
      const auto &columns = columns_.clusters[far[i].pair.columns];
      auto        block =
        columns_of(panel, rows.size(), columns.begin, columns.end, columns_);
      auto part = cross_approximation(rows.size(),
                                      columns.size(),
                                      block,
                                      tolerance / 2,
                                      std::min(rows.size(), columns.size()));
      recompress(part, tolerance);
      far[i].parts.push_back(std::move(part));
      if (rows.end == all.end)
        merge(far[i].parts, tolerance);
    });
  }


  void
  HierarchicalOperator::add_far(const std::size_t row,
                                const std::size_t column,
                                LowRankMatrix     matrix)
  {
    if (matrix.rank == 0)
      return;
    if (matrix.size() >= matrix.n_rows * matrix.n_columns)
      {
        add_expanded(row, column, matrix);
        return;
      }
    const auto group_of = [](const std::size_t begin,
                             const std::size_t size,
                             auto             &index,
                             auto             &groups) {
      const auto [entry, is_new] =
        index.emplace(std::make_pair(begin, size), groups.size());
      if (is_new)
        groups.push_back({begin, size, 0, 0, {}, {}});
      return entry->second;
    };
    const auto i = group_of(row, matrix.n_rows, row_group_of_, row_groups_);
    const auto j =
      group_of(column, matrix.n_columns, column_group_of_, column_groups_);
    Group &left = row_groups_[i], &right = column_groups_[j];
    left.links.push_back({j, right.rank, matrix.rank});
    right.links.push_back({i, left.rank, matrix.rank});
    left.factor.insert(left.factor.end(), matrix.u.begin(), matrix.u.end());
    right.factor.insert(right.factor.end(), matrix.v.begin(), matrix.v.end());
    left.rank += matrix.rank;
    right.rank += matrix.rank;
    memory_ += matrix.size() * sizeof(float);
  }


  void
  HierarchicalOperator::add_expanded(const std::size_t    row,
                                     const std::size_t    column,
                                     const LowRankMatrix &matrix)
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
    near_.push_back({row,
                     matrix.n_rows,
                     matrix.n_columns,
                     {{column, matrix.n_columns}},
                     {entries.begin(), entries.end()}});
    memory_ += entries.size() * sizeof(float);
  }


  void
  HierarchicalOperator::finish()
  {
    for (auto *const groups : {&row_groups_, &column_groups_})
      {
        total_rank_ = 0;
        for (auto &group : *groups)
          {
            group.factor.shrink_to_fit();
            group.start = total_rank_;
            total_rank_ += group.rank;
          }
      }
    row_group_of_.clear();
    column_group_of_.clear();
  }


  void
  HierarchicalOperator::add_far_field(const std::vector<Group> &from,
                                      const std::vector<Group> &to,
                                      const float              *in,
                                      const std::size_t         ld_in,
                                      float                    *out,
                                      const std::size_t         ld_out,
                                      const std::size_t         n) const
  {
    std::vector<float> inner(total_rank_ * n), gathered;
    for (const auto &group : from)
      Blas::gemm('T',
                 'N',
                 group.rank,
                 n,
                 group.size,
                 1.f,
                 group.factor.data(),
                 group.size,
                 in + group.begin,
                 ld_in,
                 0.f,
                 &inner[group.start * n],
                 group.rank);
    for (const auto &group : to)
      {
        gathered.resize(group.rank * n);
        std::size_t offset = 0;
        for (const auto &link : group.links)
          {
            const auto &partner = from[link.group];
            for (std::size_t j = 0; j < n; ++j)
              std::copy_n(
                &inner[partner.start * n + j * partner.rank + link.offset],
                link.rank,
                &gathered[j * group.rank + offset]);
            offset += link.rank;
          }
        Blas::gemm('N',
                   'N',
                   group.size,
                   n,
                   group.rank,
                   1.f,
                   group.factor.data(),
                   group.size,
                   gathered.data(),
                   group.rank,
                   1.f,
                   out + group.begin,
                   ld_out);
      }
  }


  void
  HierarchicalOperator::add_near_field(const float      *in,
                                       float            *out,
                                       const std::size_t n,
                                       const bool        transposed) const
  {
    std::vector<float> values;
    for (const auto &near : near_)
      {
        values.resize(near.n_columns * n);
        std::size_t offset = 0;
        if (!transposed)
          for (const auto &[begin, size] : near.ranges)
            {
              for (std::size_t j = 0; j < n; ++j)
                std::copy_n(in + j * n_columns() + begin,
                            size,
                            &values[j * near.n_columns + offset]);
              offset += size;
            }
        Blas::gemm(transposed ? 'N' : 'T',
                   'N',
                   transposed ? near.n_columns : near.n_rows,
                   n,
                   transposed ? near.n_rows : near.n_columns,
                   1.f,
                   near.entries.data(),
                   near.n_columns,
                   transposed ? in + near.row : values.data(),
                   transposed ? n_rows() : near.n_columns,
                   transposed ? 0.f : 1.f,
                   transposed ? values.data() : out + near.row,
                   transposed ? near.n_columns : n_rows());
        if (transposed)
          for (const auto &[begin, size] : near.ranges)
            {
              for (std::size_t j = 0; j < n; ++j)
                for (std::size_t i = 0; i < size; ++i)
                  out[j * n_columns() + begin + i] +=
                    values[j * near.n_columns + offset + i];
              offset += size;
            }
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
      add_far_field(transposed ? row_groups_ : column_groups_,
                    transposed ? column_groups_ : row_groups_,
                    x.data(),
                    order_in.size(),
                    y.data(),
                    order_out.size(),
                    count);
      add_near_field(x.data(), y.data(), count, transposed);
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
