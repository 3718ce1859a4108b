// A mesh as plain arrays: what files hold and what is exchanged with programs
// that know nothing of deal.II.

#ifndef evergreen_fem_mesh_data_h
#define evergreen_fem_mesh_data_h

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Nodes and cells of a finite element mesh.
   *
   * For elements of degree one the nodes are the vertices. For higher degrees
   * they are all support points of the element, and the cells still refer to
   * their vertices only.
   */
  struct MeshData
  {
    /** The space dimension. */
    unsigned int dim = 0;

    /** The polynomial degree of the nodal basis. */
    unsigned int degree = 1;

    /** line, triangle, quadrilateral, tetrahedron or hexahedron. */
    std::string cell_type;

    /** Coordinates, node by node: n_nodes() x dim. */
    std::vector<double> points;

    /**
     * Node indices of the cells' vertices, cell by cell: n_cells() x
     * vertices_per_cell(), in VTK's order.
     */
    std::vector<std::size_t> cells;

    /** The nodes at which the solution is zero, in increasing order. */
    std::vector<std::size_t> boundary;

    /** The material ids of the cells, or nothing if all are zero. */
    std::vector<std::size_t> materials;

    /**
     * The faces at the boundary, vertices_per_face() node indices in increasing
     * order each, and their boundary ids; or nothing if they have the ids that
     * deal.II gives by itself: 0, and 1 for the right end of an interval.
     */
    std::vector<std::size_t> faces;
    std::vector<std::size_t> face_ids;

    /**
     * Whether the mesh can be made again from these arrays: its cells are
     * straight and no node hangs on the side of a larger cell.
     */
    bool is_complete = true;

    std::size_t
    n_nodes() const
    {
      return dim == 0 ? 0 : points.size() / dim;
    }

    std::size_t
    n_cells() const;

    /** The number of vertices of a cell of this type; 0 if it is unknown. */
    unsigned int
    vertices_per_cell() const;

    /** The number of vertices of a face of such a cell. */
    unsigned int
    vertices_per_face() const;

    /** The type of cells with this many vertices; empty if there is none. */
    static std::string
    type_of_cells(unsigned int dim, std::size_t n_vertices);

    /** Whether the other mesh is this one, but for rounding of its points. */
    bool
    is_same_as(const MeshData &other) const;

    /**
     * Throws an Error that starts with @p origin and gives the exact reason
     * unless the arrays fit together: a cell type of the right dimension,
     * finite points, indices in range, sorted boundary, no repeated vertex in
     * a cell, as many ids as cells and faces.
     */
    void
    check(const std::string &origin) const;
  };


  /** A face at the boundary, straight between its corners. */
  struct BoundaryFace
  {
    /** The corners, dim numbers each, in VTK's order. */
    std::vector<double> corners;

    /** The vertices of the cell behind it, in VTK's order. */
    std::vector<double> cell_vertices;
  };


  /** The nodes that are not on the boundary, in increasing order. */
  std::vector<std::size_t>
  free_nodes(const MeshData &mesh);
} // namespace Evergreen

#endif
