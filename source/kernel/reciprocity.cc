#include "reciprocity.h"

#include <evergreen/base/collective.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** The kernel's integrals, nodes x slices. */
    LAPACKFullMatrix<double>
    gather_actions(const LearnedKernel   &kernel,
                   const DistributedRule &rule,
                   const std::size_t      n_nodes,
                   const MPI_Comm         communicator)
    {
      const KernelMatrix       matrix(kernel, rule.rule, communicator);
      const std::size_t        n_slices = kernel.response.size();
      std::vector<double>      sums(n_nodes * n_slices, 0.);
      LAPACKFullMatrix<double> result(n_nodes, n_slices);
      for (std::size_t s = 0; s < n_slices; ++s)
        for (std::size_t k = 0; k < rule.nodes.size(); ++k)
          sums[s * n_nodes + rule.nodes[k]] += matrix.row(s)[k];
      Collective::sum(communicator, sums.data(), sums.size());
      for (std::size_t s = 0; s < n_slices; ++s)
        for (std::size_t k = 0; k < n_nodes; ++k)
          result(k, s) = sums[s * n_nodes + k];
      return result;
    }


    /** The mass matrix, from the shape functions' values in the rule. */
    LAPACKFullMatrix<double>
    gather_mass(const DistributedRule &rule,
                const std::size_t      n_nodes,
                const MPI_Comm         communicator)
    {
      const QuadratureRule &q = rule.rule;
      std::vector<double>   sums(n_nodes * n_nodes, 0.);
      for (std::size_t point = 0; point < q.n_points(); ++point)
        {
          const std::size_t begin  = q.column_starts[point];
          const std::size_t end    = q.column_starts[point + 1];
          double            weight = 0; // shape functions add up to one
          for (std::size_t k = begin; k < end; ++k)
            weight += q.values[k];
          for (std::size_t k = begin; k < end; ++k)
            for (std::size_t l = begin; l < end; ++l)
              sums[rule.nodes[q.rows[k]] * n_nodes + rule.nodes[q.rows[l]]] +=
                q.values[k] * q.values[l] / weight;
        }
      Collective::sum(communicator, sums.data(), sums.size());
      LAPACKFullMatrix<double> result(n_nodes, n_nodes);
      for (std::size_t k = 0; k < n_nodes; ++k)
        for (std::size_t l = 0; l < n_nodes; ++l)
          result(k, l) = sums[k * n_nodes + l];
      return result;
    }


    /** Multiplies the columns by the inverse of the mass matrix. */
    void
    divide_by_mass(const DistributedRule    &rule,
                   const MPI_Comm            communicator,
                   LAPACKFullMatrix<double> &columns)
    {
      auto mass = gather_mass(rule, columns.m(), communicator);
      mass.set_property(LAPACKSupport::symmetric);
      mass.compute_cholesky_factorization();
      mass.solve(columns);
    }
  } // namespace


  std::vector<double>
  boundary_functionals(const DistributedRule           &rule,
                       const std::vector<std::int64_t> &boundary,
                       const std::vector<double>       &node_weights,
                       const MPI_Comm                   communicator)
  {
    const std::size_t        n_nodes = node_weights.size();
    LAPACKFullMatrix<double> columns(n_nodes, boundary.size());
    for (std::size_t i = 0; i < boundary.size(); ++i)
      columns(boundary[i], i) = std::sqrt(node_weights[boundary[i]]);
    divide_by_mass(rule, communicator, columns);
    std::vector<double> result;
    for (std::size_t i = 0; i < boundary.size(); ++i)
      for (std::size_t k = 0; k < n_nodes; ++k)
        result.push_back(columns(k, i));
    return result;
  }


  void
  symmetrise(LearnedKernel             &kernel,
             const DistributedRule     &rule,
             const std::vector<double> &node_weights,
             const MPI_Comm             communicator)
  {
    const std::size_t n = kernel.response.size();
    auto              nodal =
      gather_actions(kernel, rule, node_weights.size(), communicator);
    divide_by_mass(rule, communicator, nodal);
    const auto value = [&](const std::size_t s, const std::size_t t) {
      return nodal(kernel.response[t], s);
    };

    std::vector<double> trust(n, 0.);
    for (std::size_t t = 0; t < n; ++t)
      {
        for (std::size_t s = 0; s < n; ++s)
          trust[t] += node_weights[kernel.response[s]] *
                      std::pow(value(s, t) - value(t, s), 2);
        trust[t] = 1. / std::max(trust[t], std::numeric_limits<double>::min());
      }

    kernel.table.assign(n * n, 0.);
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t t = 0; t <= s; ++t)
        {
          const double share      = trust[t] / (trust[t] + trust[s]);
          kernel.table[s * n + t] = kernel.table[t * n + s] =
            share * value(s, t) + (1. - share) * value(t, s);
        }
  }
} // namespace Evergreen
