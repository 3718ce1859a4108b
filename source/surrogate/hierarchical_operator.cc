#include "column_chunks.h"

#include <evergreen/base/blas.h>
#include <evergreen/surrogate/cluster_tree.h>
#include <evergreen/surrogate/hierarchical_operator.h>
#include <evergreen/surrogate/low_rank.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <utility>

namespace Evergreen
{
  namespace
  {
    /** The size of panels and of dense blocks. */
    constexpr std::size_t leaf_size = 64;

    /** How far apart clusters must be, measured in diameters. */
    constexpr double eta = 2.5;


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


    /** Where the columns of a factor come together with their partners. */
    struct Link
    {
      std::size_t group, offset, rank;
    };


    /**
     * The factors of all far blocks of one cluster, side by side, so that they
     * are applied in one product.
     */
    struct Group
    {
      std::size_t        begin, size;
      std::size_t        rank   = 0;
      std::size_t        start  = 0;
      std::vector<float> factor = {};
      std::vector<Link>  links  = {};
    };


    /** The rows or the columns of the matrix. */
    struct Side
    {
      ClusterTree                                                tree;
      std::vector<Group>                                         groups  = {};
      std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers = {};

      /** The number of the group of a range of positions in the tree. */
      std::size_t
      group(const std::size_t begin, const std::size_t size)
      {
        const auto [entry, is_new] =
          numbers.emplace(std::make_pair(begin, size), groups.size());
        if (is_new)
          groups.push_back({begin, size});
        return entry->second;
      }
    };


    /** Dense blocks of some rows side by side, row by row. */
    struct Near
    {
      std::size_t                                      row, n_rows;
      std::size_t                                      n_columns = 0;
      std::vector<std::pair<std::size_t, std::size_t>> ranges    = {};
      std::vector<float>                               entries   = {};
    };


    /** A far block in the making: its parts from top to bottom. */
    struct Far
    {
      ClusterPair                pair;
      std::vector<LowRankMatrix> parts = {};
    };


    class HierarchicalOperator : public KernelOperator
    {
    public:
      explicit HierarchicalOperator(const RowSource &source)
        : KernelOperator(SurrogateForm::hierarchical,
                         source.n_rows,
                         source.n_columns)
        , rows_{ClusterTree(source.dim, source.row_points, leaf_size)}
        , columns_{ClusterTree(source.dim, source.column_points, leaf_size)}
      {}

      /** Computes all blocks; false if they outgrow the memory. */
      bool
      build(const RowSource &source, const SurrogateOptions &options)
      {
        std::vector<Far>                                far;
        std::map<std::size_t, std::vector<std::size_t>> near; // of leaves
        for (const auto &pair : partition(rows_.tree, columns_.tree, eta))
          if (pair.is_far)
            far.push_back({pair});
          else
            near[pair.rows].push_back(pair.columns);

        const Blas::SingleThread quiet_blas;
        for (const auto leaf : rows_.tree.leaves())
          {
            const auto &rows = rows_.tree.clusters[leaf];
            if (rows.size() == 0)
              continue;
            const auto order = rows_.tree.order.begin();
            const auto panel =
              source.rows({order + rows.begin, order + rows.end});
            add_near(rows, near[leaf], panel);
            compress(rows, panel, options.block_tolerance, far);
            for (auto &block : far)
              if (const auto &all = rows_.tree.clusters[block.pair.rows];
                  all.end == rows.end)
                {
                  std::size_t row = all.begin;
                  for (const auto &part : block.parts)
                    {
                      add_far(row,
                              columns_.tree.clusters[block.pair.columns].begin,
                              part);
                      row += part.n_rows;
                    }
                  block.parts.clear();
                }
            if (memory_ > options.memory)
              return false;
          }
        finish();
        return true;
      }

      std::size_t
      memory() const override
      {
        return memory_;
      }

    private:
      Side              rows_, columns_;
      std::vector<Near> near_;
      std::size_t       total_rank_ = 0;
      std::size_t       memory_     = 0;

      void
      add_near(const ClusterTree::Cluster     &rows,
               const std::vector<std::size_t> &column_clusters,
               const std::vector<double>      &panel)
      {
        const auto &order = columns_.tree.order;
        Near        near  = {rows.begin, rows.size()};
        for (const auto c : column_clusters)
          {
            const auto &columns = columns_.tree.clusters[c];
            near.ranges.emplace_back(columns.begin, columns.size());
            near.n_columns += columns.size();
          }
        near.entries.reserve(near.n_rows * near.n_columns);
        for (std::size_t i = 0; i < near.n_rows; ++i)
          for (const auto &[begin, size] : near.ranges)
            for (std::size_t j = begin; j < begin + size; ++j)
              near.entries.push_back(panel[i * order.size() + order[j]]);
        memory_ += near.entries.size() * sizeof(float);
        near_.push_back(std::move(near));
      }

