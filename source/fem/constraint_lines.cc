#include <evergreen/fem/constraint_lines.h>

#include <deal.II/base/mpi.h>
#include <deal.II/dofs/dof_tools.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  void
  ConstraintLines<dim>::reinit(const DoFHandler<dim>           &dof_handler,
                               const AffineConstraints<double> &constraints)
  {
    const IndexSet &owned = dof_handler.locally_owned_dofs();
    n_local_              = owned.n_elements();
    rows_.clear();
    entries_.clear();
    weights_.clear();
    starts_ = {0};

    IndexSet needed(dof_handler.n_dofs());
    DoFTools::extract_locally_relevant_dofs(dof_handler, needed);
    for (const auto dof : owned)
      if (const auto *const line = constraints.get_constraint_entries(dof))
        for (const auto &entry : *line)
          needed.add_index(entry.first);
    ghosted_.reinit(owned, needed, Compat::communicator(dof_handler));

    for (const auto dof : owned)
      if (constraints.is_constrained(dof))
        {
          rows_.push_back(owned.index_within_set(dof));
          for (const auto &[other, weight] :
               *constraints.get_constraint_entries(dof))
            {
              entries_.push_back(
                ghosted_.get_partitioner()->global_to_local(other));
              weights_.push_back(weight);
            }
          starts_.push_back(entries_.size());
        }
    is_coupled_ = Utilities::MPI::max(entries_.empty() ? 0 : 1,
                                      Compat::communicator(dof_handler)) > 0;
  }


  template <int dim>
  std::vector<double>
  ConstraintLines<dim>::constrained_dofs() const
  {
    std::vector<double> result;
    if (!is_coupled_)
      return result;
    const auto &partitioner = *ghosted_.get_partitioner();
    result.resize(partitioner.size(), 0.);
    for (const unsigned int row : rows_)
      result[partitioner.local_to_global(row)] = 1.;
    Utilities::MPI::sum(result, partitioner.get_mpi_communicator(), result);
    return result;
  }


  template <int dim>
  void
  ConstraintLines<dim>::set_to_zero(double           *columns,
                                    const std::size_t n_columns) const
  {
    for (std::size_t j = 0; j < n_columns; ++j)
      for (const unsigned int row : rows_)
        columns[j * n_local_ + row] = 0;
  }


  template <int dim>
  void
  ConstraintLines<dim>::distribute(double           *columns,
                                   const std::size_t n_columns) const
  {
    if (!is_coupled_)
      return set_to_zero(columns, n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        double *const column = columns + j * n_local_;
        std::copy_n(column, n_local_, ghosted_.begin());
        ghosted_.update_ghost_values();
        for (std::size_t i = 0; i < rows_.size(); ++i)
          {
            double value = 0;
            for (std::size_t e = starts_[i]; e < starts_[i + 1]; ++e)
              value += weights_[e] * ghosted_.local_element(entries_[e]);
            column[rows_[i]] = value;
          }
        ghosted_.zero_out_ghost_values();
      }
  }


  template <int dim>
  void
  ConstraintLines<dim>::condense(double           *columns,
                                 const std::size_t n_columns) const
  {
    if (!is_coupled_)
      return set_to_zero(columns, n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        double *const column = columns + j * n_local_;
        std::copy_n(column, n_local_, ghosted_.begin());
        ghosted_.zero_out_ghost_values();
        for (std::size_t i = 0; i < rows_.size(); ++i)
          {
            ghosted_.local_element(rows_[i]) = 0;
            for (std::size_t e = starts_[i]; e < starts_[i + 1]; ++e)
              ghosted_.local_element(entries_[e]) +=
                weights_[e] * column[rows_[i]];
          }
        ghosted_.compress(VectorOperation::add);
        std::copy_n(ghosted_.begin(), n_local_, column);
      }
  }


  template class ConstraintLines<1>;
  template class ConstraintLines<2>;
  template class ConstraintLines<3>;
} // namespace Evergreen
