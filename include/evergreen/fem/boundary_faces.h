// The faces of cells that make up the boundary of a domain.

#ifndef evergreen_fem_boundary_faces_h
#define evergreen_fem_boundary_faces_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/fem/space.h>

#include <vector>

namespace Evergreen
{
  /**
   * The faces at the boundary of the mesh of a space on all ranks, in an order
   * that depends on the numbers of their nodes only. Collective.
   */
  template <int dim>
  std::vector<BoundaryFace>
  boundary_faces(const Space<dim> &space);
} // namespace Evergreen

#endif
