#include "slice_evaluator.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <numeric>

namespace Evergreen
{
  std::vector<double>
  kernel_rows(const LearnedKernel            &kernel,
              const QuadratureRule           &rule,
              const std::vector<std::size_t> &slices)
  {
    std::vector<double>    result(slices.size() * rule.n_rows);
    const KernelStages     stages(kernel);
    SliceEvaluator::Wanted wanted;
    wanted.rows = result.data();
    SliceEvaluator(stages, rule).evaluate(slices, wanted);
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
