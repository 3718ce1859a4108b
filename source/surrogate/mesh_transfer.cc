#include "vector_access.h"

#include <evergreen/base/collective.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/learning/learning_data.h>
#include <evergreen/surrogate/mesh_transfer.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    RowSource
    make_source(const LearnedKernel            &kernel,
                const KernelMatrix             &matrix,
                const MeshData                 &forcing_mesh,
                const std::vector<std::size_t> &column_nodes)
    {
      RowSource source;
      source.dim       = dim;
      source.n_rows    = kernel.response.size();
      source.n_columns = column_nodes.size();
      for (const auto node : kernel.response)
        for (unsigned int d = 0; d < dim; ++d)
          source.row_points.push_back(kernel.mesh.points[node * dim + d]);
      for (const auto node : column_nodes)
        for (unsigned int d = 0; d < dim; ++d)
          source.column_points.push_back(forcing_mesh.points[node * dim + d]);
      source.rows = [&matrix](const std::vector<std::size_t> &rows) {
        return matrix.rows(rows);
      };
      return source;
    }
  } // namespace


  template <int dim>
  MeshTransfer<dim>::MeshTransfer(const SurrogateSolver<dim> &solver,
                                  const Space<dim>           &forcing_space,
                                  const SurrogateOptions     &options)
    : solver_(solver), space_(forcing_space)
  {
    rule_ = make_rule(forcing_space, false);
    for (const auto node : rule_.nodes)
      dofs_.push_back(forcing_space.dof_of_node(node));
    const MeshData &mesh = forcing_space.mesh_data();
    collectively(space_.communicator(), [&]() {
      matrix_ =
        std::make_unique<KernelMatrix>(solver.kernel(),
                                       rule_.rule,
                                       solver.kernel_function().shape_values(
                                         rule_.rule.points));
      operator_ = make_kernel_operator(
        make_source<dim>(solver.kernel(), *matrix_, mesh, rule_.nodes),
        options);
    });
  }


  template <int dim>
  void
  MeshTransfer<dim>::vmult(VectorType       &solution,
                           const VectorType &forcing) const
  {
    VectorAccess::check_size(solver_.nodes(), solution);
    if (forcing.size() != space_.n_nodes())
      throw Error("The forcing has ",
                  forcing.size(),
                  " entries, but its mesh has ",
                  space_.n_nodes(),
                  " nodes.");
    VectorType ghosted(space_.locally_owned_dofs(),
                       space_.locally_relevant_dofs(),
                       space_.communicator());
    ghosted = forcing;
    ghosted.update_ghost_values();
    std::vector<double> local(dofs_.size());
    std::transform(dofs_.begin(),
                   dofs_.end(),
                   local.begin(),
                   [&](const auto i) { return ghosted(i); });

    // Each rank has the integrals over its own cells.
    const auto         &kernel = solver_.kernel();
    std::vector<double> values(kernel.response.size(), 0.);
    operator_->apply(local.data(), values.data(), 1);
    MPI_Allreduce(MPI_IN_PLACE,
                  values.data(),
                  static_cast<int>(values.size()),
                  MPI_DOUBLE,
                  MPI_SUM,
                  space_.communicator());
    solution = 0.;
    for (std::size_t s = 0; s < values.size(); ++s)
      {
        const auto dof = solver_.nodes().dof_of_node(kernel.response[s]);
        if (solution.in_local_range(dof))
          solution(dof) = values[s];
      }
  }


  template class MeshTransfer<1>;
  template class MeshTransfer<2>;
  template class MeshTransfer<3>;
} // namespace Evergreen
