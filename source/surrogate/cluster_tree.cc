#include <evergreen/surrogate/cluster_tree.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    double
    diameter(const ClusterTree::Cluster &cluster)
    {
      double square = 0;
      for (std::size_t d = 0; d < cluster.lower.size(); ++d)
        square += std::pow(cluster.upper[d] - cluster.lower[d], 2);
      return std::sqrt(square);
    }


    double
    distance(const ClusterTree::Cluster &a, const ClusterTree::Cluster &b)
    {
      double square = 0;
      for (std::size_t d = 0; d < a.lower.size(); ++d)
        {
          const double gap =
            std::max({0., a.lower[d] - b.upper[d], b.lower[d] - a.upper[d]});
          square += gap * gap;
        }
      return std::sqrt(square);
    }


    void
    partition(const ClusterTree        &rows,
              const ClusterTree        &columns,
              const double              eta,
              const std::size_t         row,
              const std::size_t         column,
              std::vector<ClusterPair> &pairs)
    {
      const auto  &a   = rows.clusters[row];
      const auto  &b   = columns.clusters[column];
      const double gap = distance(a, b);
      if (gap > 0 && std::min(diameter(a), diameter(b)) <= eta * gap)
        pairs.push_back({row, column, true});
      else if (a.is_leaf() && b.is_leaf())
        pairs.push_back({row, column, false});
      else if (b.is_leaf() || (!a.is_leaf() && diameter(a) > diameter(b)))
        for (const auto child : a.children)
          partition(rows, columns, eta, child, column, pairs);
      else
        for (const auto child : b.children)
          partition(rows, columns, eta, row, child, pairs);
    }
  } // namespace


  ClusterTree::ClusterTree(const unsigned int         dim,
                           const std::vector<double> &points,
                           const std::size_t          leaf_size)
    : order(points.size() / dim)
  {
    std::iota(order.begin(), order.end(), 0);
    add_cluster(dim, points, 0, order.size(), leaf_size);
  }


  std::size_t
  ClusterTree::add_cluster(const unsigned int         dim,
                           const std::vector<double> &points,
                           const std::size_t          begin,
                           const std::size_t          end,
                           const std::size_t          leaf_size)
  {
    Cluster cluster = {begin, end, {0, 0}, {}, {}};
    for (unsigned int d = 0; d < dim && end > begin; ++d)
      {
        const auto [low, high] =
          std::minmax_element(order.begin() + begin,
                              order.begin() + end,
                              [&](const std::size_t i, const std::size_t j) {
                                return points[i * dim + d] <
                                       points[j * dim + d];
                              });
        cluster.lower.push_back(points[*low * dim + d]);
        cluster.upper.push_back(points[*high * dim + d]);
      }
    const std::size_t index = clusters.size();
    clusters.push_back(cluster);
    if (end - begin <= leaf_size)
      return index;

    unsigned int longest = 0;
    for (unsigned int d = 1; d < dim; ++d)
      if (cluster.upper[d] - cluster.lower[d] >
          (1 + 1e-9) * (cluster.upper[longest] - cluster.lower[longest]))
        longest = d;
    const std::size_t middle = (begin + end) / 2;
    std::nth_element(order.begin() + begin,
                     order.begin() + middle,
                     order.begin() + end,
                     [&](const std::size_t i, const std::size_t j) {
                       return points[i * dim + longest] <
                              points[j * dim + longest];
                     });
    const std::size_t left = add_cluster(dim, points, begin, middle, leaf_size);
    const std::size_t right = add_cluster(dim, points, middle, end, leaf_size);
    clusters[index].children[0] = left;
    clusters[index].children[1] = right;
    return index;
  }


  std::vector<std::size_t>
  ClusterTree::leaves() const
  {
    // Clusters are stored in depth-first order.
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < clusters.size(); ++i)
      if (clusters[i].is_leaf())
        result.push_back(i);
    return result;
  }


  std::vector<ClusterPair>
  partition(const ClusterTree &rows,
            const ClusterTree &columns,
            const double       eta)
  {
    std::vector<ClusterPair> pairs;
    if (!rows.order.empty() && !columns.order.empty())
      partition(rows, columns, eta, 0, 0, pairs);
    return pairs;
  }
} // namespace Evergreen
