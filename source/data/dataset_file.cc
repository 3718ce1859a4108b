#include <evergreen/base/error.h>
#include <evergreen/data/dataset_file.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Evergreen
{
  namespace DatasetFormat
  {
    namespace
    {
      std::string
      read_cell_type(const Hdf5::File  &file,
                     const unsigned int dim,
                     const std::size_t  n_vertices)
      {
        for (const char *const object : {"/mesh/cells", "/mesh"})
          if (file.has_attribute(object, "cell_type"))
            return file.string_attribute(object, "cell_type");
        const std::string type = MeshData::type_of_cells(dim, n_vertices);
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
        mesh.cells = file.read<std::size_t>("/mesh/cells");
      }


      void
      read_ids(const Hdf5::File &file, MeshData &mesh)
      {
        if (file.exists("/mesh/materials"))
          {
            file.shape("/mesh/materials", 1, "one id a cell");
            mesh.materials = file.read<std::size_t>("/mesh/materials");
          }
        if (!file.exists("/mesh/face_ids") && !file.exists("/mesh/faces"))
          return;
        for (const char *const object : {"/mesh/faces", "/mesh/face_ids"})
          if (!file.exists(object))
            throw Error("'", file.path(), "' has no '", object, "'.");
        file.shape("/mesh/faces", 2, "faces x vertices of a face");
        file.shape("/mesh/face_ids", 1, "one id a face");
        mesh.faces          = file.read<std::size_t>("/mesh/faces");
        mesh.face_ids       = file.read<std::size_t>("/mesh/face_ids");
        const std::size_t n = mesh.vertices_per_face();
        for (std::size_t f = 0; n > 0 && f + n <= mesh.faces.size(); f += n)
          std::sort(mesh.faces.begin() + f, mesh.faces.begin() + f + n);
      }


      // With degree one every node is a vertex, and one that no cell has would
      // make every matrix of the mesh singular.
      void
      check_nodes_used(const MeshData &mesh, const std::string &path)
      {
        if (mesh.degree != 1)
          return;
        std::vector<char> used(mesh.n_nodes(), 0);
        for (const std::size_t node : mesh.cells)
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
      file.write_attribute("/mesh", "degree", mesh.degree);
      file.write_compressed("/mesh/points",
                            {mesh.n_nodes(), mesh.dim},
                            mesh.points.data());
      file.write_compressed("/mesh/cells",
                            {mesh.n_cells(), mesh.vertices_per_cell()},
                            mesh.cells.data());
      file.write_attribute("/mesh/cells", "cell_type", mesh.cell_type);
      file.write_attribute("/mesh/cells", "vertex_order", "vtk");
      file.write_compressed("/mesh/boundary",
                            {mesh.boundary.size()},
                            mesh.boundary.data());
      if (!mesh.materials.empty())
        file.write_compressed("/mesh/materials",
                              {mesh.materials.size()},
                              mesh.materials.data());
      if (!mesh.face_ids.empty())
        {
          file.write_compressed("/mesh/faces",
                                {mesh.face_ids.size(),
                                 mesh.vertices_per_face()},
                                mesh.faces.data());
          file.write_compressed("/mesh/face_ids",
                                {mesh.face_ids.size()},
                                mesh.face_ids.data());
        }
      if (!mesh.is_complete)
        file.write_attribute("/mesh", "complete", 0);
    }


    std::vector<SampleStatus>
    read_status(const Hdf5::File &file, const Split split)
    {
      const std::string dataset = group(split) + "/status";
      file.shape(dataset, 1, "one entry a sample");
      std::vector<SampleStatus> status;
      for (const std::uint8_t value : file.read<std::uint8_t>(dataset))
        if (value <= static_cast<std::uint8_t>(SampleStatus::failed))
          status.push_back(static_cast<SampleStatus>(value));
        else
          throw Error("'",
                      dataset,
                      "' in '",
                      file.path(),
                      "' is ",
                      int(value),
                      " for sample ",
                      status.size(),
                      "; 0 (missing), 1 (solved) or 2 (failed) was expected.");
      return status;
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
      mesh.boundary = file.read<std::size_t>("/mesh/boundary");
      std::sort(mesh.boundary.begin(), mesh.boundary.end());
      read_ids(file, mesh);

      mesh.check(text("The mesh in '", file.path(), "'"));
      check_nodes_used(mesh, file.path());
      return mesh;
    }
  } // namespace DatasetFormat


  std::vector<std::size_t>
  samples_with(const std::vector<SampleStatus> &all, const SampleStatus status)
  {
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == status)
        samples.push_back(i);
    return samples;
  }


  DatasetReader::DatasetReader(const std::string &path)
    : file(Hdf5::File::open(path, Hdf5::Access::read_only))
  {
    check_header();
    mesh_data = DatasetFormat::read_mesh(file);
    if (file.has_attribute("/", "dim") &&
        file.integer_attribute("/", "dim") != mesh_data.dim)
      throw Error("'",
                  path,
                  "' has dim = ",
                  file.integer_attribute("/", "dim"),
                  ", but the points of its mesh have ",
                  mesh_data.dim,
                  " coordinates.");

    open_split(Split::train);
    if (n_samples(Split::train) == 0)
      throw Error("'/train/f' in '", path, "' has no samples.");
    open_split(Split::test);
  }


  void
  DatasetReader::check_header() const
  {
    if (!file.has_attribute("/", "format"))
      return;
    const std::string format = file.string_attribute("/", "format");
    if (format != DatasetFormat::name)
      throw Error("'",
                  path(),
                  "' is not a dataset: its format is '",
                  format,
                  "', '",
                  DatasetFormat::name,
                  "' was expected.");
    if (!file.has_attribute("/", "version"))
      throw Error("'", path(), "' has a format but no attribute 'version'.");
    const std::int64_t version = file.integer_attribute("/", "version");
    if (version != DatasetFormat::version)
      throw Error("'",
                  path(),
                  "' is a dataset of version ",
                  version,
                  "; this program reads version ",
                  DatasetFormat::version,
                  ".");
    if (!file.has_attribute("/", "dim"))
      throw Error("'", path(), "' has a format but no attribute 'dim'.");
  }


  void
  DatasetReader::open_split(const Split split)
  {
    const std::string          group = DatasetFormat::group(split);
    std::vector<SampleStatus> &marks = status[split];
    if (split == Split::test && !file.exists("/test/f") &&
        !file.exists("/test/u"))
      return;
    std::array<std::size_t, 2> rows;
    for (unsigned int i = 0; i < 2; ++i)
      {
        const std::string dataset = group + (i == 0 ? "/f" : "/u");
        if (!file.exists(dataset))
          throw Error("'", path(), "' has no '", dataset, "'.");
        const Hdf5::Shape shape = file.shape(dataset, 2, "samples x nodes");
        if (shape[1] != mesh_data.n_nodes())
          throw Error("'",
                      dataset,
                      "' in '",
                      path(),
                      "' has ",
                      shape[1],
                      " columns; the mesh has ",
                      mesh_data.n_nodes(),
                      " nodes",
                      shape[0] == mesh_data.n_nodes()
                        ? " (one sample a row: is it transposed?)."
                        : ".");
        rows[i] = shape[0];
      }
    if (rows[0] != rows[1])
      throw Error("'",
                  path(),
                  "' has ",
                  rows[0],
                  " rows in '",
                  group,
                  "/f' and ",
                  rows[1],
                  " in '",
                  group,
                  "/u'; they must be equal.");

    marks.assign(rows[0], SampleStatus::solved);
    if (!file.exists(group + "/status"))
      return;
    marks = DatasetFormat::read_status(file, split);
    if (marks.size() != rows[0])
      throw Error("'",
                  group,
                  "/status' in '",
                  path(),
                  "' has ",
                  marks.size(),
                  " entries for ",
                  rows[0],
                  " samples.");
    const auto missing = samples_with(marks, SampleStatus::missing).size();
    if (missing > 0)
      throw Error("'",
                  path(),
                  "' is unfinished: ",
                  missing,
                  " of ",
                  rows[0],
                  " samples in '",
                  group,
                  "' are missing; resume its generation (evergreen generate "
                  "--resume).");
  }


  std::string
  DatasetReader::attribute(const std::string &name) const
  {
    return file.has_attribute("/", name) ? file.string_attribute("/", name)
                                         : std::string();
  }


  void
  DatasetReader::read_samples(const Split        split,
                              const std::string &name,
                              const std::size_t  first,
                              const std::size_t  count,
                              double            *values) const
  {
    if (count == 0)
      return;
    const std::string dataset = DatasetFormat::group(split) + name;
    file.read_rows(dataset, first, count, values);

    const std::size_t m = mesh_data.n_nodes();
    for (std::size_t j = 0; j < count; ++j)
      {
        if (status.at(split)[first + j] == SampleStatus::failed)
          continue;
        const double *const row = values + j * m;
        const double *const bad =
          std::find_if(row, row + m, [](const double value) {
            return !std::isfinite(value);
          });
        if (bad != row + m)
          throw Error("'",
                      dataset,
                      "' in '",
                      path(),
                      "' holds ",
                      std::isnan(*bad) ? "NaN" : "an infinite value",
                      " in sample ",
                      first + j,
                      " at node ",
                      bad - row,
                      ".");
      }
  }
} // namespace Evergreen
