#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/combination.h>
#include <evergreen/dictionary/near_field.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <tbb/parallel_for.h>

#include <algorithm>

namespace Evergreen
{
  std::vector<double>
  slice_values(const LearnedKernel  &kernel,
               const QuadratureRule &rule,
               const std::size_t     first,
               const std::size_t     last)
  {
    const std::size_t   n_points    = rule.n_points();
    const auto          coordinates = coordinates_of(rule);
    const auto          pointers    = pointers_to(coordinates);
    std::vector<double> values((last - first) * n_points, 0.);
    tbb::parallel_for(first, last, [&](const std::size_t s) {
      const Expansion slice = kernel.slice(s);
      add_combination(slice.atoms,
                      slice.coefficients.data(),
                      slice.coefficients.size(),
                      n_points,
                      pointers.data(),
                      values.data() + (s - first) * n_points);
    });
    return values;
  }


  namespace
  {
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


  KernelMatrix::KernelMatrix(const LearnedKernel  &kernel,
                             const QuadratureRule &rule,
                             const MPI_Comm        communicator)
    : communicator_(communicator)
    , n_slices_(kernel.response.size())
    , n_rows_(rule.n_rows)
    , matrix_(n_slices_ * n_rows_, 0.)
  {
    constexpr std::size_t block = 64;
    for (std::size_t first = 0; first < n_slices_; first += block)
      {
        const std::size_t last   = std::min(first + block, n_slices_);
        const auto        values = slice_values(kernel, rule, first, last);
        tbb::parallel_for(first, last, [&](const std::size_t s) {
          const double *const value = &values[(s - first) * rule.n_points()];
          double *const       row   = &matrix_[s * n_rows_];
          for (std::size_t q = 0; q < rule.n_points(); ++q)
            for (std::size_t k = rule.column_starts[q];
                 k < rule.column_starts[q + 1];
                 ++k)
              row[rule.rows[k]] += rule.values[k] * value[q];
          if (rule.near_field)
            add_near_field(kernel.slice(s), rule, row);
        });
      }
  }


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
