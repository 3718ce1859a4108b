// Functions of a finite element space, which nodal values or formulas give, at
// any points.

#ifndef evergreen_fem_interpolation_h
#define evergreen_fem_interpolation_h

#include <evergreen/fem/space.h>

#include <deal.II/base/function.h>
#include <deal.II/grid/grid_tools_cache.h>

#include <utility>
#include <vector>

namespace Evergreen
{
  /** Values at points by the values at nodes. */
  template <int dim>
  class Interpolation
  {
  public:
    /** Free nodes with their weights. */
    using Weights = std::vector<std::pair<std::size_t, double>>;

    /** The space must outlive this object. */
    explicit Interpolation(const Space<dim> &space);

    /**
     * For each point x the weights of \f$u(x)=\sum_iw_iu_i\f$ for solutions u,
     * on all ranks; constrained nodes are expressed by free ones. An Error
     * names a point outside of the mesh. Collective.
     */
    std::vector<Weights>
    weights(const std::vector<dealii::Point<dim>> &points) const;

    /**
     * The same for one point in this rank's cells; false if it is in none.
     * Not collective.
     */
    bool
    find(const dealii::Point<dim> &point, Weights &weights) const;

  private:
    const Space<dim>             &space_;
    dealii::GridTools::Cache<dim> cache_;
  };


  /**
   * The nodal values of the L2 projection of a formula to all functions of the
   * space, whatever the constraints of solutions. Throws an Error if it is not
   * finite everywhere. Collective.
   */
  template <int dim>
  typename Space<dim>::VectorType
  project(const Space<dim> &space, const dealii::Function<dim> &function);
} // namespace Evergreen

#endif
