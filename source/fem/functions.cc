#include <evergreen/fem/functions.h>

#include <cmath>
#include <vector>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  typename Space<dim>::VectorType
  interpolate(const Space<dim>                                &space,
              const std::function<double(const Point<dim> &)> &formula)
  {
    auto result = space.make_vector();
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      result.local_element(i) = formula(space.point(space.local_nodes()[i]));
    space.hanging_nodes().distribute(result.begin(), 1);
    return result;
  }


  template <int dim>
  double
  l2_norm(const Space<dim>                      &space,
          const typename Space<dim>::VectorType &function)
  {
    const std::vector<double> values(function.begin(), function.end());
    return std::sqrt(space.square_norms(values, 1).front());
  }


  template <int dim>
  double
  relative_error(const Space<dim>                      &space,
                 const typename Space<dim>::VectorType &function,
                 const typename Space<dim>::VectorType &exact)
  {
    auto difference = function;
    difference -= exact;
    return l2_norm(space, difference) / l2_norm(space, exact);
  }


#define INSTANTIATE(dim)                                                       \
  template typename Space<dim>::VectorType interpolate(                        \
    const Space<dim> &, const std::function<double(const Point<dim> &)> &);    \
  template double l2_norm(const Space<dim> &,                                  \
                          const typename Space<dim>::VectorType &);            \
  template double relative_error(const Space<dim> &,                           \
                                 const typename Space<dim>::VectorType &,      \
                                 const typename Space<dim>::VectorType &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
