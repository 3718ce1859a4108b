// The mesh of a twin refined once, and its neighbours.

#include <evergreen/base/error.h>
#include <evergreen/twin/hat_functions.h>

#include <algorithm>
#include <map>

namespace Evergreen
{
  namespace
  {
    /**
     * The new cells by the vertices of a cell in VTK's order; each of their
     * vertices is the middle of some old ones, given by bits.
     */
    std::vector<std::vector<unsigned int>>
    children(const MeshData &mesh)
    {
      const auto bit = [](const std::initializer_list<unsigned int> vertices) {
        unsigned int bits = 0;
        for (const unsigned int v : vertices)
          bits |= 1u << v;
        return bits;
      };
      if (mesh.cell_type == "triangle")
        return {{1, bit({0, 1}), bit({0, 2})},
                {2, bit({1, 2}), bit({0, 1})},
                {4, bit({0, 2}), bit({1, 2})},
                {bit({0, 1}), bit({1, 2}), bit({0, 2})}};
      if (mesh.cell_type == "tetrahedron")
        {
          const auto a = bit({0, 1}), b = bit({1, 2}), c = bit({0, 2}),
                     d = bit({0, 3}), e = bit({1, 3}), f = bit({2, 3});
          // Four corners, and the octahedron cut along one diagonal.
          return {{1, a, c, d},
                  {a, 2, b, e},
                  {c, b, 4, f},
                  {d, e, f, 8},
                  {a, b, c, e},
                  {a, c, d, e},
                  {c, d, e, f},
                  {b, c, e, f}};
        }
      // Corner v of the child at corner w is in the middle of the face or cell
      // that both span; VTK's order in the plane goes round.
      const unsigned int n         = mesh.vertices_per_cell();
      const auto         in_binary = [](const unsigned int v) {
        return v ^ ((v >> 1) & 1u);
      };
      std::vector<std::vector<unsigned int>> result;
      for (unsigned int w = 0; w < n; ++w)
        {
          std::vector<unsigned int> child;
          for (unsigned int v = 0; v < n; ++v)
            {
              unsigned int bits = 0;
              for (unsigned int x = 0; x < n; ++x)
                // In each direction as w, or free where v and w differ.
                if (((in_binary(x) ^ in_binary(w)) &
                     ~(in_binary(v) ^ in_binary(w))) == 0)
                  bits |= 1u << x;
              child.push_back(bits);
            }
          result.push_back(child);
        }
      return result;
    }
  } // namespace


  RefinedMesh
  refine(const MeshData &mesh)
  {
    const unsigned int dim = mesh.dim, n = mesh.vertices_per_cell();
    RefinedMesh        result;
    result.mesh = mesh;
    result.mesh.cells.clear();
    std::vector<std::vector<std::pair<std::uint32_t, double>>> hats(
      mesh.n_nodes());
    for (std::size_t k = 0; k < hats.size(); ++k)
      hats[k].emplace_back(k, 1.);

    std::map<std::vector<std::size_t>, std::size_t> middles;
    const auto node_of = [&](std::vector<std::size_t> nodes) {
      std::sort(nodes.begin(), nodes.end());
      if (nodes.size() == 1)
        return nodes.front();
      const auto [place, is_new] =
        middles.emplace(nodes, result.mesh.n_nodes());
      if (is_new)
        {
          for (unsigned int d = 0; d < dim; ++d)
            {
              double sum = 0;
              for (const std::size_t node : nodes)
                sum += mesh.points[node * dim + d];
              result.mesh.points.push_back(sum / nodes.size());
            }
          for (const std::size_t node : nodes)
            hats[node].emplace_back(place->second, 1. / nodes.size());
        }
      return place->second;
    };

    const auto pieces = children(mesh);
    for (std::size_t c = 0; c < mesh.n_cells(); ++c)
      for (const auto &piece : pieces)
        for (const unsigned int bits : piece)
          {
            std::vector<std::size_t> nodes;
            for (unsigned int v = 0; v < n; ++v)
              if (bits & (1u << v))
                nodes.push_back(mesh.cells[c * n + v]);
            result.mesh.cells.push_back(node_of(nodes));
          }
    result.old_hats.n_columns = result.mesh.n_nodes();
    for (const auto &hat : hats)
      result.old_hats.add_row(hat);
    return result;
  }


  NodeGraph
  NodeGraph::of_cells(const std::size_t                            n_nodes,
                      const std::vector<std::vector<std::size_t>> &cells)
  {
    std::vector<std::vector<std::size_t>> lists(n_nodes);
    for (const auto &cell : cells)
      for (const std::size_t node : cell)
        lists[node].insert(lists[node].end(), cell.begin(), cell.end());
    NodeGraph graph;
    for (auto &list : lists)
      {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        graph.neighbours.insert(graph.neighbours.end(),
                                list.begin(),
                                list.end());
        graph.starts.push_back(graph.neighbours.size());
      }
    return graph;
  }


  std::vector<std::size_t>
  NodeGraph::rings(const std::size_t node, const unsigned int n_rings) const
  {
    std::vector<std::size_t> result = {node};
    for (unsigned int ring = 0; ring < n_rings; ++ring)
      {
        const auto inner = result;
        for (const std::size_t k : inner)
          result.insert(result.end(),
                        neighbours.begin() + starts[k],
                        neighbours.begin() + starts[k + 1]);
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
      }
    return result;
  }


  NodeGraph
  neighbours(const MeshData &mesh)
  {
    const unsigned int                    n = mesh.vertices_per_cell();
    std::vector<std::vector<std::size_t>> cells(mesh.n_cells());
    for (std::size_t c = 0; c < cells.size(); ++c)
      cells[c].assign(mesh.cells.begin() + c * n,
                      mesh.cells.begin() + (c + 1) * n);
    return NodeGraph::of_cells(mesh.n_nodes(), cells);
  }
} // namespace Evergreen
