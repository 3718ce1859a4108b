#include <evergreen/base/error.h>
#include <evergreen/fem/boundary_faces.h>
#include <evergreen/fem/mesh.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    using Nodes = std::vector<std::size_t>;


    /** The faces of a kind of cells as local vertices, in VTK's order. */
    const std::vector<std::vector<unsigned int>> &
    faces_of_cell(const std::string &cell_type)
    {
      static const std::map<std::string, std::vector<std::vector<unsigned int>>>
        faces = {{"line", {{0}, {1}}},
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
      return faces.at(cell_type);
    }


    /** The face of a cell whose vertices have these numbers in deal.II. */
    template <int dim>
    std::vector<unsigned int>
    local_face(const ReferenceCell &reference_cell, const unsigned int f)
    {
      std::vector<unsigned int> vertices;
      if (dim == 1)
        vertices.push_back(vtk_vertex(reference_cell, f));
      else
        for (unsigned int v = 0;
             v < reference_cell.face_reference_cell(f).n_vertices();
             ++v)
          vertices.push_back(
            vtk_vertex(reference_cell,
                       reference_cell.face_to_cell_vertices(f, v, 1)));
      const std::string cell_type = cell_type_name(reference_cell);
      for (const auto &face : faces_of_cell(cell_type))
        if (std::is_permutation(
              face.begin(), face.end(), vertices.begin(), vertices.end()))
          return face;
      throw Error("A cell has a face that VTK does not know.");
    }
  } // namespace


  template <int dim>
  std::vector<BoundaryFace>
  boundary_faces(const Space<dim> &space)
  {
    const ReferenceCell reference_cell = space.fe().reference_cell();
    std::vector<std::vector<unsigned int>> local_faces;
    for (const auto f : reference_cell.face_indices())
      local_faces.push_back(local_face<dim>(reference_cell, f));

    // Corners and cells by node numbers.
    std::vector<std::pair<Nodes, Nodes>> own;
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned() && cell->at_boundary())
        {
          Nodes nodes(reference_cell.n_vertices());
          for (const auto v : cell->vertex_indices())
            nodes[vtk_vertex(reference_cell, v)] =
              space.node_of_dof(cell->vertex_dof_index(v, 0));
          for (const auto f : cell->face_indices())
            if (cell->at_boundary(f))
              {
                own.push_back({{}, nodes});
                for (const unsigned int v : local_faces[f])
                  own.back().first.push_back(nodes[v]);
              }
        }

    // The order of the faces is that of their sorted corners.
    std::map<Nodes, BoundaryFace> faces;
    const auto                    coordinates = [&](const Nodes &nodes) {
      std::vector<double> result;
      for (const auto node : nodes)
        result.insert(result.end(),
                      space.points().begin() + node * dim,
                      space.points().begin() + (node + 1) * dim);
      return result;
    };
    for (const auto &part :
         Utilities::MPI::all_gather(space.communicator(), own))
      for (const auto &[corners, cell] : part)
        {
          Nodes key = corners;
          std::sort(key.begin(), key.end());
          faces[key] = {coordinates(corners), coordinates(cell)};
        }
    std::vector<BoundaryFace> result;
    for (auto &[key, face] : faces)
      result.push_back(std::move(face));
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(boundary_faces<dim>) boundary_faces<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