      void
      compress(const ClusterTree::Cluster &rows,
               const std::vector<double>  &panel,
               const double                tolerance,
               std::vector<Far>           &far) const
      {
        const auto &order = columns_.tree.order;
        tbb::parallel_for(std::size_t(0), far.size(), [&](const std::size_t k) {
          const auto &all = rows_.tree.clusters[far[k].pair.rows];
          if (rows.begin < all.begin || rows.begin >= all.end)
            return;
          const auto &columns = columns_.tree.clusters[far[k].pair.columns];
          std::vector<double> block;
          block.reserve(rows.size() * columns.size());
          for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = columns.begin; j < columns.end; ++j)
              block.push_back(panel[i * order.size() + order[j]]);
          auto part =
            cross_approximation(rows.size(),
                                columns.size(),
                                block,
                                tolerance / 2,
                                std::min(rows.size(), columns.size()));
          recompress(part, tolerance);
          far[k].parts.push_back(std::move(part));
          if (rows.end == all.end)
            merge(far[k].parts, tolerance);
        });
      }

      void
      add_far(const std::size_t    row,
              const std::size_t    column,
              const LowRankMatrix &matrix)
      {
        if (matrix.rank == 0)
          return;
        if (matrix.size() >= matrix.n_rows * matrix.n_columns)
          {
            add_expanded(row, column, matrix);
            return;
          }
        const auto i    = rows_.group(row, matrix.n_rows);
        const auto j    = columns_.group(column, matrix.n_columns);
        Group     &left = rows_.groups[i], &right = columns_.groups[j];
        left.links.push_back({j, right.rank, matrix.rank});
        right.links.push_back({i, left.rank, matrix.rank});
        left.factor.insert(left.factor.end(), matrix.u.begin(), matrix.u.end());
        right.factor.insert(right.factor.end(),
                            matrix.v.begin(),
                            matrix.v.end());
        left.rank += matrix.rank;
        right.rank += matrix.rank;
        memory_ += matrix.size() * sizeof(float);
      }

      /** A block that is not of low rank after all. */
      void
      add_expanded(const std::size_t    row,
                   const std::size_t    column,
                   const LowRankMatrix &matrix)
      {
        std::vector<double> entries(matrix.n_rows * matrix.n_columns);
        Blas::gemm('N',
                   'T',
                   1.,
                   {matrix.v.data(), matrix.n_columns, matrix.rank},
                   {matrix.u.data(), matrix.n_rows, matrix.rank},
                   0.,
                   {entries.data(), matrix.n_columns, matrix.n_rows});
        near_.push_back({row,
                         matrix.n_rows,
                         matrix.n_columns,
                         {{column, matrix.n_columns}},
                         {entries.begin(), entries.end()}});
        memory_ += entries.size() * sizeof(float);
      }

      void
      finish()
      {
        for (Side *const side : {&rows_, &columns_})
          {
            total_rank_ = 0;
            for (auto &group : side->groups)
              {
                group.factor.shrink_to_fit();
                group.start = total_rank_;
                total_rank_ += group.rank;
              }
            side->numbers.clear();
          }
      }

      void
      add_far_field(const Side       &from,
                    const Side       &to,
                    const float      *in,
                    float            *out,
                    const std::size_t n) const
      {
        std::vector<float> inner(total_rank_ * n), gathered;
        for (const auto &group : from.groups)
          Blas::gemm('T',
                     'N',
                     group.rank,
                     n,
                     group.size,
                     1.f,
                     group.factor.data(),
                     group.size,
                     in + group.begin,
                     from.tree.order.size(),
                     0.f,
                     &inner[group.start * n],
                     group.rank);
        for (const auto &group : to.groups)
          {
            gathered.resize(group.rank * n);
            std::size_t offset = 0;
            for (const auto &link : group.links)
              {
                const auto &partner = from.groups[link.group];
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
                       to.tree.order.size());
          }
      }

      void
      add_near_field(const float      *in,
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
      multiply(const double     *in,
               double           *out,
               const std::size_t n,
               const bool        transposed) const override
      {
        const Side &from      = transposed ? rows_ : columns_;
        const Side &to        = transposed ? columns_ : rows_;
        const auto &order_in  = from.tree.order;
        const auto &order_out = to.tree.order;
        for_column_chunks(
          n, [&](const std::size_t first, const std::size_t count) {
            std::vector<float> x(order_in.size() * count);
            std::vector<float> y(order_out.size() * count, 0.f);
            for (std::size_t j = 0; j < count; ++j)
              for (std::size_t i = 0; i < order_in.size(); ++i)
                x[j * order_in.size() + i] =
                  in[(first + j) * order_in.size() + order_in[i]];
            add_far_field(from, to, x.data(), y.data(), count);
            add_near_field(x.data(), y.data(), count, transposed);
            for (std::size_t j = 0; j < count; ++j)
              for (std::size_t i = 0; i < order_out.size(); ++i)
                out[(first + j) * order_out.size() + order_out[i]] =
                  y[j * order_out.size() + i];
          });
      }
    };
  } // namespace


  std::unique_ptr<KernelOperator>
  make_hierarchical_operator(const RowSource        &source,
                             const SurrogateOptions &options)
  {
    auto result = std::make_unique<HierarchicalOperator>(source);
    if (!result->build(source, options))
      return nullptr;
    return result;
  }
} // namespace Evergreen
