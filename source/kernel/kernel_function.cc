#include <evergreen/base/error.h>
#include <evergreen/kernel/kernel_function.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  KernelFunction<dim>::KernelFunction(const LearnedKernel &kernel)
    : kernel_(kernel)
    , mesh_(kernel.mesh, "The kernel", MPI_COMM_SELF)
    , space_(mesh_, kernel.mesh, "The kernel")
    , interpolation_(space_)
    , slice_of_node_(kernel.slice_of_node())
  {}


  template <int dim>
  bool
  KernelFunction<dim>::interpolate(
    const Point<dim>                            &x,
    std::vector<std::pair<std::size_t, double>> &slices) const
  {
    if (!interpolation_.find(x, slices))
      return false;
    for (auto &[node, weight] : slices)
      {
        if (slice_of_node_[node] < 0)
          throw Error("The kernel was not learned at node ",
                      node,
                      ", which it needs at the point (",
                      x,
                      "): learn it without 'Sensors', or ask at one of them.");
        node = slice_of_node_[node];
      }
    return true;
  }


  template <int dim>
  std::vector<std::pair<std::size_t, double>>
  KernelFunction<dim>::interpolation(const Point<dim> &x) const
  {
    std::vector<std::pair<std::size_t, double>> slices;
    if (!interpolate(x, slices))
      throw Error("The point (", x, ") is outside of the kernel's mesh.");
    return slices;
  }


  template <int dim>
  ShapeValues
  KernelFunction<dim>::shape_values(const std::vector<double> &points) const
  {
    ShapeValues                                 result;
    Point<dim>                                  y;
    std::vector<std::pair<std::size_t, double>> slices;
    for (std::size_t q = 0; kernel_.table && q < points.size(); q += dim)
      {
        std::copy_n(&points[q], dim, y.begin_raw());
        if (interpolate(y, slices))
          for (const auto &[slice, weight] : slices)
            {
              result.slices.push_back(slice);
              result.values.push_back(weight);
            }
        result.starts.push_back(result.slices.size());
      }
    return result;
  }


  template <int dim>
  double
  KernelFunction<dim>::value(const Point<dim> &x, const Point<dim> &y) const
  {
    if (!kernel_.is_pointwise())
      {
        double both[2 * dim];
        for (unsigned int d = 0; d < dim; ++d)
          {
            both[d]       = x[d];
            both[dim + d] = y[d];
          }
        return kernel_.expansions[0].value(both);
      }
    double result = 0;
    if (kernel_.table)
      {
        const auto in_y = interpolation(y);
        for (const auto &[s, weight] : interpolation(x))
          for (const auto &[t, other] : in_y)
            result += weight * other * (*kernel_.table)(s, t);
        return result;
      }
    for (const auto &[slice, weight] : interpolation(x))
      result +=
        weight * kernel_.value(kernel_.expansions[slice], y.begin_raw());
    return result;
  }


  template class KernelFunction<1>;
  template class KernelFunction<2>;
  template class KernelFunction<3>;
} // namespace Evergreen
