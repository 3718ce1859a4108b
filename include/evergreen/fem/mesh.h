// Domains and their meshes: interval, square, disk, H, cube, any Gmsh file, and
// the mesh stored in a dataset. A mesh is distributed over the ranks of a
// communicator.

#ifndef evergreen_fem_mesh_h
#define evergreen_fem_mesh_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/mesh_data.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/distributed/tria_base.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/grid/tria.h>

#include <memory>
#include <set>
#include <string>

namespace Evergreen
{
  /** Ids of parts of a boundary. */
  using BoundaryIds = std::set<dealii::types::boundary_id>;

  /** The ids of all boundary faces of a mesh, on any rank. Collective. */
  template <int dim>
  BoundaryIds
  boundary_ids(const dealii::Triangulation<dim> &triangulation,
               const MPI_Comm                    communicator);

  /** The ids of the materials of all cells, on any rank. Collective. */
  template <int dim>
  std::set<dealii::types::material_id>
  material_ids(const dealii::Triangulation<dim> &triangulation,
               const MPI_Comm                    communicator);

  /** The name of a type of cell in files: line, triangle, ... */
  std::string
  cell_type_name(const dealii::ReferenceCell &reference_cell);

  /**
   * The place in VTK's order, which is that of Exodus, too, of a vertex in
   * deal.II's order; and the other way round.
   */
  inline unsigned int
  vtk_vertex(const dealii::ReferenceCell &cell, const unsigned int vertex)
  {
    return cell.exodusii_vertex_to_deal_vertex(vertex);
  }


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


  /**
   * Which domain, which cells and how fine.
   *
   * Boundary ids are those of deal.II's colorised meshes: 0 and 1 at the ends
   * of the interval, 2d and 2d+1 where coordinate d of square or cube is 0 and
   * 1. Disk and H have the id 1 everywhere and the material 2, files what
   * their physical groups say. Formulas may give others to parts.
   */
  struct DomainParameters
  {
    std::string  name         = "disk";
    std::string  mesh_file    = "";
    std::string  cells        = "triangles";
    unsigned int subdivisions = 0;
    unsigned int refinements  = 0;
    std::string  boundary_ids = "";
    std::string  material_ids = "";

    /** Declares these parameters in the subsection "Domain". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;

    /**
     * The space dimension of the domain. For a mesh file it is the largest
     * dimension among its elements, so the file must exist.
     */
    unsigned int
    dimension() const;
  };


  /**
   * A mesh of one type of cell, distributed over MPI ranks, with the (straight)
   * mapping that belongs to its cells.
   *
   * Quadrilaterals and hexahedra live on a
   * dealii::parallel::distributed::Triangulation (p4est), intervals, triangles
   * and tetrahedra on a dealii::parallel::shared::Triangulation. Every mesh is
   * checked when it is made (see check_mesh()).
   */
  template <int dim>
  class Mesh
  {
  public:
    /** Makes the mesh of a domain, refined as often as the parameters say. */
    Mesh(const DomainParameters &parameters, const MPI_Comm communicator);

    /**
     * Makes a mesh from plain arrays; @p origin names it in error messages.
     * The cells are taken as they are, so the result cannot be coarsened.
     */
    Mesh(const MeshData    &data,
         const std::string &origin,
         const MPI_Comm     communicator);

    const dealii::parallel::TriangulationBase<dim> &
    triangulation() const
    {
      return *triangulation_;
    }

    /** The ids of its boundary faces. Collective. */
    BoundaryIds
    boundary_ids() const
    {
      return Evergreen::boundary_ids(*triangulation_,
                                     Compat::communicator(*triangulation_));
    }

    const dealii::Mapping<dim> &
    mapping() const
    {
      return *mapping_;
    }

    /** The one type of cell of this mesh. */
    dealii::ReferenceCell
    reference_cell() const
    {
      return triangulation_->get_reference_cells().front();
    }

  private:
    std::unique_ptr<dealii::parallel::TriangulationBase<dim>> triangulation_;
    std::unique_ptr<dealii::Mapping<dim>>                     mapping_;

    void
    distribute(const dealii::Triangulation<dim> &coarse,
               const MPI_Comm                    communicator);
  };
} // namespace Evergreen

#endif
