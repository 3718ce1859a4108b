// From the mesh of a problem to a mesh in the plane that can be drawn.

#ifndef evergreen_report_section_h
#define evergreen_report_section_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/report/figure.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * What is drawn of a mesh: in two dimensions the mesh itself, in three the
   * cut with a plane z = const. A cell that the plane cuts becomes a polygon; a
   * field is interpolated linearly along the cut edges. Polygons stay as they
   * are if all are quadrilaterals and are split into triangles otherwise.
   */
  class Section
  {
  public:
    /** @p z is used in three dimensions only. */
    explicit Section(const MeshData &mesh, const double z = 0);

    /** The mesh to draw. */
    const PlaneMesh &
    mesh() const
    {
      return mesh_;
    }

    /** The values of a field, given at all nodes, at the points to draw. */
    std::vector<double>
    values(const std::vector<double> &nodal_values) const;

  private:
    /** A point of the section lies between two nodes (or on the first). */
    struct Origin
    {
      std::size_t first, second;
      double      share; // of the second
    };

    PlaneMesh           mesh_;
    std::vector<Origin> origins_;

    void
    cut(const MeshData &mesh, const double z);
  };


  /**
   * The mesh of a finite element space of degree p with every cell divided into
   * cells between its nodes (p in each direction), so that drawing it linearly
   * shows all nodal values. Simplices are divided for degree 2. A mesh of
   * degree one is returned as it is. For one process.
   */
  template <int dim>
  MeshData
  subdivided_mesh(const MeshData &mesh);
} // namespace Evergreen

#endif
