#include <evergreen/base/error.h>
#include <evergreen/fem/boundary_faces.h>
#include <evergreen/fem/mesh.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    using Nodes = std::vector<std::int64_t>;

    /** A face by the numbers of its nodes. */
    struct Face
    {
      /** The corners in increasing order. */
      Nodes key;
      Nodes corners;
      Nodes cell;

      template <typename Archive>
      void
      serialize(Archive &archive, const unsigned int)
      {
        archive &key &corners &cell;
      }
    };


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


    Face
    make_face(const std::vector<unsigned int> &local, const Nodes &cell)
    {
      Face face{{}, {}, cell};
      for (const unsigned int v : local)
        face.corners.push_back(cell[v]);
      face.key = face.corners;
      std::sort(face.key.begin(), face.key.end());
      return face;
    }


    void
    sort(std::vector<Face> &faces)
    {
      std::sort(faces.begin(), faces.end(), [](const Face &a, const Face &b) {
        return a.key < b.key;
      });
    }


    /** From node numbers to coordinates. */
    std::vector<BoundaryFace>
    with_coordinates(const std::vector<Face>   &faces,
                     const std::vector<double> &points,
                     const unsigned int         dim)
    {
      const auto coordinates = [&](const Nodes &nodes) {
        std::vector<double> result;
        for (const auto node : nodes)
          result.insert(result.end(),
                        points.begin() + node * dim,
                        points.begin() + (node + 1) * dim);
        return result;
      };
      std::vector<BoundaryFace> result;
      for (const Face &face : faces)
        result.push_back({coordinates(face.corners), coordinates(face.cell)});
      return result;
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
      for (const auto &face : faces_of_cell(cell_type_name(reference_cell)))
        if (std::is_permutation(
              face.begin(), face.end(), vertices.begin(), vertices.end()))
          return face;
      throw Error("A cell has a face that VTK does not know.");
    }
  } // namespace


  std::vector<BoundaryFace>
  boundary_faces(const MeshData &mesh)
  {
    mesh.check("The mesh");
    const unsigned int n = mesh.vertices_per_cell();
    std::vector<Face>  all, single;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c)
      for (const auto &local : faces_of_cell(mesh.cell_type))
        all.push_back(make_face(local,
                                Nodes(mesh.cells.begin() + c * n,
                                      mesh.cells.begin() + (c + 1) * n)));
    sort(all);
    for (auto first = all.begin(); first != all.end();)
      {
        const auto last = std::find_if(first, all.end(), [&](const Face &face) {
          return face.key != first->key;
        });
        if (last - first == 1)
          single.push_back(*first);
        first = last;
      }
    return with_coordinates(single, mesh.points, mesh.dim);
  }


  template <int dim>
  std::vector<BoundaryFace>
  boundary_faces(const Space<dim> &space)
  {
    const ReferenceCell reference_cell = space.fe().reference_cell();
    std::vector<std::vector<unsigned int>> local_faces;
    for (const auto f : reference_cell.face_indices())
      local_faces.push_back(local_face<dim>(reference_cell, f));

    std::vector<Face> own, all;
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned() && cell->at_boundary())
        {
          Nodes nodes(reference_cell.n_vertices());
          for (const auto v : cell->vertex_indices())
            nodes[vtk_vertex(reference_cell, v)] =
              space.node_of_dof(cell->vertex_dof_index(v, 0));
          for (const auto f : cell->face_indices())
            if (cell->at_boundary(f))
              own.push_back(make_face(local_faces[f], nodes));
        }
    for (const auto &part :
         Utilities::MPI::all_gather(space.communicator(), own))
      all.insert(all.end(), part.begin(), part.end());
    sort(all);
    return with_coordinates(all, space.points(), dim);
  }


  template std::vector<BoundaryFace>
  boundary_faces(const Space<1> &);
  template std::vector<BoundaryFace>
  boundary_faces(const Space<2> &);
  template std::vector<BoundaryFace>
  boundary_faces(const Space<3> &);
} // namespace Evergreen
