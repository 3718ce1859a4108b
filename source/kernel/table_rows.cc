#include "table_rows.h"

namespace Evergreen
{
  TableRows::TableRows(const LearnedKernel  &learned_kernel,
                       const QuadratureRule &quadrature_rule)
    : kernel(learned_kernel), rule(quadrature_rule)
  {
    if (!are_usable())
      return;
    std::vector<std::int64_t> slice_of_node(kernel.mesh.n_nodes(), -1);
    for (std::size_t s = 0; s < kernel.response.size(); ++s)
      slice_of_node[kernel.response[s]] = s;
    for (const std::size_t node : rule.nodes)
      slice_of_row.push_back(slice_of_node[node]);
  }


  bool
  TableRows::are_usable() const
  {
    return kernel.is_symmetrised() && !rule.nodes.empty();
  }


  void
  TableRows::evaluate(const std::size_t s,
                      const std::size_t begin,
                      const std::size_t n,
                      double           *values) const
  {
    const double *const row = &kernel.table[s * kernel.response.size()];
    for (std::size_t q = 0; q < n; ++q)
      {
        // The columns of B are w_q phi_k(y_q), and the phi_k add up to one.
        double value = 0, weight = 0;
        for (std::size_t k = rule.column_starts[begin + q];
             k < rule.column_starts[begin + q + 1];
             ++k)
          {
            const auto t = slice_of_row[rule.rows[k]];
            value += t < 0 ? 0. : rule.values[k] * row[t];
            weight += rule.values[k];
          }
        values[q] = value / weight;
      }
  }
} // namespace Evergreen
