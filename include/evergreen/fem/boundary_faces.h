// The faces of cells that make up the boundary of a domain.

#ifndef evergreen_fem_boundary_faces_h
#define evergreen_fem_boundary_faces_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/fem/space.h>

#include <vector>

namespace Evergreen
{
  /**
   * The faces of a mesh that belong to one cell only, in an order that depends
   * on the numbers of their nodes only. Hanging nodes would be mistaken for a
   * boundary.
   */
  std::vector<BoundaryFace>
  boundary_faces(const MeshData &mesh);

  /**
   * The same for the mesh of a space, which may have hanging nodes, on all
   * ranks. Collective.
   */
  template <int dim>
  std::vector<BoundaryFace>
  boundary_faces(const Space<dim> &space);
} // namespace Evergreen

#endif
