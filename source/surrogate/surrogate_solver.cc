#include "column_chunks.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_function.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/mpi.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    LearnedKernel
    load_collectively(const std::string &path, const MPI_Comm communicator)
    {
      LearnedKernel kernel;
      collectively(communicator, [&]() { kernel = LearnedKernel::load(path); });
      return kernel;
    }


    /** The nodes of a kernel in a space. */
    template <int dim>
    std::vector<std::size_t>
    nodes_in(const LearnedKernel &kernel, const Space<dim> &space)
    {
      if (kernel.mesh.dim != dim)
        throw Error("The kernel lives in dimension ",
                    kernel.mesh.dim,
                    ", but the mesh in dimension ",
                    dim,
                    ".");
      return space.match(kernel.mesh.points, "The kernel");
    }


    /**
     * The shape functions of the kernel's nodes at the points of a rule: of the
     * same mesh, where the rule has their values, or of another one.
     */
    template <int dim>
    ShapeValues
    shapes_for(const LearnedKernel            &kernel,
               const DistributedRule          &rule,
               const std::vector<std::size_t> &nodes,
               const bool                      on_own_mesh,
               const MPI_Comm                  communicator)
    {
      if (!kernel.table)
        return {};
      ShapeValues shapes;
      if (!on_own_mesh)
        {
          collectively(communicator, [&]() {
            shapes = KernelFunction<dim>(kernel).shape_values(rule.rule.points);
          });
          return shapes;
        }
      std::vector<std::size_t> kernel_node(nodes.size()), rows;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        kernel_node[nodes[i]] = i;
      for (const std::size_t node : rule.nodes)
        rows.push_back(kernel_node[node]);
      return shape_values(kernel, rule.rule, rows);
    }


    // The local entries of deal.II's vectors as plain arrays.

    template <int dim, typename Vector>
    void
    check_size(const Space<dim> &space, const Vector &vector)
    {
      if (vector.size() != space.n_nodes())
        throw Error("The vector has ",
                    vector.size(),
                    " entries, but its mesh has ",
                    space.n_nodes(),
                    " nodes.");
    }


    /**
     * A pointer to the locally owned entries. Every rank has all of a serial
     * vector, and its part of others.
     */
    template <int dim, typename VectorT>
    const double *
    local_values(const Space<dim> &space, const VectorT &vector)
    {
      check_size(space, vector);
      const double *const values = &*vector.begin();
      return std::is_same<VectorT, Vector<double>>::value &&
                 space.n_local_nodes() > 0
               ? values + space.locally_owned_dofs().nth_index_in_set(0)
               : values;
    }


    /** Makes all entries of a vector known wherever it keeps them. */
    template <int dim, typename VectorT>
    void
    assign(const Space<dim>          &space,
           const std::vector<double> &local,
           VectorT                   &vector)
    {
      if (std::is_same<VectorT, Vector<double>>::value)
        {
          const auto all = space.values_of_all(local.data());
          std::copy(all.begin(), all.end(), vector.begin());
        }
      else
        std::copy(local.begin(), local.end(), vector.begin());
    }
  } // namespace


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const LearnedKernel    &kernel,
                                        const Space<dim>       &space,
                                        const SurrogateOptions &options)
    : SurrogateSolver(kernel, space, space, options)
  {}


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const LearnedKernel    &kernel,
                                        const Space<dim>       &space,
                                        const Space<dim>       &forcing_space,
                                        const SurrogateOptions &options)
    : kernel_(kernel)
    , space_(space)
    , forcing_space_(forcing_space)
    , input_(input_of(quadrature_kind(kernel_.quadrature)))
    , nodes_(nodes_in(kernel_, space))
    , rule_(make_rule(forcing_space,
                      &forcing_space == &space || input_ != Input::forcing
                        ? quadrature_kind(kernel_.quadrature)
                        : QuadratureKind::finite_element))
    , matrix_(kernel_,
              rule_.rule,
              shapes_for<dim>(kernel_,
                              rule_,
                              nodes_,
                              &forcing_space == &space,
                              space.communicator()))
    , covers_all_(kernel_.response == free_nodes(kernel_.mesh))
    , interpolation_(space)
  {
    check_input();
    order_slices();
    collectively(space.communicator(), [&]() {
      operator_ = make_kernel_operator(make_source(), options);
    });
  }


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const std::string      &path,
                                        const Space<dim>       &space,
                                        const SurrogateOptions &options)
    : SurrogateSolver(load_collectively(path, space.communicator()),
                      space,
                      options)
  {}


  template <int dim>
  void
  SurrogateSolver<dim>::check_input()
  {
    if (input_ != Input::boundary_values)
      return;
    if (&forcing_space_ != &space_)
      throw Error(
        "Boundary values are part of the solution: give them on the "
        "same finite element space.");
    boundary_weights_ = boundary_weights(space_, input_);
  }


  template <int dim>
  std::vector<double>
  SurrogateSolver<dim>::lifts(const double     *data,
                              const std::size_t n_columns) const
  {
    std::vector<double> result(data, data + n_columns * n_local());
    restrict_to_boundary(space_, boundary_weights_, result.data(), n_columns);
    return result;
  }


  template <int dim>
  void
  SurrogateSolver<dim>::order_slices()
  {
    std::vector<std::size_t> own;
    const IndexSet          &owned = space_.locally_owned_dofs();
    for (std::size_t s = 0; s < kernel_.response.size(); ++s)
      if (const auto dof = space_.dof_of_node(nodes_[kernel_.response[s]]);
          owned.is_element(dof))
        {
          own.push_back(s);
          row_dofs_.push_back(owned.index_within_set(dof));
        }
    for (const auto &part :
         Utilities::MPI::all_gather(space_.communicator(), own))
      {
        slices_.insert(slices_.end(), part.begin(), part.end());
        n_slices_of_rank_.push_back(part.size());
      }
  }


  template <int dim>
  RowSource
  SurrogateSolver<dim>::make_source() const
  {
    RowSource source;
    source.n_rows    = slices_.size();
    source.n_columns = rule_.rule.n_rows;
    source.rows      = [this](const std::vector<std::size_t> &rows) {
      std::vector<std::size_t> wanted(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        wanted[i] = slices_[rows[i]];
      return matrix_.rows(wanted);
    };
    return source;
  }


  template <int dim>
  const double *
  SurrogateSolver<dim>::with_ghosts(const double        *forcings,
                                    const std::size_t    n_forcings,
                                    std::vector<double> &buffer) const
  {
    return values_at_rows(forcing_space_, rule_, forcings, n_forcings, buffer);
  }


  /** The sums of all ranks' values in the rows of this rank. */
  template <int dim>
  std::vector<double>
  SurrogateSolver<dim>::add_to_owners(const std::vector<double> &values,
                                      const std::size_t n_columns) const
  {
    if (n_slices_of_rank_.size() == 1)
      return values;
    std::vector<double> sums(row_dofs_.size() * n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      MPI_Reduce_scatter(values.data() + j * slices_.size(),
                         sums.data() + j * row_dofs_.size(),
                         n_slices_of_rank_.data(),
                         MPI_DOUBLE,
                         MPI_SUM,
                         space_.communicator());
    return sums;
  }


  template <int dim>
  void
  SurrogateSolver<dim>::apply(const double     *forcings,
                              double           *solutions,
                              const std::size_t n_forcings) const
  {
    if (!covers_all_)
      throw Error("The kernel was learned at ",
                  kernel_.response.size(),
                  " sensors only: it gives values at these points, but no "
                  "whole solutions.");
    std::vector<double> buffer, all(slices_.size() * n_forcings, 0.);
    operator_->apply(with_ghosts(forcings, n_forcings, buffer),
                     all.data(),
                     n_forcings);
    const auto values = add_to_owners(all, n_forcings);
    for_column_chunks(n_forcings,
                      [&](const std::size_t first, const std::size_t count) {
                        for (std::size_t j = first; j < first + count; ++j)
                          {
                            double *const solution = solutions + j * n_local();
                            const double *const value =
                              &values[j * row_dofs_.size()];
                            std::fill_n(solution, n_local(), 0.);
                            for (std::size_t i = 0; i < row_dofs_.size(); ++i)
                              solution[row_dofs_[i]] = value[i];
                          }
                      });
    if (space_.has_coupled_constraints())
      space_.distribute(solutions, n_forcings);
    if (input_ == Input::boundary_values)
      {
        const auto values_there = lifts(forcings, n_forcings);
        for (std::size_t i = 0; i < values_there.size(); ++i)
          solutions[i] += values_there[i];
      }
  }


  template <int dim>
  void
  SurrogateSolver<dim>::apply_transposed(const double *solution,
                                         double       *forcing) const
  {
    std::vector<double> condensed(solution, solution + n_local());
    if (space_.has_coupled_constraints())
      space_.condense(condensed.data(), 1);
    std::vector<double> own, all;
    for (const std::size_t i : row_dofs_)
      own.push_back(condensed[i]);
    for (const auto &part :
         Utilities::MPI::all_gather(space_.communicator(), own))
      all.insert(all.end(), part.begin(), part.end());
    std::vector<double> columns(operator_->n_columns(), 0.);
    if (!columns.empty())
      operator_->apply_transposed(all.data(), columns.data(), 1);
    const auto sums =
      forcing_space_.sums_at_nodes(rule_.nodes, columns.data(), 1);
    std::copy(sums.begin(), sums.end(), forcing);
    if (input_ != Input::boundary_values)
      return;
    std::copy_n(solution, n_local(), condensed.begin());
    space_.hanging_nodes().condense(condensed.data(), 1);
    for (std::size_t i = 0; i < n_local(); ++i)
      if (boundary_weights_[i] > 0)
        forcing[i] += condensed[i];
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::vmult(Vector &solution, const Vector &forcing) const
  {
    check_size(space_, solution);
    std::vector<double> local(n_local());
    apply(local_values(forcing_space_, forcing), local.data(), 1);
    assign(space_, local, solution);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::Tvmult(Vector &forcing, const Vector &solution) const
  {
    check_size(forcing_space_, forcing);
    std::vector<double> local(forcing_space_.n_local_nodes());
    apply_transposed(local_values(space_, solution), local.data());
    assign(forcing_space_, local, forcing);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::solve(const Function<dim> &forcing,
                              Vector              &solution) const
  {
    check_size(space_, solution);
    std::vector<double> local(n_local());
    const auto          data = input_ == Input::forcing
                                 ? project(forcing_space_, forcing)
                                 : boundary_data(forcing_space_, input_, forcing);
    apply(data.begin(), local.data(), 1);
    assign(space_, local, solution);
  }


  template <int dim>
  SensorSolver<dim>
  SurrogateSolver<dim>::sensors(const std::vector<Point<dim>> &points) const
  {
    std::vector<std::int64_t> slice_of_node(space_.n_nodes(), -1);
    for (std::size_t s = 0; s < kernel_.response.size(); ++s)
      slice_of_node[nodes_[kernel_.response[s]]] = s;
    // At a point the kernel is a combination of the slices of a few nodes.
    const auto weights = interpolation_.weights(points);
    for (std::size_t p = 0; p < points.size(); ++p)
      for (const auto &[node, weight] : weights[p])
        if (slice_of_node[node] < 0)
          throw Error("The kernel was not learned at node ",
                      node,
                      ", which it needs at the point (",
                      points[p],
                      "): learn it without 'Sensors', or ask at one of "
                      "them.");
    RowSource source;
    source.n_rows    = points.size();
    source.n_columns = rule_.rule.n_rows;
    source.rows      = [&](const std::vector<std::size_t> &wanted) {
      const std::size_t   n = source.n_columns;
      std::vector<double> result(wanted.size() * n, 0.);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        {
          std::vector<std::size_t> slices;
          for (const auto &[node, weight] : weights[wanted[i]])
            slices.push_back(slice_of_node[node]);
          const auto rows = matrix_.rows(slices);
          for (std::size_t r = 0; r < slices.size(); ++r)
            for (std::size_t k = 0; k < n; ++k)
              result[i * n + k] +=
                weights[wanted[i]][r].second * rows[r * n + k];
        }
      return result;
    };
    SurrogateOptions options;
    options.form   = SurrogateForm::dense;
    options.memory = std::numeric_limits<std::size_t>::max();
    SensorSolver<dim> result(*this, make_kernel_operator(source, options));
    if (input_ == Input::boundary_values)
      result.shapes_ =
        interpolation_.weights(points, Interpolation<dim>::Nodes::all);
    return result;
  }


  template <int dim>
  std::vector<double>
  SurrogateSolver<dim>::values_at(const std::vector<Point<dim>> &points,
                                  const double                  *solution) const
  {
    const auto weights =
      interpolation_.weights(points, Interpolation<dim>::Nodes::all);
    const IndexSet     &owned = space_.locally_owned_dofs();
    std::vector<double> values(points.size(), 0.);
    for (std::size_t p = 0; p < points.size(); ++p)
      for (const auto &[node, weight] : weights[p])
        if (const auto dof = space_.dof_of_node(node); owned.is_element(dof))
          values[p] += weight * solution[owned.index_within_set(dof)];
    Utilities::MPI::sum(values, space_.communicator(), values);
    return values;
  }


  template <int dim>
  template <typename Vector>
  std::vector<double>
  SurrogateSolver<dim>::values_at(const std::vector<Point<dim>> &points,
                                  const Vector                  &solution) const
  {
    return values_at(points, local_values(space_, solution));
  }


  template <int dim>
  void
  SensorSolver<dim>::apply(const double     *forcings,
                           double           *values,
                           const std::size_t n_forcings) const
  {
    std::vector<double> buffer;
    operator_->apply(solver_.with_ghosts(forcings, n_forcings, buffer),
                     values,
                     n_forcings);
    if (!shapes_.empty())
      add_boundary_values(forcings, values, n_forcings);
    if (solver_.n_slices_of_rank_.size() > 1)
      Collective::sum(solver_.get_mpi_communicator(),
                      values,
                      n_points() * n_forcings);
  }


  template <int dim>
  void
  SensorSolver<dim>::add_boundary_values(const double     *data,
                                         double           *values,
                                         const std::size_t n_columns) const
  {
    const auto     &space = solver_.space();
    const auto      lifts = solver_.lifts(data, n_columns);
    const IndexSet &owned = space.locally_owned_dofs();
    for (std::size_t p = 0; p < n_points(); ++p)
      for (const auto &[node, weight] : shapes_[p])
        if (const auto dof = space.dof_of_node(node); owned.is_element(dof))
          for (std::size_t j = 0; j < n_columns; ++j)
            values[j * n_points() + p] +=
              weight *
              lifts[j * solver_.n_local() + owned.index_within_set(dof)];
  }


  template <int dim>
  template <typename Vector>
  std::vector<double>
  SensorSolver<dim>::operator()(const Vector &forcing) const
  {
    std::vector<double> values(n_points());
    apply(local_values(solver_.forcing_space_, forcing), values.data(), 1);
    return values;
  }


  template <int dim>
  double
  mean_relative_error(const SurrogateSolver<dim> &solver,
                      const Samples              &samples)
  {
    const std::size_t   n = samples.n_samples;
    std::vector<double> errors(samples.solutions.size());
    solver.apply(samples.forcings.data(), errors.data(), n);
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] -= samples.solutions[i];
    const double result =
      mean_of_ratios(solver.space().square_norms(errors, n),
                     solver.space().square_norms(samples.solutions, n));
    if (std::isnan(result))
      throw Error(
        "There are no samples to measure errors with: "
        "'Dataset/Test samples' must be positive.");
    return result;
  }


#define INSTANTIATE_VECTOR(dim, Vector)                                        \
  template void SurrogateSolver<dim>::vmult(Vector &, const Vector &) const;   \
  template void SurrogateSolver<dim>::Tvmult(Vector &, const Vector &) const;  \
  template void SurrogateSolver<dim>::solve(const Function<dim> &, Vector &)   \
    const;                                                                     \
  template std::vector<double> SurrogateSolver<dim>::values_at(                \
    const std::vector<Point<dim>> &, const Vector &) const;                    \
  template std::vector<double> SensorSolver<dim>::operator()(const Vector &)   \
    const;
#define INSTANTIATE(dim)                                                       \
  template class SurrogateSolver<dim>;                                         \
  template class SensorSolver<dim>;                                            \
  template double mean_relative_error(const SurrogateSolver<dim> &,            \
                                      const Samples &);                        \
  INSTANTIATE_VECTOR(dim, Vector<double>)                                      \
  INSTANTIATE_VECTOR(dim, LinearAlgebra::distributed::Vector<double>)          \
  INSTANTIATE_VECTOR(dim, TrilinosWrappers::MPI::Vector)

  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)

#undef INSTANTIATE
#undef INSTANTIATE_VECTOR
} // namespace Evergreen
