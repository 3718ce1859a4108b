#include <evergreen/base/error.h>
#include <evergreen/report/section.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace Evergreen
{
  namespace
  {
    using Edge = std::pair<unsigned int, unsigned int>;

    /** The edges of a cell, by its vertices in VTK's order. */
    const std::vector<Edge> &
    edges_of(const std::string &cell_type)
    {
      static const std::vector<Edge> tetrahedron = {
        {0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
      static const std::vector<Edge> hexahedron = {{0, 1},
                                                   {1, 2},
                                                   {2, 3},
                                                   {3, 0},
                                                   {4, 5},
                                                   {5, 6},
                                                   {6, 7},
                                                   {7, 4},
                                                   {0, 4},
                                                   {1, 5},
                                                   {2, 6},
                                                   {3, 7}};
      return cell_type == "tetrahedron" ? tetrahedron : hexahedron;
    }


    /** Puts the corners of a convex polygon in the order around it. */
    void
    sort_around_centre(const std::vector<double> &points,
                       std::vector<std::size_t>  &polygon)
    {
      std::array<double, 2> centre = {{0, 0}};
      for (const auto i : polygon)
        for (unsigned int d = 0; d < 2; ++d)
          centre[d] += points[2 * i + d] / polygon.size();
      const auto angle = [&](const std::size_t i) {
        return std::atan2(points[2 * i + 1] - centre[1],
                          points[2 * i] - centre[0]);
      };
      std::sort(polygon.begin(),
                polygon.end(),
                [&](const auto a, const auto b) {
                  return angle(a) < angle(b);
                });
    }


    /** Quadrilaterals if all polygons are, otherwise triangles. */
    void
    set_cells(const std::vector<std::vector<std::size_t>> &polygons,
              PlaneMesh                                   &mesh)
    {
      const bool all_quadrilaterals =
        std::all_of(polygons.begin(), polygons.end(), [](const auto &polygon) {
          return polygon.size() == 4;
        });
      mesh.vertices_per_cell = all_quadrilaterals ? 4 : 3;
      for (const auto &polygon : polygons)
        if (all_quadrilaterals)
          mesh.cells.insert(mesh.cells.end(), polygon.begin(), polygon.end());
        else
          for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
            mesh.cells.insert(mesh.cells.end(),
                              {polygon[0], polygon[i], polygon[i + 1]});
    }
  } // namespace


  Section::Section(const MeshData &mesh, const double z)
  {
    if (mesh.dim == 3)
      {
        cut(mesh, z);
        return;
      }
    if (mesh.dim != 2)
      throw Error("A mesh in ", mesh.dim, " dimensions has no plane section.");
    mesh_.vertices_per_cell = mesh.vertices_per_cell();
    mesh_.points            = mesh.points;
    mesh_.cells             = mesh.cells;
    for (std::size_t i = 0; i < mesh.n_nodes(); ++i)
      origins_.push_back({i, i, 0.});
  }


  void
  Section::cut(const MeshData &mesh, const double z)
  {
    std::vector<double> height(mesh.n_nodes());
    double              extent = 0;
    for (std::size_t i = 0; i < height.size(); ++i)
      {
        height[i] = mesh.points[3 * i + 2] - z;
        extent    = std::max(extent, std::abs(height[i]));
      }
    // A node in the plane counts as above: a plane through a layer of nodes
    // cuts the cells below it, once, in just these nodes.
    for (double &h : height)
      if (std::abs(h) < 1e-9 * extent)
        h = 0;

    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    const auto point = [&](const std::size_t below, const std::size_t above) {
      const double      t     = height[above] == 0
                                  ? 1.
                                  : height[below] / (height[below] - height[above]);
      const std::size_t first = t == 1. ? above : below;
      const auto [place, inserted] =
        known.insert({{first, above}, origins_.size()});
      if (inserted)
        {
          origins_.push_back({first, above, t == 1. ? 0. : t});
          for (unsigned int d = 0; d < 2; ++d)
            mesh_.points.push_back((1 - t) * mesh.points[3 * below + d] +
                                   t * mesh.points[3 * above + d]);
        }
      return place->second;
    };

    std::vector<std::vector<std::size_t>> polygons;
    const unsigned int                    n_v = mesh.vertices_per_cell();
    for (std::size_t c = 0; c < mesh.n_cells(); ++c)
      {
        std::vector<std::size_t> polygon;
        for (const auto &[i, j] : edges_of(mesh.cell_type))
          {
            const auto a = mesh.cells[c * n_v + i], b = mesh.cells[c * n_v + j];
            if ((height[a] < 0) != (height[b] < 0))
              polygon.push_back(height[a] < 0 ? point(a, b) : point(b, a));
          }
        std::sort(polygon.begin(), polygon.end());
        polygon.erase(std::unique(polygon.begin(), polygon.end()),
                      polygon.end());
        if (polygon.size() < 3)
          continue;
        sort_around_centre(mesh_.points, polygon);
        polygons.push_back(polygon);
      }
    set_cells(polygons, mesh_);
  }


  std::vector<double>
  Section::values(const std::vector<double> &nodal_values) const
  {
    std::vector<double> result;
    result.reserve(origins_.size());
    for (const Origin &origin : origins_)
      result.push_back((1 - origin.share) * nodal_values[origin.first] +
                       origin.share * nodal_values[origin.second]);
    return result;
  }
} // namespace Evergreen
