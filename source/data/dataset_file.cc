#include <evergreen/base/error.h>
#include <evergreen/data/dataset_file.h>

#include <algorithm>

namespace Evergreen
{
  namespace DatasetFormat
  {
    namespace
    {
      // The name of the cells with this many vertices, empty if there is none.
      std::string
      deduced_cell_type(const unsigned int dim, const std::size_t n_vertices)
      {
        if (dim == 1 && n_vertices == 2)
          return "line";
        if (dim == 2 && n_vertices == 3)
          return "triangle";
        if (dim == 2 && n_vertices == 4)
          return "quadrilateral";
        if (dim == 3 && n_vertices == 4)
          return "tetrahedron";
        if (dim == 3 && n_vertices == 8)
          return "hexahedron";
        return "";
      }


      std::string
      read_cell_type(const Hdf5::File  &file,
                     const unsigned int dim,
                     const std::size_t  n_vertices)
      {
        for (const char *const object : {"/mesh/cells", "/mesh"})
          if (file.has_attribute(object, "cell_type"))
            return file.string_attribute(object, "cell_type");
        const std::string type = deduced_cell_type(dim, n_vertices);
        if (type.empty())
          throw Error("'/mesh/cells' in '",
                      file.path(),
                      "' has ",
                      n_vertices,
                      " columns: there is no cell of ",
                      n_vertices,
                      " vertices in dimension ",
                      dim,
                      ".");
        return type;
      }


      void
      read_points(const Hdf5::File &file, MeshData &mesh)
      {
        Hdf5::Shape shape = file.shape("/mesh/points");
        if (shape.size() == 1)
          shape.push_back(1);
        else
          file.shape("/mesh/points", 2, "nodes x dim");
        if (shape[1] < 1 || shape[1] > 3)
          throw Error("'/mesh/points' in '",
                      file.path(),
                      "' has ",
                      shape[1],
                      " columns; 1, 2 or 3 were expected (nodes x dim).");
        mesh.dim    = static_cast<unsigned int>(shape[1]);
        mesh.points = file.read<double>("/mesh/points");
      }


      void
      read_cells(const Hdf5::File &file, MeshData &mesh)
      {
        const Hdf5::Shape shape =
          file.shape("/mesh/cells", 2, "cells x vertices of a cell");
        mesh.cell_type = read_cell_type(file, mesh.dim, shape[1]);
        if (mesh.vertices_per_cell() != 0 &&
            mesh.vertices_per_cell() != shape[1])
          throw Error("'/mesh/cells' in '",
                      file.path(),
                      "' has ",
                      shape[1],
                      " columns; a ",
                      mesh.cell_type,
                      " has ",
                      mesh.vertices_per_cell(),
                      " vertices.");
        if (file.has_attribute("/mesh/cells", "vertex_order") &&
            file.string_attribute("/mesh/cells", "vertex_order") != "vtk")
          throw Error("'/mesh/cells' in '",
                      file.path(),
                      "' has vertex_order = '",
                      file.string_attribute("/mesh/cells", "vertex_order"),
                      "'; only 'vtk' is known.");
        mesh.cells = file.read<std::int64_t>("/mesh/cells");
      }


      // With degree one every node is a vertex, and one that no cell has would
      // make every matrix of the mesh singular.
      void
      check_nodes_used(const MeshData &mesh, const std::string &path)
      {
        if (mesh.degree != 1)
          return;
        std::vector<char> used(mesh.n_nodes(), 0);
        for (const std::int64_t node : mesh.cells)
          used[node] = 1;
        const auto unused = std::find(used.begin(), used.end(), 0);
        if (unused != used.end())
          throw Error("The mesh in '",
                      path,
                      "': node ",
                      unused - used.begin(),
                      " belongs to no cell.");
      }
    } // namespace


    std::string
    group(const Split split)
    {
      return split == Split::train ? "/train" : "/test";
    }


    void
    write_mesh(Hdf5::File &file, const MeshData &mesh)
    {
      file.create_group("/mesh");
      file.write_attribute("/mesh",
                           "degree",
                           static_cast<std::int64_t>(mesh.degree));
      file.write("/mesh/points",
                 {mesh.n_nodes(), mesh.dim},
                 mesh.points.data());
      file.write("/mesh/cells",
                 {mesh.n_cells(), mesh.vertices_per_cell()},
                 mesh.cells.data());
      file.write_attribute("/mesh/cells", "cell_type", mesh.cell_type);
      file.write_attribute("/mesh/cells", "vertex_order", "vtk");
      file.write("/mesh/boundary",
                 {mesh.boundary.size()},
                 mesh.boundary.data());
      if (!mesh.is_complete)
        file.write_attribute("/mesh", "complete", 0);
    }


    MeshData
    read_mesh(const Hdf5::File &file)
    {
      for (const char *const object :
           {"/mesh/points", "/mesh/cells", "/mesh/boundary"})
        if (!file.exists(object))
          throw Error("'", file.path(), "' has no '", object, "'.");

      MeshData mesh;
      read_points(file, mesh);
      if (file.has_attribute("/mesh", "degree"))
        {
          const std::int64_t degree = file.integer_attribute("/mesh", "degree");
          if (degree < 1 || degree > 100)
            throw Error("'/mesh' in '",
                        file.path(),
                        "' has degree = ",
                        degree,
                        "; at least 1 was expected.");
          mesh.degree = static_cast<unsigned int>(degree);
        }
      read_cells(file, mesh);
      if (file.has_attribute("/mesh", "complete"))
        mesh.is_complete = file.integer_attribute("/mesh", "complete") != 0;
      file.shape("/mesh/boundary", 1, "indices of nodes");
      mesh.boundary = file.read<std::int64_t>("/mesh/boundary");
      std::sort(mesh.boundary.begin(), mesh.boundary.end());

      mesh.check(text("The mesh in '", file.path(), "'"));
      check_nodes_used(mesh, file.path());
      return mesh;
    }
  } // namespace DatasetFormat
} // namespace Evergreen
