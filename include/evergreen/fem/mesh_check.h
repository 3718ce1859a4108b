// Reading a mesh with errors that a user can act on.

#ifndef evergreen_fem_mesh_check_h
#define evergreen_fem_mesh_check_h

#include <evergreen/base/compat.h>

#include <deal.II/grid/tria.h>

#include <string>

namespace Evergreen
{
  /**
   * Throws an Error that starts with @p origin unless the (coarse, serial)
   * triangulation is one that we can compute on:
   *  - at least one cell, all of one type, all vertices finite;
   *  - every cell has positive measure;
   *  - the cells are connected through their faces;
   *  - the cells' measures add up to the measure that their boundary encloses,
   *    \f$\frac{1}{d}\oint x\cdot n\f$, so no cells overlap or are folded;
   *  - if boundary faces carry ids (a physical group), all of them do: a face
   *    without one is where a cell is missing.
   */
  template <int dim>
  void
  check_mesh(const dealii::Triangulation<dim> &triangulation,
             const std::string                &origin);

  /**
   * Reads a Gmsh file (formats 2.2 and 4, ASCII) and checks it. @p dim must
   * be the dimension that gmsh_dimension() finds.
   */
  template <int dim>
  void
  read_gmsh(const std::string &path, dealii::Triangulation<dim> &triangulation);

  /** The largest dimension among the elements of a Gmsh file. */
  unsigned int
  gmsh_dimension(const std::string &path);
} // namespace Evergreen

#endif
