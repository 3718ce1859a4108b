#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/functions.h>

#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/rtree.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

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


  template <int dim>
  Interpolation<dim>::Interpolation(const Space<dim> &space)
    : space_(space)
    , cache_(space.dof_handler().get_triangulation(), space.mapping())
  {}


  /**
   * deal.II's search may return a cell beside that of the point, in particular
   * among triangles and where the point's own cell is on another rank. Then the
   * boxes of this rank's cells are asked.
   */
  template <int dim>
  std::optional<typename Interpolation<dim>::Place>
  Interpolation<dim>::find_place(const Point<dim> &point) const
  {
    const auto contains = [](const Place &place) {
      return place.first.state() == IteratorState::valid &&
             !place.first->is_artificial() &&
             place.first->reference_cell().contains_point(place.second, 1e-6);
    };
    try
      {
        const Place place =
          GridTools::find_active_cell_around_point(cache_, point);
        if (contains(place))
          return place;
      }
    catch (const ExceptionBase &)
      {}
    namespace Index = boost::geometry::index;
    for (const auto &[box, cell] :
         cache_.get_locally_owned_cell_bounding_boxes_rtree() |
           Index::adaptors::queried(Index::intersects(point)))
      try
        {
          const Place place(
            cell, space_.mapping().transform_real_to_unit_cell(cell, point));
          if (contains(place))
            return place;
        }
      catch (const ExceptionBase &)
        {}
    return std::nullopt;
  }


  template <int dim>
  bool
  Interpolation<dim>::find(const Point<dim> &point,
                           Weights          &weights,
                           const Nodes       nodes) const
  {
    const auto place = find_place(point);
    if (!place)
      return false;
    const typename DoFHandler<dim>::active_cell_iterator cell(
      &space_.dof_handler().get_triangulation(),
      place->first->level(),
      place->first->index(),
      &space_.dof_handler());
    std::vector<types::global_dof_index> dofs(space_.fe().n_dofs_per_cell());
    cell->get_dof_indices(dofs);

    std::map<std::size_t, double> sums;
    const auto add = [&](const types::global_dof_index dof, const double w) {
      if (std::abs(w) > 1e-12)
        sums[space_.node_of_dof(dof)] += w;
    };
    for (unsigned int k = 0; k < dofs.size(); ++k)
      {
        const double w = space_.fe().shape_value(k, place->second);
        if (nodes == Nodes::all ||
            !space_.constraints().is_constrained(dofs[k]))
          add(dofs[k], w);
        else
          for (const auto &[other, factor] :
               *space_.constraints().get_constraint_entries(dofs[k]))
            add(other, w * factor);
      }
    weights.assign(sums.begin(), sums.end());
    return true;
  }


  template <int dim>
  std::vector<typename Interpolation<dim>::Weights>
  Interpolation<dim>::weights(const std::vector<Point<dim>> &points,
                              const Nodes                    nodes) const
  {
    const MPI_Comm       communicator = space_.communicator();
    const unsigned int   rank = Utilities::MPI::this_mpi_process(communicator);
    const unsigned int   nobody = Utilities::MPI::n_mpi_processes(communicator);
    std::vector<Weights> found(points.size());

    // Of several ranks that have a point the first one speaks for it.
    std::vector<unsigned int> speaker(points.size(), nobody);
    for (std::size_t p = 0; p < points.size(); ++p)
      if (find(points[p], found[p], nodes))
        speaker[p] = rank;
    Utilities::MPI::min(speaker, communicator, speaker);
    std::vector<std::pair<std::size_t, Weights>> own;
    for (std::size_t p = 0; p < points.size(); ++p)
      {
        if (speaker[p] == nobody)
          throw Error("The point (", points[p], ") is outside of the mesh.");
        if (speaker[p] == rank)
          own.emplace_back(p, found[p]);
      }
    for (const auto &part : Utilities::MPI::all_gather(communicator, own))
      for (const auto &[p, weights] : part)
        found[p] = weights;
    return found;
  }


  template <int dim>
  typename Space<dim>::VectorType
  project(const Space<dim> &space, const Function<dim> &function)
  {
    using VectorType = typename Space<dim>::VectorType;
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_quadrature_points |
                           update_JxW_values);
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    VectorType                           load = space.make_vector(true);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          for (const auto q : values.quadrature_point_indices())
            {
              const double f =
                function.value(values.quadrature_point(q)) * values.JxW(q);
              for (const auto k : values.dof_indices())
                load(dofs[k]) += f * values.shape_value(k, q);
            }
        }
    load.compress(VectorOperation::add);
    VectorType rhs = space.make_vector(), result = space.make_vector();
    std::copy(load.begin(), load.end(), rhs.begin());
    space.hanging_nodes().condense(rhs.begin(), 1);
    if (!numbers::is_finite(rhs.l2_norm()))
      throw Error("The forcing is not finite everywhere in the domain.");

    SolverControl control(1000, 1e-13 * rhs.l2_norm() + 1e-300, false, false);
    TrilinosWrappers::PreconditionJacobi jacobi;
    jacobi.initialize(space.mass_matrix());
    // The mass matrix of the functions that are continuous at hanging nodes.
    VectorType                 product = space.make_vector();
    LinearOperator<VectorType> mass;
    mass.vmult = [&](VectorType &y, const VectorType &x) {
      product = x;
      space.hanging_nodes().distribute(product.begin(), 1);
      space.mass_matrix().vmult(y, product);
      space.hanging_nodes().condense(y.begin(), 1);
    };
    SolverCG<VectorType>(control).solve(mass, result, rhs, jacobi);
    space.hanging_nodes().distribute(result.begin(), 1);
    return result;
  }


  template <int dim>
  void
  write_vtu(const Space<dim>                         &space,
            const std::vector<Field>                 &fields,
            const std::string                        &path,
            const std::map<std::string, std::string> &units)
  {
    std::vector<typename Space<dim>::VectorType> vectors;
    vectors.reserve(fields.size());
    DataOut<dim> data_out;
    data_out.attach_dof_handler(space.dof_handler());
    for (const Field &field : fields)
      {
        vectors.push_back(space.make_vector(/*ghosts=*/true));
        std::copy(field.values.begin(),
                  field.values.end(),
                  vectors.back().begin());
        vectors.back().update_ghost_values();
        data_out.add_data_vector(vectors.back(), field.name);
      }
    data_out.build_patches(space.mapping(), space.degree());
    DataOutBase::VtkFlags flags;
    flags.physical_units = units;
    data_out.set_flags(flags);

    // deal.II does not tell whether the file could be opened: find out first.
    collectively(space.communicator(), [&]() {
      if (Utilities::MPI::this_mpi_process(space.communicator()) == 0 &&
          !std::ofstream(path))
        throw Error("Cannot write '", path, "': ", std::strerror(errno), ".");
    });
    data_out.write_vtu_in_parallel(path, space.communicator());
  }


#define INSTANTIATE(dim)                                                       \
  template class Interpolation<dim>;                                           \
  template decltype(interpolate<dim>)    interpolate<dim>;                     \
  template decltype(project<dim>)        project<dim>;                         \
  template decltype(l2_norm<dim>)        l2_norm<dim>;                         \
  template decltype(relative_error<dim>) relative_error<dim>;                  \
  template decltype(write_vtu<dim>)      write_vtu<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
