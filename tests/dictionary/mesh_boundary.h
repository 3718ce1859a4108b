// The faces of a mesh of plain arrays that belong to one cell only.

#ifndef evergreen_tests_dictionary_mesh_boundary_h
#define evergreen_tests_dictionary_mesh_boundary_h

#include <evergreen/dictionary/outside_points.h>
#include <evergreen/fem/mesh_data.h>

#include <algorithm>
#include <map>
#include <memory>

namespace Evergreen
{
  namespace Testing
  {
    inline std::vector<BoundaryFace>
    boundary_faces(const MeshData &mesh)
    {
      using Nodes = std::vector<std::size_t>;
      static const std::map<std::string, std::vector<Nodes>> faces_of_cell = {
        {"line", {{0}, {1}}},
        {"triangle", {{0, 1}, {1, 2}, {2, 0}}},
        {"quadrilateral", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
        {"tetrahedron", {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
        {"hexahedron",
         {{0, 1, 2, 3},
          {4, 5, 6, 7},
          {0, 1, 5, 4},
          {1, 2, 6, 5},
          {2, 3, 7, 6},
          {3, 0, 4, 7}}}};
      mesh.check("The mesh");
      const unsigned int n = mesh.vertices_per_cell();
      const auto append = [&](std::vector<double> &to, const std::size_t node) {
        to.insert(to.end(),
                  mesh.points.begin() + node * mesh.dim,
                  mesh.points.begin() + (node + 1) * mesh.dim);
      };
      std::map<Nodes, std::vector<BoundaryFace>> faces;
      for (auto cell = mesh.cells.begin(); cell != mesh.cells.end(); cell += n)
        for (const Nodes &local : faces_of_cell.at(mesh.cell_type))
          {
            BoundaryFace face;
            Nodes        key;
            for (const auto v : local)
              {
                append(face.corners, cell[v]);
                key.push_back(cell[v]);
              }
            for (unsigned int v = 0; v < n; ++v)
              append(face.cell_vertices, cell[v]);
            std::sort(key.begin(), key.end());
            faces[key].push_back(face);
          }
      std::vector<BoundaryFace> result;
      for (const auto &[key, same] : faces)
        if (same.size() == 1)
          result.push_back(same[0]);
      return result;
    }
  } // namespace Testing
} // namespace Evergreen

#endif
