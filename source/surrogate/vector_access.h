// The local entries of deal.II's vectors as plain arrays. Internal.

#ifndef evergreen_source_surrogate_vector_access_h
#define evergreen_source_surrogate_vector_access_h

#include <evergreen/base/error.h>
#include <evergreen/fem/space.h>

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <vector>

namespace Evergreen
{
  namespace VectorAccess
  {
    template <int dim, typename Vector>
    void
    check_size(const Space<dim> &space, const Vector &vector)
    {
      if (vector.size() != space.n_nodes())
        throw Error("The vector has ",
                    vector.size(),
                    " entries, but the kernel's mesh has ",
                    space.n_nodes(),
                    " nodes.");
    }


    /** Every rank has all of a serial vector, and its part of others. */
    template <int dim>
    std::size_t
    offset(const Space<dim> &space, const dealii::Vector<double> &)
    {
      return space.n_local_nodes() == 0
               ? 0
               : space.locally_owned_dofs().nth_index_in_set(0);
    }


    template <int dim, typename Vector>
    std::size_t
    offset(const Space<dim> &, const Vector &)
    {
      return 0;
    }


    /** A pointer to the locally owned entries. */
    template <int dim, typename Vector>
    const double *
    local_values(const Space<dim> &space, const Vector &vector)
    {
      check_size(space, vector);
      return &*vector.begin() + offset(space, vector);
    }


    /** Makes all entries of a vector known wherever it keeps them. */
    template <int dim>
    void
    assign(const Space<dim>          &space,
           const std::vector<double> &local,
           dealii::Vector<double>    &vector)
    {
      const auto all = space.values_of_all(local.data());
      std::copy(all.begin(), all.end(), vector.begin());
    }


    template <int dim, typename Vector>
    void
    assign(const Space<dim> &, const std::vector<double> &local, Vector &vector)
    {
      std::copy(local.begin(), local.end(), vector.begin());
    }
  } // namespace VectorAccess
} // namespace Evergreen

#endif
