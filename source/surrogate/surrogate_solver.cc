#include "column_chunks.h"
#include "vector_access.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <numeric>

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


    /** The shape functions at the points of a rule, by the kernel's nodes. */
    ShapeValues
    shapes_for(const LearnedKernel            &kernel,
               DistributedRule                &rule,
               const std::vector<std::size_t> &nodes)
    {
      std::vector<std::size_t> kernel_node(nodes.size()), rows;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        kernel_node[nodes[i]] = i;
      for (const std::size_t node : rule.nodes)
        rows.push_back(kernel_node[node]);
      rows.swap(rule.nodes);
      auto shapes = shape_values(kernel, rule);
      rows.swap(rule.nodes);
      return shapes;
    }
  } // namespace


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const LearnedKernel    &kernel,
                                        const Space<dim>       &space,
                                        const SurrogateOptions &options)
    : kernel_(kernel)
    , space_(space)
    , nodes_(nodes_in(kernel_, space))
    , rule_(make_rule(space, quadrature_kind(kernel_.quadrature)))
    , matrix_(kernel_, rule_.rule, shapes_for(kernel_, rule_, nodes_))
    , covers_all_(kernel_.response == free_nodes(kernel_.mesh))
    , interpolation_(space)
  {
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
    const auto points_of = [&](const auto &nodes, const auto &number) {
      std::vector<double> points;
      for (const auto i : nodes)
        for (unsigned int d = 0; d < dim; ++d)
          points.push_back(space_.point(number(i))[d]);
      return points;
    };
    RowSource source;
    source.dim        = dim;
    source.n_rows     = slices_.size();
    source.n_columns  = rule_.rule.n_rows;
    source.row_points = points_of(slices_, [&](const std::size_t s) {
      return nodes_[kernel_.response[s]];
    });
    source.column_points =
      points_of(rule_.nodes, [](const std::size_t node) { return node; });
    source.rows = [this](const std::vector<std::size_t> &rows) {
      std::vector<std::size_t> wanted(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        wanted[i] = slices_[rows[i]];
      return matrix_.rows(wanted);
    };
    return source;
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
    std::vector<double> with_ghosts;
    if (n_slices_of_rank_.size() > 1)
      {
        with_ghosts = space_.values_at_nodes(rule_.nodes, forcings, n_forcings);
        forcings    = with_ghosts.data();
      }
    std::vector<double> all(slices_.size() * n_forcings, 0.);
    operator_->apply(forcings, all.data(), n_forcings);
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
    const auto sums = space_.sums_at_nodes(rule_.nodes, columns.data(), 1);
    std::copy(sums.begin(), sums.end(), forcing);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::vmult(Vector &solution, const Vector &forcing) const
  {
    VectorAccess::check_size(space_, solution);
    std::vector<double> local(n_local());
    apply(VectorAccess::local_values(space_, forcing), local.data(), 1);
    VectorAccess::assign(space_, local, solution);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::Tvmult(Vector &forcing, const Vector &solution) const
  {
    VectorAccess::check_size(space_, forcing);
    std::vector<double> local(n_local());
    apply_transposed(VectorAccess::local_values(space_, solution),
                     local.data());
    VectorAccess::assign(space_, local, forcing);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::solve(const Function<dim> &forcing,
                              Vector              &solution) const
  {
    VectorAccess::check_size(space_, solution);
    std::vector<double> local(n_local());
    apply(project(space_, forcing).begin(), local.data(), 1);
    VectorAccess::assign(space_, local, solution);
  }


  template <int dim>
  void
  SurrogateSolver<dim>::set_responses(const std::vector<double> &values,
                                      VectorType                &solution) const
  {
    solution              = 0.;
    const IndexSet &owned = space_.locally_owned_dofs();
    for (std::size_t s = 0; s < values.size(); ++s)
      if (const auto dof = space_.dof_of_node(nodes_[kernel_.response[s]]);
          owned.is_element(dof))
        solution(dof) = values[s];
    space_.distribute(solution.begin(), 1);
  }


  template <int dim>
  SensorSolver<dim>
  SurrogateSolver<dim>::sensors(const std::vector<Point<dim>> &points) const
  {
    // At a point the kernel is a combination of the slices of a few nodes.
    const std::size_t         n = rule_.rule.n_rows;
    std::vector<double>       matrix(points.size() * n, 0.);
    std::vector<std::int64_t> slice_of_node(space_.n_nodes(), -1);
    for (std::size_t s = 0; s < kernel_.response.size(); ++s)
      slice_of_node[nodes_[kernel_.response[s]]] = s;
    const auto weights = interpolation_.weights(points);
    for (std::size_t p = 0; p < points.size(); ++p)
      {
        std::vector<std::size_t> slices;
        for (const auto &[node, weight] : weights[p])
          if (slice_of_node[node] < 0)
            throw Error("The kernel was not learned at node ",
                        node,
                        ", which it needs at the point (",
                        points[p],
                        "): learn it without 'Sensors', or ask at one of "
                        "them.");
          else
            slices.push_back(slice_of_node[node]);
        const auto    rows = matrix_.rows(slices);
        double *const row  = matrix.data() + p * n;
        for (std::size_t i = 0; i < slices.size(); ++i)
          for (std::size_t k = 0; k < n; ++k)
            row[k] += weights[p][i].second * rows[i * n + k];
      }
    return SensorSolver<dim>(
      *this, make_dense_operator(points.size(), n, std::move(matrix)));
  }


  template <int dim>
  std::vector<double>
  SurrogateSolver<dim>::values_at(const std::vector<Point<dim>> &points,
                                  const double                  *solution) const
  {
    const auto          weights = interpolation_.weights(points);
    const IndexSet     &owned   = space_.locally_owned_dofs();
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
    return values_at(points, VectorAccess::local_values(space_, solution));
  }


  template <int dim>
  void
  SensorSolver<dim>::apply(const double     *forcings,
                           double           *values,
                           const std::size_t n_forcings) const
  {
    std::vector<double> with_ghosts;
    const bool          is_distributed = solver_.n_slices_of_rank_.size() > 1;
    if (is_distributed)
      {
        with_ghosts = solver_.space_.values_at_nodes(solver_.rule_.nodes,
                                                     forcings,
                                                     n_forcings);
        forcings    = with_ghosts.data();
      }
    operator_->apply(forcings, values, n_forcings);
    if (is_distributed)
      Collective::sum(solver_.get_mpi_communicator(),
                      values,
                      n_points() * n_forcings);
  }


  template <int dim>
  template <typename Vector>
  std::vector<double>
  SensorSolver<dim>::operator()(const Vector &forcing) const
  {
    std::vector<double> values(n_points());
    apply(VectorAccess::local_values(solver_.space_, forcing),
          values.data(),
          1);
    return values;
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
  INSTANTIATE_VECTOR(dim, Vector<double>)                                      \
  INSTANTIATE_VECTOR(dim, LinearAlgebra::distributed::Vector<double>)          \
  INSTANTIATE_VECTOR(dim, TrilinosWrappers::MPI::Vector)

  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)

#undef INSTANTIATE
#undef INSTANTIATE_VECTOR
} // namespace Evergreen
