// A kernel as low-rank blocks on cluster trees of response points and nodes.

#ifndef evergreen_surrogate_hierarchical_operator_h
#define evergreen_surrogate_hierarchical_operator_h

#include <evergreen/surrogate/cluster_tree.h>
#include <evergreen/surrogate/kernel_operator.h>
#include <evergreen/surrogate/low_rank.h>

#include <map>
#include <utility>

namespace Evergreen
{
  /**
   * The nodal matrix of a kernel as a hierarchical matrix. Blocks of clusters
   * that are far apart are compressed by adaptive cross approximation and
   * recompressed; blocks of neighbours are dense. Everything is stored in
   * single precision, since blocks are accurate to the tolerance only, and
   * grouped by clusters, so that products are few and large.
   *
   * Rows are computed one panel (leaf of the row tree) after the other, each as
   * a whole, and the parts of a far block are merged when its last panel is
   * done: so the memory is that of the result and one panel. Computing every
   * entry costs less than learning did. To compute single columns on demand
   * would not save work: each entry of a column needs all quadrature points
   * around its node, of which neighbouring entries of a row share most.
   */
  class HierarchicalOperator : public KernelOperator
  {
  public:
    /** Makes the operator, or returns nullptr if it outgrows the memory. */
    static std::unique_ptr<KernelOperator>
    make_if_fits(const RowSource &source, const SurrogateOptions &options);

    void
    apply(const double     *forcings,
          double           *solutions,
          const std::size_t n) const override;

    void
    apply_transposed(const double     *solutions,
                     double           *forcings,
                     const std::size_t n) const override;

    SurrogateForm
    form() const override
    {
      return SurrogateForm::hierarchical;
    }

    std::size_t
    memory() const override
    {
      return memory_;
    }

  private:
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
      std::size_t        rank  = 0;
      std::size_t        start = 0;
      std::vector<float> factor;
      std::vector<Link>  links;
    };

    /** Dense blocks of some rows side by side, row by row. */
    struct Near
    {
      std::size_t                                      row, n_rows;
      std::size_t                                      n_columns = 0;
      std::vector<std::pair<std::size_t, std::size_t>> ranges;
      std::vector<float>                               entries;
    };

    /** A far block in the making: its parts from top to bottom. */
    struct Far
    {
      ClusterPair                pair;
      std::vector<LowRankMatrix> parts;
    };

    ClusterTree        rows_;
    ClusterTree        columns_;
    std::vector<Group> row_groups_, column_groups_;
    std::vector<Near>  near_;
    std::size_t        total_rank_ = 0;
    std::size_t        memory_     = 0;

    /** The group of a range of rows or columns, while groups are made. */
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> row_group_of_,
      column_group_of_;

    explicit HierarchicalOperator(const RowSource &source);

    bool
    build(const RowSource &source, const SurrogateOptions &options);
    void
    add_near(const ClusterTree::Cluster     &rows,
             const std::vector<std::size_t> &column_clusters,
             const std::vector<double>      &panel);
    void
    compress(const ClusterTree::Cluster &rows,
             const std::vector<double>  &panel,
             const double                tolerance,
             std::vector<Far>           &far) const;
    void
    add_far(const std::size_t row, const std::size_t column, LowRankMatrix m);
    /** A block that is not of low rank after all. */
    void
    add_expanded(const std::size_t    row,
                 const std::size_t    column,
                 const LowRankMatrix &matrix);
    void
    finish();

    void
    add_far_field(const std::vector<Group> &from,
                  const std::vector<Group> &to,
                  const float              *in,
                  const std::size_t         ld_in,
                  float                    *out,
                  const std::size_t         ld_out,
                  const std::size_t         n) const;
    void
    add_near_field(const float      *in,
                   float            *out,
                   const std::size_t n,
                   const bool        transposed) const;
    void
    multiply(const double     *in,
             double           *out,
             const std::size_t n,
             const bool        transposed) const;
  };
} // namespace Evergreen

#endif
