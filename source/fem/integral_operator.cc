#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/integral_operator.h>

#include <deal.II/base/parallel.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <array>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** A quadrature point of one of this rank's cells. */
    template <int dim>
    struct Source
    {
      std::array<double, dim>  y;
      std::vector<double>      weights; // JxW times shape values
      std::vector<std::size_t> columns;
    };
  } // namespace


  template <int dim>
  IntegralOperator<dim>::IntegralOperator(
    std::unique_ptr<IntegralKernel> kernel)
    : kernel_(std::move(kernel))
  {}


  template <int dim>
  void
  IntegralOperator<dim>::set_up(const Space<dim> &space)
  {
    this->space_ = &space;
    if (!kernel_->vanishes_on_boundary() &&
        space.constraints().n_constraints() > 0)
      throw Error("Solutions of the problem '",
                  name(),
                  "' are not zero on the boundary: use a finite element space "
                  "without constraints.");

    columns_.clear();
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          cell->get_dof_indices(dofs);
          columns_.insert(columns_.end(), dofs.begin(), dofs.end());
        }
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()),
                   columns_.end());
    column_nodes_.clear();
    for (const auto dof : columns_)
      column_nodes_.push_back(space.node_of_dof(dof));
    assemble();
  }


  template <int dim>
  void
  IntegralOperator<dim>::assemble()
  {
    const auto                          &space = this->space();
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_quadrature_points |
                           update_JxW_values);
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    std::vector<Source<dim>>             sources;
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          for (const auto q : values.quadrature_point_indices())
            {
              Source<dim> source;
              for (unsigned int d = 0; d < dim; ++d)
                source.y[d] = values.quadrature_point(q)[d];
              for (unsigned int k = 0; k < dofs.size(); ++k)
                {
                  source.weights.push_back(values.shape_value(k, q) *
                                           values.JxW(q));
                  source.columns.push_back(std::lower_bound(columns_.begin(),
                                                            columns_.end(),
                                                            dofs[k]) -
                                           columns_.begin());
                }
              sources.push_back(std::move(source));
            }
        }

    const std::size_t   n_nodes = space.n_nodes();
    std::vector<double> coordinates(n_nodes * dim);
    for (std::size_t i = 0; i < n_nodes; ++i)
      for (unsigned int d = 0; d < dim; ++d)
        coordinates[d * n_nodes + i] = space.point(i)[d];

    matrix_.assign(n_nodes * columns_.size(), 0.);
    parallel::apply_to_subranges(
      std::size_t(0),
      n_nodes,
      [&](const std::size_t begin, const std::size_t end) {
        std::vector<double>             kernel_values(end - begin);
        std::array<const double *, dim> x;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] = &coordinates[d * n_nodes + begin];
        for (const auto &source : sources)
          {
            kernel_->evaluate(dim,
                              x.data(),
                              source.y.data(),
                              end - begin,
                              kernel_values.data());
            for (std::size_t k = 0; k < source.columns.size(); ++k)
              {
                double *const column =
                  &matrix_[source.columns[k] * n_nodes + begin];
                const double weight = source.weights[k];
                for (std::size_t i = 0; i < end - begin; ++i)
                  column[i] += weight * kernel_values[i];
              }
          }
      },
      256);
  }


  template <int dim>
  std::vector<SolveFailure>
  IntegralOperator<dim>::solve_block(const double     *forcings,
                                     double           *solutions,
                                     const std::size_t n_samples)
  {
    const auto               &space   = this->space();
    const std::size_t         n_nodes = space.n_nodes();
    const std::vector<double> f =
      space.values_at_nodes(column_nodes_, forcings, n_samples);
    std::vector<double> u(n_nodes * n_samples, 0.);
    if (!columns_.empty())
      {
        // In parts of some rows, each on one of our threads.
        const Blas::SingleThread one_thread;
        parallel::apply_to_subranges(
          std::size_t(0),
          n_nodes,
          [&](const std::size_t begin, const std::size_t end) {
            Blas::gemm('N',
                       'N',
                       end - begin,
                       n_samples,
                       columns_.size(),
                       1.,
                       matrix_.data() + begin,
                       n_nodes,
                       f.data(),
                       columns_.size(),
                       0.,
                       u.data() + begin,
                       n_nodes);
          },
          256);
      }
    for (std::size_t j = 0; j < n_samples; ++j)
      Collective::sum(space.communicator(), u.data() + j * n_nodes, n_nodes);

    const auto &nodes = space.local_nodes();
    for (std::size_t j = 0; j < n_samples; ++j)
      for (std::size_t i = 0; i < nodes.size(); ++i)
        solutions[j * nodes.size() + i] = u[j * n_nodes + nodes[i]];
    return {};
  }


  template <int dim>
  void
  IntegralOperator<dim>::solve(const VectorType &forcing, VectorType &solution)
  {
    solve_block(forcing.begin(), solution.begin(), 1);
  }


  template <int dim>
  typename IntegralOperator<dim>::Kernel
  IntegralOperator<dim>::exact_kernel() const
  {
    return [this](const Point<dim> &x, const Point<dim> &y) {
      std::array<const double *, dim> coordinates;
      std::array<double, dim>         source;
      for (unsigned int d = 0; d < dim; ++d)
        {
          coordinates[d] = &x[d];
          source[d]      = y[d];
        }
      double value = 0;
      kernel_->evaluate(dim, coordinates.data(), source.data(), 1, &value);
      return value;
    };
  }


  template class IntegralOperator<1>;
  template class IntegralOperator<2>;
  template class IntegralOperator<3>;
} // namespace Evergreen
