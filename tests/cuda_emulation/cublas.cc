#include "emulation.h"

#include <evergreen/base/blas.h>

#include <cublas_v2.h>

#include <vector>

struct cublasContextOfEmulation
{
  cublasMath_t mode = CUBLAS_PEDANTIC_MATH;
};

namespace
{
  char
  letter(const cublasOperation_t operation)
  {
    return operation == CUBLAS_OP_N ? 'N' : 'T';
  }


  /** Ten bits behind the leading one, to nearest. */
  float
  rounded(const float value)
  {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits = (bits + 0x1000u) & ~0x1fffu;
    float result;
    std::memcpy(&result, &bits, sizeof(result));
    return result;
  }


  std::vector<float>
  rounded_matrix(const float *a, const int n_rows, const int n_columns, int lda)
  {
    std::vector<float> result(std::size_t(lda) * n_columns);
    for (int j = 0; j < n_columns; ++j)
      for (int i = 0; i < n_rows; ++i)
        result[std::size_t(j) * lda + i] = rounded(a[std::size_t(j) * lda + i]);
    return result;
  }


  cublasStatus_t
  failure(const char *name)
  {
    return Emulation::failure_of(name) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
  }
} // namespace


const char *
cublasGetStatusString(const cublasStatus_t status)
{
  return status == CUBLAS_STATUS_ALLOC_FAILED
           ? "the resource allocation failed"
           : "the function failed to launch on the GPU";
}


cublasStatus_t
cublasCreate(cublasHandle_t *handle)
{
  if (Emulation::failure_of("cublasCreate") != cudaSuccess)
    return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = new cublasContextOfEmulation;
  return CUBLAS_STATUS_SUCCESS;
}


cublasStatus_t
cublasDestroy(const cublasHandle_t handle)
{
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}


cublasStatus_t
cublasSetStream(cublasHandle_t, cudaStream_t)
{
  return CUBLAS_STATUS_SUCCESS;
}


cublasStatus_t
cublasSetMathMode(const cublasHandle_t handle, const cublasMath_t mode)
{
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}


cublasStatus_t
cublasDgemm(cublasHandle_t,
            const cublasOperation_t op_a,
            const cublasOperation_t op_b,
            const int               n_rows,
            const int               n_columns,
            const int               n_inner,
            const double           *alpha,
            const double           *a,
            const int               lda,
            const double           *b,
            const int               ldb,
            const double           *beta,
            double                 *c,
            const int               ldc)
{
  if (const cublasStatus_t status = failure("cublasDgemm"))
    return status;
  Emulation::count_product(2. * n_rows * n_columns * n_inner);
  Evergreen::Blas::gemm(letter(op_a),
                        letter(op_b),
                        n_rows,
                        n_columns,
                        n_inner,
                        *alpha,
                        a,
                        lda,
                        b,
                        ldb,
                        *beta,
                        c,
                        ldc);
  return CUBLAS_STATUS_SUCCESS;
}


cublasStatus_t
cublasSgemm(const cublasHandle_t    handle,
            const cublasOperation_t op_a,
            const cublasOperation_t op_b,
            const int               n_rows,
            const int               n_columns,
            const int               n_inner,
            const float            *alpha,
            const float            *a,
            const int               lda,
            const float            *b,
            const int               ldb,
            const float            *beta,
            float                  *c,
            const int               ldc)
{
  if (const cublasStatus_t status = failure("cublasSgemm"))
    return status;
  Emulation::count_product(2. * n_rows * n_columns * n_inner);
  std::vector<float> a_rounded, b_rounded;
  if (handle->mode == CUBLAS_TF32_TENSOR_OP_MATH)
    {
      const bool n_a = op_a == CUBLAS_OP_N, n_b = op_b == CUBLAS_OP_N;
      a_rounded =
        rounded_matrix(a, n_a ? n_rows : n_inner, n_a ? n_inner : n_rows, lda);
      b_rounded = rounded_matrix(b,
                                 n_b ? n_inner : n_columns,
                                 n_b ? n_columns : n_inner,
                                 ldb);
      a         = a_rounded.data();
      b         = b_rounded.data();
    }
  Evergreen::Blas::gemm(letter(op_a),
                        letter(op_b),
                        n_rows,
                        n_columns,
                        n_inner,
                        *alpha,
                        a,
                        lda,
                        b,
                        ldb,
                        *beta,
                        c,
                        ldc);
  return CUBLAS_STATUS_SUCCESS;
}
