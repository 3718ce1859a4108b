// Affine constraints on blocks of distributed columns.

#ifndef evergreen_fem_constraint_lines_h
#define evergreen_fem_constraint_lines_h

#include <evergreen/base/compat.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <vector>

namespace Evergreen
{
  /**
   * The homogeneous constraints \f$u_i=\sum_jw_{ij}u_j\f$ of this rank's
   * degrees of freedom, for many vectors at once. Columns are plain arrays of
   * locally owned values, one after the other. All functions are collective.
   */
  template <int dim>
  class ConstraintLines
  {
  public:
    /** Takes the lines of closed constraints. */
    void
    reinit(const dealii::DoFHandler<dim>           &dof_handler,
           const dealii::AffineConstraints<double> &constraints);

    /** Sets the constrained values of columns to what the others say. */
    void
    distribute(double *columns, const std::size_t n_columns) const;

    /**
     * The transposed map: adds the constrained values to the others that they
     * depend on, and sets them to zero.
     */
    void
    condense(double *columns, const std::size_t n_columns) const;

    /**
     * For each degree of freedom of all ranks 1 if it is constrained and 0
     * otherwise; empty unless is_coupled().
     */
    std::vector<double>
    constrained_dofs() const;

    /** Whether values depend on others on any rank, or are all zero. */
    bool
    is_coupled() const
    {
      return is_coupled_;
    }

  private:
    std::size_t               n_local_    = 0;
    bool                      is_coupled_ = false;
    std::vector<unsigned int> rows_;
    std::vector<std::size_t>  starts_;
    std::vector<unsigned int> entries_; // of row i, ghosts counted last
    std::vector<double>       weights_;

    /** Columns pass through this one, for their ghost values. */
    mutable dealii::LinearAlgebra::distributed::Vector<double> ghosted_;

    void
    set_to_zero(double *columns, const std::size_t n_columns) const;
  };
} // namespace Evergreen

#endif
