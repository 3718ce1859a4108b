// A kernel as low-rank blocks on cluster trees of response points and nodes.

#ifndef evergreen_surrogate_hierarchical_operator_h
#define evergreen_surrogate_hierarchical_operator_h

#include <evergreen/surrogate/cluster_tree.h>
#include <evergreen/surrogate/kernel_operator.h>
#include <evergreen/surrogate/low_rank.h>

namespace Evergreen
{
  /**
   * The nodal matrix of a kernel as a hierarchical matrix. Blocks of clusters
   * that are far apart are compressed by adaptive cross approximation and
   * recompressed; blocks of neighbours are dense. Everything is stored in
   * single precision, since blocks are accurate to the tolerance only.
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

    /** The number of blocks and the share of them that is of low rank. */
    std::size_t
    n_blocks() const
    {
      return blocks_.size();
    }

  private:
    /** U V^T, or a dense block, row by row, if V is empty. */
    struct Block
    {
      std::size_t        row, n_rows;
      std::size_t        column, n_columns;
      std::size_t        rank;
      std::vector<float> u, v;
    };

    ClusterTree        rows_;
    ClusterTree        columns_;
    std::vector<Block> blocks_;
    std::size_t        memory_ = 0;

    explicit HierarchicalOperator(const RowSource &source);

    bool
    build(const RowSource &source, const SurrogateOptions &options);
    void
    add(const std::size_t row, const std::size_t column, LowRankMatrix matrix);
    void
    add_dense(const std::size_t          row,
              const std::size_t          column,
              const std::size_t          n_columns,
              const std::vector<double> &entries);
    void
    add_blocks(const float      *in,
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
