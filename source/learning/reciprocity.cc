#include "reciprocity.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/linear_solver.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // Slices are worked on so many at a time.
    constexpr std::size_t n_slices_at_a_time = 256;


    /** Divides columns of local nodal values by the mass matrix. */
    template <int dim>
    class MassSolver
    {
    public:
      explicit MassSolver(const Space<dim> &space)
      {
        solver.initialize(space.mass_matrix(),
                          LinearSolver::Method::automatic,
                          true);
      }

      std::vector<double>
      solve(const std::vector<double> &columns, const std::size_t n) const
      {
        std::vector<double> result(columns.size());
        const auto failures = solver.solve(columns.data(), result.data(), n);
        if (!failures.empty())
          throw Error("The mass matrix could not be solved with: ",
                      failures.front().reason);
        return result;
      }

    private:
      LinearSolver solver;
    };


    /** \f$G=KM^{-1}\f$ at the response nodes, row by row. Collective. */
    template <int dim>
    std::vector<double>
    nodal_values(const LearnedKernel   &kernel,
                 const Space<dim>      &space,
                 const DistributedRule &rule)
    {
      const std::size_t     n = kernel.response.size();
      const KernelMatrix    matrix(kernel, rule);
      const MassSolver<dim> mass(space);
      const auto            slice_of_node = kernel.slice_of_node();
      std::vector<double>   result(n * n, 0.);
      for (std::size_t first = 0; first < n; first += n_slices_at_a_time)
        {
          std::vector<std::size_t> slices(
            std::min(n_slices_at_a_time, n - first));
          std::iota(slices.begin(), slices.end(), first);
          const auto columns = space.sums_at_nodes(rule.nodes,
                                                   matrix.rows(slices).data(),
                                                   slices.size());
          const auto values  = mass.solve(columns, slices.size());
          for (std::size_t i = 0; i < slices.size(); ++i)
            for (std::size_t k = 0; k < space.n_local_nodes(); ++k)
              if (const auto t = slice_of_node[space.local_nodes()[k]]; t >= 0)
                result[slices[i] * n + t] =
                  values[i * space.n_local_nodes() + k];
        }
      Collective::sum(space.communicator(), result.data(), result.size());
      return result;
    }
  } // namespace


  template <int dim>
  std::vector<double>
  boundary_functionals(const Space<dim>          &space,
                       const std::vector<double> &node_weights)
  {
    const auto         &boundary = space.mesh_data().boundary;
    const auto         &local    = space.local_nodes();
    std::vector<double> columns(boundary.size() * local.size(), 0.);
    for (std::size_t i = 0; i < boundary.size(); ++i)
      for (std::size_t k = 0; k < local.size(); ++k)
        if (local[k] == boundary[i])
          columns[i * local.size() + k] = std::sqrt(node_weights[local[k]]);
    columns = MassSolver<dim>(space).solve(columns, boundary.size());
    std::vector<double> result(boundary.size() * space.n_nodes(), 0.);
    for (std::size_t i = 0; i < boundary.size(); ++i)
      for (std::size_t k = 0; k < local.size(); ++k)
        result[i * space.n_nodes() + local[k]] = columns[i * local.size() + k];
    Collective::sum(space.communicator(), result.data(), result.size());
    return result;
  }


  template <int dim>
  void
  symmetrise(LearnedKernel             &kernel,
             const Space<dim>          &space,
             const DistributedRule     &rule,
             const std::vector<double> &node_weights)
  {
    const std::size_t n     = kernel.response.size();
    const auto        nodal = nodal_values(kernel, space, rule);
    const auto        value = [&](const std::size_t s, const std::size_t t) {
      return nodal[s * n + t];
    };

    std::vector<double> trust(n, 0.);
    for (std::size_t t = 0; t < n; ++t)
      {
        for (std::size_t s = 0; s < n; ++s)
          trust[t] += node_weights[kernel.response[s]] *
                      std::pow(value(s, t) - value(t, s), 2);
        trust[t] = 1. / std::max(trust[t], std::numeric_limits<double>::min());
      }

    std::vector<double> table;
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t t = 0; t <= s; ++t)
        {
          const double share = trust[t] / (trust[t] + trust[s]);
          table.push_back(share * value(s, t) + (1. - share) * value(t, s));
        }
    kernel.table.emplace(std::move(table));
  }


#define INSTANTIATE(dim)                                                       \
  template std::vector<double> boundary_functionals(                           \
    const Space<dim> &, const std::vector<double> &);                          \
  template void symmetrise(LearnedKernel &,                                    \
                           const Space<dim> &,                                 \
                           const DistributedRule &,                            \
                           const std::vector<double> &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
