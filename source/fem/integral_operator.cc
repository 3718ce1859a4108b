#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/integral_operator.h>
#include <evergreen/fem/space_rule.h>

#include <deal.II/base/parallel.h>

#include <array>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  void
  IntegralOperator<dim>::set_up(const Space<dim> &space)
  {
    this->space_ = &space;
    if (!kernel_.vanishes_on_boundary &&
        space.constraints().n_constraints() > 0)
      throw Error("Solutions of the problem '",
                  name(),
                  "' are not zero on the boundary: use a finite element space "
                  "without constraints.");

    const DistributedRule distributed = gauss_rule(space);
    const QuadratureRule &rule        = distributed.rule;
    column_nodes_                     = distributed.nodes;
    const std::size_t   n_nodes       = space.n_nodes();
    std::vector<double> coordinates(n_nodes * dim);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      coordinates[i % dim * n_nodes + i / dim] = space.points()[i];

    matrix_.assign(n_nodes * column_nodes_.size(), 0.);
    parallel::apply_to_subranges(
      std::size_t(0),
      n_nodes,
      [&](const std::size_t begin, const std::size_t end) {
        std::vector<double>             kernel_values(end - begin);
        std::array<const double *, dim> x;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] = &coordinates[d * n_nodes + begin];
        for (std::size_t q = 0; q < rule.n_points(); ++q)
          {
            kernel_.evaluate(x.data(),
                             &rule.points[q * dim],
                             end - begin,
                             kernel_values.data());
            for (std::size_t k = rule.column_starts[q];
                 k < rule.column_starts[q + 1];
                 ++k)
              {
                double *const column = &matrix_[rule.rows[k] * n_nodes + begin];
                const double  weight = rule.values[k];
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
    if (!column_nodes_.empty())
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
                       column_nodes_.size(),
                       1.,
                       matrix_.data() + begin,
                       n_nodes,
                       f.data(),
                       column_nodes_.size(),
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
      for (unsigned int d = 0; d < dim; ++d)
        coordinates[d] = &x[d];
      double value = 0;
      kernel_.evaluate(coordinates.data(), &y[0], 1, &value);
      return value;
    };
  }


  template class IntegralOperator<1>;
  template class IntegralOperator<2>;
  template class IntegralOperator<3>;
} // namespace Evergreen
