// Functions of a finite element space by their nodal values: how they are made
// of formulas, how far they are from each other, their values at any points,
// and their files for ParaView.

#ifndef evergreen_fem_functions_h
#define evergreen_fem_functions_h

#include <evergreen/fem/space.h>

#include <deal.II/base/function.h>
#include <deal.II/grid/grid_tools_cache.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * The function of the space that has the values of a formula at the nodes;
   * the constraints of solutions are not asked. Collective.
   *
   * @code
   *   const auto f = interpolate<2>(space, [](const Point<2> &p) {
   *     return p[0] * p[1];
   *   });
   * @endcode
   */
  template <int dim>
  typename Space<dim>::VectorType
  interpolate(const Space<dim>                                        &space,
              const std::function<double(const dealii::Point<dim> &)> &formula);

  /**
   * The nodal values of the L2 projection of a formula to all functions of the
   * space, whatever the constraints of solutions. Throws an Error if it is not
   * finite everywhere. Collective.
   */
  template <int dim>
  typename Space<dim>::VectorType
  project(const Space<dim> &space, const dealii::Function<dim> &function);

  /** The L2 norm of a function of the space. Collective. */
  template <int dim>
  double
  l2_norm(const Space<dim>                      &space,
          const typename Space<dim>::VectorType &function);

  /**
   * The distance of a function to @p exact in L2, divided by the norm of the
   * latter. Collective.
   */
  template <int dim>
  double
  relative_error(const Space<dim>                      &space,
                 const typename Space<dim>::VectorType &function,
                 const typename Space<dim>::VectorType &exact);


  /** Values at points by the values at nodes. */
  template <int dim>
  class Interpolation
  {
  public:
    /** Nodes with their weights. */
    using Weights = std::vector<std::pair<std::size_t, double>>;

    /** Which nodes they are. */
    enum class Nodes
    {
      free, ///< constrained ones are expressed by these
      all ///< for functions that need not satisfy the constraints
    };

    /** The space must outlive this object. */
    explicit Interpolation(const Space<dim> &space);

    /**
     * For each point x the weights of \f$u(x)=\sum_iw_iu_i\f$ for solutions u,
     * on all ranks. An Error names a point outside of the mesh. Collective.
     */
    std::vector<Weights>
    weights(const std::vector<dealii::Point<dim>> &points,
            const Nodes                            nodes = Nodes::free) const;

    /**
     * The same for one point in this rank's cells; false if it is in none.
     * Not collective.
     */
    bool
    find(const dealii::Point<dim> &point,
         Weights                  &weights,
         const Nodes               nodes = Nodes::free) const;

  private:
    /** A cell, and where a point is in it. */
    using Place =
      std::pair<typename dealii::Triangulation<dim>::active_cell_iterator,
                dealii::Point<dim>>;

    const Space<dim>             &space_;
    dealii::GridTools::Cache<dim> cache_;

    std::optional<Place>
    find_place(const dealii::Point<dim> &point) const;
  };


  /** Nodal values with the name that they have in a file. */
  struct Field
  {
    /** The values are those at the local nodes, or a distributed vector. */
    template <typename Vector>
    Field(const std::string &name, const Vector &values)
      : name(name), values(values.begin(), values.end())
    {}

    std::string         name;
    std::vector<double> values;
  };


  /**
   * Writes fields to one VTU file. Collective; an Error on all ranks if the
   * file cannot be written. If @p units are given, each field must have one;
   * ParaView and others find them in the file ("1" is the unit of a pure
   * number).
   */
  template <int dim>
  void
  write_vtu(const Space<dim>                         &space,
            const std::vector<Field>                 &fields,
            const std::string                        &path,
            const std::map<std::string, std::string> &units = {});
} // namespace Evergreen

#endif
