#include "table_rows.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/combination.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <tbb/parallel_for.h>

#include <numeric>

namespace Evergreen
{
  namespace
  {
    /** Adds the values of an expansion at all points. */
    void
    add_values(const Expansion                   &expansion,
               const std::size_t                  n_points,
               const std::vector<const double *> &coordinates,
               double                            *values)
    {
      add_combination(expansion.atoms,
                      expansion.coefficients.data(),
                      expansion.coefficients.size(),
                      n_points,
                      coordinates.data(),
                      values);
    }


    /** Better quadrature near the centres of an expansion's radial atoms. */
    void
    add_near_field(const Expansion      &expansion,
                   const QuadratureRule &rule,
                   double               *row)
    {
      const AtomList &atoms = expansion.atoms;
      for (std::size_t i = 0; i < expansion.coefficients.size(); ++i)
        if (atom_form(atoms.kinds[i]) == AtomForm::centred)
          rule.near_field->correct(rule,
                                   radial_function(atoms.kinds[i]),
                                   atoms.biases[i],
                                   &atoms.weights[i * atoms.dim],
                                   row,
                                   1,
                                   expansion.coefficients[i]);
    }
  } // namespace


  std::vector<double>
  kernel_rows(const LearnedKernel            &kernel,
              const QuadratureRule           &rule,
              const std::vector<std::size_t> &slices)
  {
    const std::size_t   n_points    = rule.n_points();
    const auto          coordinates = coordinates_of(rule);
    const auto          pointers    = pointers_to(coordinates);
    std::vector<double> result(slices.size() * rule.n_rows, 0.);
    const TableRows     table(kernel, rule);
    tbb::parallel_for(std::size_t(0), slices.size(), [&](const std::size_t i) {
      std::vector<double> values(n_points, 0.);
      const Expansion     slice = kernel.slice(slices[i]);
      if (table.are_usable())
        table.evaluate(slices[i], 0, n_points, values.data());
      else
        add_values(slice, n_points, pointers, values.data());
      double *const row = result.data() + i * rule.n_rows;
      for (std::size_t q = 0; q < n_points; ++q)
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          row[rule.rows[k]] += rule.values[k] * values[q];
      if (rule.near_field && !table.are_usable())
        add_near_field(slice, rule, row);
    });
    return result;
  }


  std::vector<double>
  kernel_rows(const LearnedKernel  &kernel,
              const QuadratureRule &rule,
              const std::size_t     first,
              const std::size_t     last)
  {
    std::vector<std::size_t> slices(last - first);
    std::iota(slices.begin(), slices.end(), first);
    return kernel_rows(kernel, rule, slices);
  }


  KernelMatrix::KernelMatrix(const LearnedKernel  &kernel,
                             const QuadratureRule &rule,
                             const MPI_Comm        communicator)
    : communicator_(communicator)
    , n_slices_(kernel.response.size())
    , n_rows_(rule.n_rows)
    , matrix_(kernel_rows(kernel, rule, 0, n_slices_))
  {}


  std::vector<double>
  KernelMatrix::apply(const std::vector<double> &forcings,
                      const std::size_t          n_forcings) const
  {
    if (forcings.size() != n_forcings * n_rows_)
      throw Error("The kernel's mesh part has ",
                  n_rows_,
                  " nodes, but a forcing has ",
                  n_forcings == 0 ? 0 : forcings.size() / n_forcings,
                  " values.");
    std::vector<double> result(n_slices_ * n_forcings, 0.);
    if (n_rows_ > 0 && n_forcings > 0)
      Blas::gemm('T',
                 'N',
                 n_slices_,
                 n_forcings,
                 n_rows_,
                 1.,
                 matrix_.data(),
                 n_rows_,
                 forcings.data(),
                 n_rows_,
                 0.,
                 result.data(),
                 n_slices_);
    for (std::size_t j = 0; j < n_forcings; ++j)
      MPI_Allreduce(MPI_IN_PLACE,
                    &result[j * n_slices_],
                    static_cast<int>(n_slices_),
                    MPI_DOUBLE,
                    MPI_SUM,
                    communicator_);
    return result;
  }
} // namespace Evergreen
