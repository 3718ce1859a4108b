#include "vector_access.h"

#include <evergreen/base/collective.h>
#include <evergreen/kernel/kernel_function.h>
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
    make_source(const LearnedKernel   &kernel,
                const KernelMatrix    &matrix,
                const Space<dim>      &space,
                const DistributedRule &distributed)
    {
      RowSource source;
      source.dim       = dim;
      source.n_rows    = kernel.response.size();
      source.n_columns = distributed.nodes.size();
      for (const auto node : kernel.response)
        for (unsigned int d = 0; d < dim; ++d)
          source.row_points.push_back(kernel.mesh.points[node * dim + d]);
      for (const auto node : distributed.nodes)
        for (unsigned int d = 0; d < dim; ++d)
          source.column_points.push_back(space.points()[node * dim + d]);
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
    rule_ = make_rule(forcing_space);
    collectively(space_.communicator(), [&]() {
      const LearnedKernel &kernel = solver.kernel();
      ShapeValues          shapes;
      if (kernel.table)
        shapes = KernelFunction<dim>(kernel).shape_values(rule_.rule.points);
      matrix_ = std::make_unique<KernelMatrix>(kernel, rule_.rule, shapes);
      operator_ =
        make_kernel_operator(make_source<dim>(kernel, *matrix_, space_, rule_),
                             options);
    });
  }


  template <int dim>
  void
  MeshTransfer<dim>::vmult(VectorType       &solution,
                           const VectorType &forcing) const
  {
    VectorAccess::check_size(solver_.space(), solution);
    if (forcing.size() != space_.n_nodes())
      throw Error("The forcing has ",
                  forcing.size(),
                  " entries, but its mesh has ",
                  space_.n_nodes(),
                  " nodes.");
    const auto local = space_.values_at_nodes(rule_.nodes, forcing.begin(), 1);

    // Each rank has the integrals over its own cells.
    const auto         &kernel = solver_.kernel();
    std::vector<double> values(kernel.response.size(), 0.);
    operator_->apply(local.data(), values.data(), 1);
    Utilities::MPI::sum(values, space_.communicator(), values);
    solver_.set_responses(values, solution);
  }


  template class MeshTransfer<1>;
  template class MeshTransfer<2>;
  template class MeshTransfer<3>;
} // namespace Evergreen
