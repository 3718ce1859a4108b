// A stand-in for the part of cuBLAS that Evergreen uses, mapped to the BLAS of
// the processor. Products in TF32 round their factors as the device does.

#ifndef evergreen_tests_cublas_v2_h
#define evergreen_tests_cublas_v2_h

#include <cuda_runtime.h>

struct cublasContextOfEmulation;
using cublasHandle_t = cublasContextOfEmulation *;

enum cublasStatus_t
{
  CUBLAS_STATUS_SUCCESS          = 0,
  CUBLAS_STATUS_ALLOC_FAILED     = 3,
  CUBLAS_STATUS_EXECUTION_FAILED = 13
};

enum cublasOperation_t
{
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1
};

enum cublasMath_t
{
  CUBLAS_PEDANTIC_MATH       = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};

const char *
cublasGetStatusString(cublasStatus_t status);
cublasStatus_t
cublasCreate(cublasHandle_t *handle);
cublasStatus_t
cublasDestroy(cublasHandle_t handle);
cublasStatus_t
cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t
cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t
cublasDgemm(cublasHandle_t    handle,
            cublasOperation_t op_a,
            cublasOperation_t op_b,
            int               n_rows,
            int               n_columns,
            int               n_inner,
            const double     *alpha,
            const double     *a,
            int               lda,
            const double     *b,
            int               ldb,
            const double     *beta,
            double           *c,
            int               ldc);
cublasStatus_t
cublasSgemm(cublasHandle_t    handle,
            cublasOperation_t op_a,
            cublasOperation_t op_b,
            int               n_rows,
            int               n_columns,
            int               n_inner,
            const float      *alpha,
            const float      *a,
            int               lda,
            const float      *b,
            int               ldb,
            const float      *beta,
            float            *c,
            int               ldc);

#endif
