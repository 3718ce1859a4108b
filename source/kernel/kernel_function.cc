#include <evergreen/base/error.h>
#include <evergreen/kernel/kernel_function.h>

#include <deal.II/grid/grid_tools.h>

#include <cmath>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  KernelFunction<dim>::KernelFunction(const LearnedKernel &kernel)
    : kernel_(kernel)
    , mesh_(kernel.mesh, "The kernel", MPI_COMM_SELF)
    , space_(mesh_, kernel.mesh, "The kernel")
    , cache_(mesh_.triangulation(), mesh_.mapping())
    , slice_of_node_(kernel.mesh.n_nodes(), is_unknown)
  {
    for (const auto node : kernel.mesh.boundary)
      slice_of_node_[node] = is_zero;
    for (std::size_t s = 0; s < kernel.response.size(); ++s)
      slice_of_node_[kernel.response[s]] = s;
  }


  template <int dim>
  std::optional<typename KernelFunction<dim>::Place>
  KernelFunction<dim>::find(const Point<dim> &x) const
  {
    try
      {
        const Place place = GridTools::find_active_cell_around_point(cache_, x);
        if (place.first.state() == IteratorState::valid)
          return place;
      }
    catch (const ExceptionBase &)
      {}
    return {};
  }


  template <int dim>
  std::vector<std::pair<std::size_t, double>>
  KernelFunction<dim>::interpolation(const Point<dim> &x) const
  {
    const auto place = find(x);
    if (!place)
      throw Error("The point (", x, ") is outside of the kernel's mesh.");
    return interpolation(x, *place);
  }


  template <int dim>
  std::vector<std::pair<std::size_t, double>>
  KernelFunction<dim>::interpolation(const Point<dim> &x,
                                     const Place      &place) const
  {
    const typename DoFHandler<dim>::active_cell_iterator cell(
      &mesh_.triangulation(),
      place.first->level(),
      place.first->index(),
      &space_.dof_handler());
    std::vector<types::global_dof_index> dofs(space_.fe().n_dofs_per_cell());
    cell->get_dof_indices(dofs);

    std::vector<std::pair<std::size_t, double>> result;
    for (unsigned int k = 0; k < dofs.size(); ++k)
      {
        const double weight = space_.fe().shape_value(k, place.second);
        const auto   node   = space_.node_of_dof(dofs[k]);
        if (std::abs(weight) < 1e-12 || slice_of_node_[node] == is_zero)
          continue;
        if (slice_of_node_[node] == is_unknown)
          throw Error("The kernel was not learned at node ",
                      node,
                      ", which it needs at the point (",
                      x,
                      "): learn it without 'Sensors', or ask at one of them.");
        result.emplace_back(slice_of_node_[node], weight);
      }
    return result;
  }


  template <int dim>
  ShapeValues
  KernelFunction<dim>::shape_values(const std::vector<double> &points) const
  {
    ShapeValues result;
    Point<dim>  y;
    for (std::size_t q = 0; kernel_.table && q < points.size(); q += dim)
      {
        std::copy_n(&points[q], dim, y.begin_raw());
        if (const auto place = find(y))
          for (const auto &[slice, weight] : interpolation(y, *place))
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
      result += weight * kernel_.expansions[slice].value(y.begin_raw());
    return result;
  }


  template class KernelFunction<1>;
  template class KernelFunction<2>;
  template class KernelFunction<3>;
} // namespace Evergreen
