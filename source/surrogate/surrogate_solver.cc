#include "column_chunks.h"
#include "vector_access.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/learning/learning_data.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <algorithm>

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


    /** A kernel of another dimension would fail in less clear ways. */
    template <int dim>
    const LearnedKernel &
    check_dimension(const LearnedKernel &kernel)
    {
      if (kernel.mesh.dim != dim)
        throw Error("The kernel lives in dimension ",
                    kernel.mesh.dim,
                    ", but the mesh in dimension ",
                    dim,
                    ".");
      return kernel;
    }


    /** The quadrature of the kernel's mesh, its rows in the order of dofs. */
    template <int dim>
    DistributedRule
    rule_for(const LearnedKernel &kernel,
             const Space<dim>    &space,
             const NodeMap<dim>  &nodes)
    {
      auto distributed = make_rule(space, kernel.quadrature == "monte-carlo");
      QuadratureRule           &rule = distributed.rule;
      std::vector<unsigned int> dof_of_row(rule.n_rows);
      for (std::size_t row = 0; row < rule.n_rows; ++row)
        dof_of_row[row] = nodes.dof_of_node(distributed.nodes[row]);
      for (auto &row : rule.rows)
        row = dof_of_row[row];
      if (rule.near_field)
        {
          auto near_field = std::make_shared<NearField>(*rule.near_field);
          near_field->renumber_rows(dof_of_row);
          rule.near_field = near_field;
        }
      std::vector<std::size_t> node_of_dof(rule.n_rows);
      for (std::size_t row = 0; row < rule.n_rows; ++row)
        node_of_dof[dof_of_row[row]] = distributed.nodes[row];
      distributed.nodes = node_of_dof;
      return distributed;
    }


    /** Rows of response nodes, columns of all degrees of freedom. */
    template <int dim>
    RowSource
    make_source(const LearnedKernel            &kernel,
                const KernelMatrix             &matrix,
                const NodeMap<dim>             &nodes,
                const std::vector<std::size_t> &slices)
    {
      const auto copy_point =
        [&](const std::size_t node, std::vector<double> &to, std::size_t i) {
          std::copy_n(&kernel.mesh.points[node * dim], dim, &to[i * dim]);
        };
      RowSource source;
      source.dim       = dim;
      source.n_rows    = slices.size();
      source.n_columns = nodes.n_dofs();
      source.row_points.resize(dim * source.n_rows);
      source.column_points.resize(dim * source.n_columns);
      for (std::size_t i = 0; i < slices.size(); ++i)
        copy_point(kernel.response[slices[i]], source.row_points, i);
      for (std::size_t node = 0; node < source.n_columns; ++node)
        copy_point(node, source.column_points, nodes.dof_of_node(node));
      source.rows = [&matrix, slices](const std::vector<std::size_t> &rows) {
        std::vector<std::size_t> wanted(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
          wanted[i] = slices[rows[i]];
        return matrix.rows(wanted);
      };
      return source;
    }
  } // namespace


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const LearnedKernel    &kernel,
                                        const DoFHandler<dim>  &dof_handler,
                                        const Mapping<dim>     &mapping,
                                        const SurrogateOptions &options)
    : kernel_(check_dimension<dim>(kernel))
    , function_(kernel_)
    , nodes_(kernel_.mesh, dof_handler, mapping)
    , rule_(rule_for(kernel_, function_.space(), nodes_))
    , matrix_(kernel_, rule_)
    , covers_all_(kernel_.response == free_nodes(kernel_.mesh))
  {
    std::vector<std::int64_t> slice_of_node(kernel_.mesh.n_nodes(), -1);
    for (std::size_t s = 0; s < kernel_.response.size(); ++s)
      slice_of_node[kernel_.response[s]] = s;
    std::vector<std::size_t> slices;
    for (std::size_t i = 0; i < nodes_.n_local(); ++i)
      if (const auto slice = slice_of_node[nodes_.local_nodes()[i]]; slice >= 0)
        {
          slices.push_back(slice);
          row_dofs_.push_back(i);
        }
    collectively(nodes_.communicator(), [&]() {
      operator_ =
        make_kernel_operator(make_source(kernel_, matrix_, nodes_, slices),
                             options);
    });
  }


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const LearnedKernel    &kernel,
                                        const Space<dim>       &space,
                                        const SurrogateOptions &options)
    : SurrogateSolver(kernel, space.dof_handler(), space.mapping(), options)
  {}


  template <int dim>
  SurrogateSolver<dim>::SurrogateSolver(const std::string      &path,
                                        const DoFHandler<dim>  &dof_handler,
                                        const Mapping<dim>     &mapping,
                                        const SurrogateOptions &options)
    : SurrogateSolver(load_collectively(path,
                                        Compat::communicator(dof_handler)),
                      dof_handler,
                      mapping,
                      options)
  {}


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
    std::vector<double> gathered;
    if (nodes_.is_distributed())
      {
        gathered = nodes_.gather(forcings, n_forcings);
        forcings = gathered.data();
      }
    std::vector<double> values(row_dofs_.size() * n_forcings);
    operator_->apply(forcings, values.data(), n_forcings);
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
  }


  template <int dim>
  void
  SurrogateSolver<dim>::apply_transposed(const double *solution,
                                         double       *forcing) const
  {
    std::vector<double> values(row_dofs_.size());
    for (std::size_t i = 0; i < row_dofs_.size(); ++i)
      values[i] = solution[row_dofs_[i]];
    std::vector<double> all(nodes_.n_dofs(), 0.);
    if (!values.empty())
      operator_->apply_transposed(values.data(), all.data(), 1);
    if (nodes_.is_distributed())
      MPI_Allreduce(MPI_IN_PLACE,
                    all.data(),
                    static_cast<int>(all.size()),
                    MPI_DOUBLE,
                    MPI_SUM,
                    nodes_.communicator());
    for (std::size_t i = 0; i < n_local(); ++i)
      forcing[i] = all[nodes_.dof_of_node(nodes_.local_nodes()[i])];
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::vmult(Vector &solution, const Vector &forcing) const
  {
    VectorAccess::check_size(nodes_, solution);
    std::vector<double> local(n_local());
    apply(VectorAccess::local_values(nodes_, forcing), local.data(), 1);
    VectorAccess::assign(nodes_, local, solution);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::Tvmult(Vector &forcing, const Vector &solution) const
  {
    VectorAccess::check_size(nodes_, forcing);
    std::vector<double> local(n_local());
    apply_transposed(VectorAccess::local_values(nodes_, solution),
                     local.data());
    VectorAccess::assign(nodes_, local, forcing);
  }


  template <int dim>
  std::vector<double>
  SurrogateSolver<dim>::project(const Function<dim> &forcing) const
  {
    // Every rank does this for the whole mesh, which it has anyway.
    const auto                          &space = function_.space();
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_quadrature_points |
                           update_JxW_values);
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    VectorType load(space.locally_owned_dofs(), space.communicator());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      {
        values.reinit(cell);
        cell->get_dof_indices(dofs);
        for (const auto q : values.quadrature_point_indices())
          {
            const double f =
              forcing.value(values.quadrature_point(q)) * values.JxW(q);
            for (const auto k : values.dof_indices())
              load(dofs[k]) += f * values.shape_value(k, q);
          }
      }
    if (!numbers::is_finite(load.l2_norm()))
      throw Error("The forcing is not finite everywhere in the domain.");

    VectorType    result(load);
    SolverControl control(1000, 1e-13 * load.l2_norm() + 1e-300, false, false);
    TrilinosWrappers::PreconditionJacobi jacobi;
    jacobi.initialize(space.mass_matrix());
    SolverCG<VectorType>(control).solve(space.mass_matrix(),
                                        result = 0.,
                                        load,
                                        jacobi);
    std::vector<double> local(n_local());
    for (std::size_t i = 0; i < local.size(); ++i)
      local[i] = result(space.dof_of_node(nodes_.local_nodes()[i]));
    return local;
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::project(const Function<dim> &forcing,
                                Vector              &values) const
  {
    VectorAccess::check_size(nodes_, values);
    VectorAccess::assign(nodes_, project(forcing), values);
  }


  template <int dim>
  template <typename Vector>
  void
  SurrogateSolver<dim>::solve(const Function<dim> &forcing,
                              Vector              &solution) const
  {
    VectorAccess::check_size(nodes_, solution);
    std::vector<double> local(n_local());
    apply(project(forcing).data(), local.data(), 1);
    VectorAccess::assign(nodes_, local, solution);
  }


  template <int dim>
  SensorSolver<dim>
  SurrogateSolver<dim>::sensors(const std::vector<Point<dim>> &points) const
  {
    // At a point the kernel is a combination of the slices of a few nodes.
    std::vector<double> matrix(points.size() * nodes_.n_dofs(), 0.);
    for (std::size_t p = 0; p < points.size(); ++p)
      {
        std::vector<std::size_t> slices;
        const auto               weights = function_.interpolation(points[p]);
        for (const auto &entry : weights)
          slices.push_back(entry.first);
        const auto    rows = matrix_.rows(slices);
        double *const row  = matrix.data() + p * nodes_.n_dofs();
        for (std::size_t i = 0; i < weights.size(); ++i)
          for (std::size_t k = 0; k < nodes_.n_dofs(); ++k)
            row[k] += weights[i].second * rows[i * nodes_.n_dofs() + k];
      }
    return SensorSolver<dim>(nodes_,
                             make_dense_operator(points.size(),
                                                 nodes_.n_dofs(),
                                                 std::move(matrix)));
  }


  template <int dim>
  template <typename Vector>
  std::vector<double>
  SurrogateSolver<dim>::values_at(const std::vector<Point<dim>> &points,
                                  const Vector                  &solution) const
  {
    const auto all =
      nodes_.gather(VectorAccess::local_values(nodes_, solution), 1);
    std::vector<double> values(points.size(), 0.);
    for (std::size_t p = 0; p < points.size(); ++p)
      for (const auto &[slice, weight] : function_.interpolation(points[p]))
        values[p] += weight * all[nodes_.dof_of_node(kernel_.response[slice])];
    return values;
  }


  template <int dim>
  void
  SensorSolver<dim>::apply(const double     *forcings,
                           double           *values,
                           const std::size_t n_forcings) const
  {
    std::vector<double> gathered;
    if (nodes_.is_distributed())
      {
        gathered = nodes_.gather(forcings, n_forcings);
        forcings = gathered.data();
      }
    operator_->apply(forcings, values, n_forcings);
  }


  template <int dim>
  template <typename Vector>
  std::vector<double>
  SensorSolver<dim>::operator()(const Vector &forcing) const
  {
    std::vector<double> values(n_points());
    apply(VectorAccess::local_values(nodes_, forcing), values.data(), 1);
    return values;
  }


#define INSTANTIATE_VECTOR(dim, Vector)                                        \
  template void SurrogateSolver<dim>::vmult(Vector &, const Vector &) const;   \
  template void SurrogateSolver<dim>::Tvmult(Vector &, const Vector &) const;  \
  template void SurrogateSolver<dim>::solve(const Function<dim> &, Vector &)   \
    const;                                                                     \
  template void SurrogateSolver<dim>::project(const Function<dim> &, Vector &) \
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
