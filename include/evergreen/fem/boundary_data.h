// Boundary values and boundary fluxes as inputs of problems besides forcings:
// where they live, and integrals over there.

#ifndef evergreen_fem_boundary_data_h
#define evergreen_fem_boundary_data_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/space.h>

#include <deal.II/base/function.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <functional>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * What a problem maps to solutions. A face at the boundary takes values if
   * the constraints of the space set all of its nodes to zero, and fluxes
   * otherwise. Data on the boundary are functions of the space of which only
   * the values at the nodes of these faces matter; others are zero.
   */
  enum class Input
  {
    forcing, ///< f in the domain
    boundary_values, ///< u = g where solutions are zero otherwise
    boundary_fluxes ///< \f$\int g v\f$ over the rest of the boundary
  };

  /** forcing, boundary-values or boundary-fluxes. */
  std::string
  input_name(const Input input);

  /** The same in words: forcings, boundary values or boundary fluxes. */
  std::string
  input_words(const Input input);

  /** Throws a UsageError unless it is one of these names. */
  Input
  input_from_name(const std::string &name);


  /** Shape functions on a face, and which of a cell's do not vanish there. */
  template <int dim>
  struct FaceShapes
  {
    const dealii::FEFaceValues<dim>             &values;
    std::vector<unsigned int>                    shapes; ///< their numbers
    std::vector<dealii::types::global_dof_index> dofs; ///< their dofs
  };

  /**
   * Calls @p function for the faces of this rank's cells that take such data,
   * with values, points and JxW. The quadrature is fine enough for kernels
   * whose singularity is half a cell away.
   */
  template <int dim>
  void
  visit_boundary(const Space<dim>                                   &space,
                 const Input                                         input,
                 const std::function<void(const FaceShapes<dim> &)> &function);

  /**
   * Weights of the local nodes: positive at those of the faces that take such
   * data, where they add up to the measure of these faces, and otherwise zero.
   * An Error says so if there are no such faces. Collective.
   */
  template <int dim>
  std::vector<double>
  boundary_weights(const Space<dim> &space, const Input input);

  /** The matrix of \f$\int\varphi_k\varphi_l\f$ over these faces. Collective.
   */
  template <int dim>
  void
  assemble_boundary_mass(const Space<dim>                       &space,
                         const Input                             input,
                         dealii::TrilinosWrappers::SparseMatrix &matrix);

  /**
   * Sets columns of local values to zero but at the nodes with positive
   * @p weights, continuous at hanging nodes. Collective.
   */
  template <int dim>
  void
  restrict_to_boundary(const Space<dim>          &space,
                       const std::vector<double> &weights,
                       double                    *columns,
                       const std::size_t          n_columns);

  /**
   * A formula as data on the boundary, by its values at the nodes. Throws an
   * Error if one is not finite. Collective.
   */
  template <int dim>
  typename Space<dim>::VectorType
  boundary_data(const Space<dim>            &space,
                const Input                  input,
                const dealii::Function<dim> &formula);
} // namespace Evergreen

#endif
