// The finite element space of a mesh of ours: one way to make a Space.

#ifndef evergreen_fem_mesh_space_h
#define evergreen_fem_mesh_space_h

#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh.h>
#include <evergreen/fem/space.h>

#include <memory>
#include <string>

namespace Evergreen
{
  namespace Internal
  {
    /** What a MeshSpace owns and its base borrows. */
    template <int dim>
    struct SpaceParts
    {
      /** Elements on a mesh, with u = 0 on some parts of the boundary. */
      SpaceParts(const Mesh<dim>   &mesh,
                 const unsigned int degree,
                 const BoundaryIds &zero_on);

      /** Elements of the degree of the data, zero at its boundary nodes. */
      SpaceParts(const Mesh<dim>   &mesh,
                 const MeshData    &data,
                 const std::string &origin);

      std::unique_ptr<dealii::FiniteElement<dim>> element;
      dealii::Quadrature<dim>                     gauss;
      dealii::DoFHandler<dim>                     dofs;
      dealii::AffineConstraints<double>           zero_values;
    };
  } // namespace Internal


  /**
   * Continuous Lagrange elements of a given degree on a Mesh, with Gauss
   * quadrature and u = 0 on the boundary or parts of it.
   */
  template <int dim>
  class MeshSpace : private Internal::SpaceParts<dim>, public Space<dim>
  {
  public:
    /**
     * Nodes in lexicographic order, and u = 0 on the parts of the boundary with
     * these ids.
     */
    MeshSpace(const Mesh<dim>   &mesh,
              const unsigned int degree,
              const BoundaryIds &zero_on);

    /** The same with u = 0 where the solutions of a problem are zero. */
    MeshSpace(const Mesh<dim>          &mesh,
              const unsigned int        degree,
              const LinearProblem<dim> &problem);

    /** The same with u = 0 on the whole boundary, or nowhere. */
    MeshSpace(const Mesh<dim>   &mesh,
              const unsigned int degree,
              const bool         zero_on_boundary = true);

    /**
     * Nodes in the order of @p data, from which @p mesh was made, and u = 0 at
     * its boundary nodes. An Error starting with @p origin is thrown if the
     * points of the data are not the support points of the elements.
     */
    MeshSpace(const Mesh<dim>   &mesh,
              const MeshData    &data,
              const std::string &origin);
  };
} // namespace Evergreen

#endif
