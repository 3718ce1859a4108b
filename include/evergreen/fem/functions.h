// Functions of a finite element space by their nodal values: how they are made
// of formulas, and how far they are from each other.

#ifndef evergreen_fem_functions_h
#define evergreen_fem_functions_h

#include <evergreen/fem/space.h>

#include <functional>

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
} // namespace Evergreen

#endif
