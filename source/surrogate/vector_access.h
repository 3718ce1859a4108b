// The local entries of deal.II's vectors as plain arrays. Internal.

#ifndef evergreen_surrogate_vector_access_h
#define evergreen_surrogate_vector_access_h

#include <evergreen/base/error.h>
#include <evergreen/surrogate/node_map.h>

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>

#include <algorithm>

namespace Evergreen
{
  namespace VectorAccess
  {
    template <int dim, typename Vector>
    void
    check_size(const NodeMap<dim> &nodes, const Vector &vector)
    {
      if (vector.size() != nodes.n_dofs())
        throw Error("The vector has ",
                    vector.size(),
                    " entries, but the kernel's mesh has ",
                    nodes.n_dofs(),
                    " nodes.");
    }


    /** Every rank has all of a serial vector, and its part of others. */
    template <int dim>
    std::size_t
    offset(const NodeMap<dim> &nodes, const dealii::Vector<double> &)
    {
      return nodes.n_local() == 0
               ? 0
               : nodes.locally_owned_dofs().nth_index_in_set(0);
    }
    template <int dim, typename Vector>
    std::size_t
    offset(const NodeMap<dim> &, const Vector &)
    {
      return 0;
    }


    /** A pointer to the locally owned entries. */
    template <int dim, typename Vector>
    const double *
    local_values(const NodeMap<dim> &nodes, const Vector &vector)
    {
      check_size(nodes, vector);
      return &*vector.begin() + offset(nodes, vector);
    }


    /** Makes all entries of a vector known wherever it keeps them. */
    template <int dim>
    void
    assign(const NodeMap<dim>        &nodes,
           const std::vector<double> &local,
           dealii::Vector<double>    &vector)
    {
      if (nodes.is_distributed())
        {
          const auto all = nodes.gather(local.data(), 1);
          std::copy(all.begin(), all.end(), vector.begin());
        }
      else
        std::copy(local.begin(), local.end(), vector.begin());
    }
    template <int dim, typename Vector>
    void
    assign(const NodeMap<dim> &,
           const std::vector<double> &local,
           Vector                    &vector)
    {
      std::copy(local.begin(), local.end(), vector.begin());
    }
  } // namespace VectorAccess
} // namespace Evergreen

#endif
