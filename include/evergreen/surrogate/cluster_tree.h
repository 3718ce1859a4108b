// Points in space grouped by bisection: which pairs of groups are far apart.

#ifndef evergreen_surrogate_cluster_tree_h
#define evergreen_surrogate_cluster_tree_h

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * A binary tree of points, made by halving bounding boxes across their
   * longest side until at most @p leaf_size points remain. In the order of
   * <tt>order</tt> every cluster is a contiguous range.
   */
  struct ClusterTree
  {
    struct Cluster
    {
      /** The range of positions in <tt>order</tt>. */
      std::size_t begin, end;

      /** The two halves, or 0 for a leaf (nobody's child is the root). */
      std::size_t children[2];

      /** The bounding box. */
      std::vector<double> lower, upper;

      std::size_t
      size() const
      {
        return end - begin;
      }
      bool
      is_leaf() const
      {
        return children[0] == 0;
      }
    };

    ClusterTree(const unsigned int         dim,
                const std::vector<double> &points,
                const std::size_t          leaf_size);

    /** The points' indices, cluster by cluster. */
    std::vector<std::size_t> order;

    /** All clusters; the first is the root. */
    std::vector<Cluster> clusters;

    /** The leaves from left to right. */
    std::vector<std::size_t>
    leaves() const;

  private:
    std::size_t
    add_cluster(const unsigned int         dim,
                const std::vector<double> &points,
                const std::size_t          begin,
                const std::size_t          end,
                const std::size_t          leaf_size);
  };


  /** A pair of clusters, one of rows and one of columns. */
  struct ClusterPair
  {
    std::size_t rows, columns;

    /** Whether the clusters are far apart. */
    bool is_far;
  };

  /**
   * Splits the product of two trees into pairs of clusters: far ones, with
   * min(diameter) <= eta * distance, as large as possible, and near pairs of
   * leaves.
   */
  std::vector<ClusterPair>
  partition(const ClusterTree &rows,
            const ClusterTree &columns,
            const double       eta);
} // namespace Evergreen

#endif
