#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/dictionary/combination.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <tbb/parallel_for.h>

#include <numeric>

namespace Evergreen
{
  namespace
  {
    /** The points of a rule, direction by direction. */
    std::vector<std::vector<double>>
    coordinates_of(const QuadratureRule &rule)
    {
      std::vector<std::vector<double>> coordinates(
        rule.dim, std::vector<double>(rule.n_points()));
      for (std::size_t q = 0; q < rule.n_points(); ++q)
        for (unsigned int d = 0; d < rule.dim; ++d)
          coordinates[d][q] = rule.points[q * rule.dim + d];
      return coordinates;
    }


    std::vector<const double *>
    pointers_to(const std::vector<std::vector<double>> &arrays)
    {
      std::vector<const double *> pointers;
      for (const auto &array : arrays)
        pointers.push_back(array.data());
      return pointers;
    }


    /** Adds the values of slice @p s at all points. */
    void
    add_slice(const LearnedKernel               &kernel,
              const std::size_t                  s,
              const std::size_t                  n_points,
              const std::vector<const double *> &coordinates,
              double                            *values)
    {
      const Expansion slice = kernel.slice(s);
      add_combination(slice.atoms,
                      slice.coefficients.data(),
                      slice.coefficients.size(),
                      n_points,
                      coordinates.data(),
                      values);
    }
  } // namespace


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
      add_slice(kernel, s, n_points, pointers, &values[(s - first) * n_points]);
    });
    return values;
  }


  std::vector<double>
  kernel_rows(const LearnedKernel            &kernel,
              const QuadratureRule           &rule,
              const std::vector<std::size_t> &slices)
  {
    const std::size_t   n_points    = rule.n_points();
    const auto          coordinates = coordinates_of(rule);
    const auto          pointers    = pointers_to(coordinates);
    std::vector<double> result(slices.size() * rule.n_rows, 0.);
    tbb::parallel_for(std::size_t(0), slices.size(), [&](const std::size_t i) {
      std::vector<double> values(n_points, 0.);
      add_slice(kernel, slices[i], n_points, pointers, values.data());
      double *const row = result.data() + i * rule.n_rows;
      for (std::size_t q = 0; q < n_points; ++q)
        for (std::size_t k = rule.column_starts[q];
             k < rule.column_starts[q + 1];
             ++k)
          row[rule.rows[k]] += rule.values[k] * values[q];
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
