#include <evergreen/base/error.h>
#include <evergreen/fem/mesh_data.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    struct CellType
    {
      const char  *name;
      unsigned int dim;
      unsigned int n_vertices;
      unsigned int n_face_vertices;
    };

    constexpr CellType cell_types[] = {{"line", 1, 2, 1},
                                       {"triangle", 2, 3, 2},
                                       {"quadrilateral", 2, 4, 2},
                                       {"tetrahedron", 3, 4, 3},
                                       {"hexahedron", 3, 8, 4}};

    const CellType *
    find_cell_type(const std::string &name)
    {
      for (const auto &type : cell_types)
        if (type.name == name)
          return &type;
      return nullptr;
    }


    // A negative number in a file is one of the largest here.
    std::int64_t
    as_written(const std::size_t node)
    {
      return static_cast<std::int64_t>(node);
    }


    /** Materials and faces, which may be left out. */
    void
    check_ids(const MeshData &mesh, const std::string &origin)
    {
      if (!mesh.materials.empty() && mesh.materials.size() != mesh.n_cells())
        throw Error(origin,
                    " has ",
                    mesh.materials.size(),
                    " materials for ",
                    mesh.n_cells(),
                    " cells.");
      if (mesh.faces.size() != mesh.face_ids.size() * mesh.vertices_per_face())
        throw Error(origin,
                    " has ",
                    mesh.face_ids.size(),
                    " boundary ids, but not ",
                    mesh.vertices_per_face(),
                    " nodes for each of these faces.");
      for (const auto *const ids : {&mesh.materials, &mesh.face_ids})
        for (const std::size_t id : *ids)
          if (id >= std::numeric_limits<std::uint32_t>::max() - 1)
            throw Error(origin,
                        " has the id ",
                        as_written(id),
                        " of a material or boundary: it must be a small number "
                        "that is not negative.");
      for (const std::size_t node : mesh.faces)
        if (node >= mesh.n_nodes())
          throw Error(origin,
                      ": a boundary face refers to node ",
                      as_written(node),
                      ", but nodes go from 0 to ",
                      mesh.n_nodes() - 1,
                      ".");
    }
  } // namespace


  std::size_t
  MeshData::n_cells() const
  {
    return vertices_per_cell() == 0 ? 0 : cells.size() / vertices_per_cell();
  }


  unsigned int
  MeshData::vertices_per_cell() const
  {
    const CellType *const type = find_cell_type(cell_type);
    return type == nullptr ? 0 : type->n_vertices;
  }


  unsigned int
  MeshData::vertices_per_face() const
  {
    const CellType *const type = find_cell_type(cell_type);
    return type == nullptr ? 0 : type->n_face_vertices;
  }


  std::string
  MeshData::type_of_cells(const unsigned int dim, const std::size_t n_vertices)
  {
    for (const auto &type : cell_types)
      if (type.dim == dim && type.n_vertices == n_vertices)
        return type.name;
    return "";
  }


  bool
  MeshData::is_same_as(const MeshData &other) const
  {
    return dim == other.dim && degree == other.degree &&
           cell_type == other.cell_type && boundary == other.boundary &&
           cells.size() == other.cells.size() &&
           std::equal(points.begin(),
                      points.end(),
                      other.points.begin(),
                      other.points.end(),
                      [](const double x, const double y) {
                        return std::abs(x - y) < 1e-10;
                      });
  }


  void
  MeshData::check(const std::string &origin) const
  {
    const CellType *const type = find_cell_type(cell_type);
    if (type == nullptr)
      throw Error(origin,
                  " has cells of type '",
                  cell_type,
                  "'; known are line, triangle, quadrilateral, tetrahedron "
                  "and hexahedron.");
    if (type->dim != dim)
      throw Error(origin,
                  " has cells of type '",
                  cell_type,
                  "', which do not fill a space of dimension ",
                  dim,
                  ".");
    if (degree < 1)
      throw Error(origin, " has degree 0; it must be at least 1.");
    if (n_nodes() == 0 || points.size() != n_nodes() * dim)
      throw Error(origin, " has no nodes, or not ", dim, " coordinates each.");
    if (n_cells() == 0 || cells.size() != n_cells() * type->n_vertices)
      throw Error(origin,
                  " has no cells, or not ",
                  type->n_vertices,
                  " vertices each.");

    for (std::size_t i = 0; i < points.size(); ++i)
      if (!std::isfinite(points[i]))
        throw Error(origin, ": node ", i / dim, " is not at a finite point.");

    const std::size_t n = n_nodes();
    for (std::size_t c = 0; c < n_cells(); ++c)
      {
        const auto first = cells.begin() + c * type->n_vertices;
        for (auto v = first; v != first + type->n_vertices; ++v)
          {
            if (*v >= n)
              throw Error(origin,
                          ": cell ",
                          c,
                          " refers to node ",
                          as_written(*v),
                          ", but nodes go from 0 to ",
                          n - 1,
                          ".");
            if (std::find(first, v, *v) != v)
              throw Error(origin, ": cell ", c, " has node ", *v, " twice.");
          }
      }
    for (std::size_t i = 0; i < boundary.size(); ++i)
      {
        if (boundary[i] >= n)
          throw Error(origin,
                      ": boundary node ",
                      as_written(boundary[i]),
                      " does not exist; nodes go from 0 to ",
                      n - 1,
                      ".");
        if (i > 0 && boundary[i] <= boundary[i - 1])
          throw Error(origin,
                      ": the boundary nodes are not in increasing order (",
                      boundary[i],
                      " follows ",
                      boundary[i - 1],
                      ").");
      }
    check_ids(*this, origin);
  }


  std::vector<std::size_t>
  free_nodes(const MeshData &mesh)
  {
    std::vector<std::size_t> all(mesh.n_nodes()), nodes;
    std::iota(all.begin(), all.end(), 0);
    std::set_difference(all.begin(),
                        all.end(),
                        mesh.boundary.begin(),
                        mesh.boundary.end(),
                        std::back_inserter(nodes));
    return nodes;
  }
} // namespace Evergreen
