#include "reciprocity.h"

#include <evergreen/greedy/reductions.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <deal.II/lac/lapack_full_matrix.h>

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
  } // namespace


  std::vector<double>
  transposed_actions(const LearnedKernel   &kernel,
                     const DistributedRule &rule,
                     const std::size_t      n_nodes,
                     const MPI_Comm         communicator)
  {
    const std::size_t n_slices = kernel.response.size();
    auto nodal = gather_actions(kernel, rule, n_nodes, communicator);
    const LAPACKFullMatrix<double> mass =
      gather_mass(rule, n_nodes, communicator);
    LAPACKFullMatrix<double> factor = mass;
    factor.set_property(LAPACKSupport::symmetric);
    factor.compute_cholesky_factorization();
    factor.solve(nodal);

    // The slices' values at the response nodes, in columns as functions of the
    // first variable.
    LAPACKFullMatrix<double> transposed(n_nodes, n_slices);
    for (std::size_t s = 0; s < n_slices; ++s)
      for (std::size_t i = 0; i < n_slices; ++i)
        transposed(kernel.response[i], s) = nodal(kernel.response[s], i);
    LAPACKFullMatrix<double> product(n_nodes, n_slices);
    mass.mmult(product, transposed);

    std::vector<double> result(n_slices * n_nodes);
    for (std::size_t s = 0; s < n_slices; ++s)
      for (std::size_t k = 0; k < n_nodes; ++k)
        result[s * n_nodes + k] = product(k, s);
    return result;
  }
} // namespace Evergreen
