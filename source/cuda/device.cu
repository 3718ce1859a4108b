#include "device.cuh"
#include "module.h"

#include <evergreen/base/error.h>

#include <type_traits>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      std::string
      remedy(const cudaError_t status)
      {
        if (status == cudaErrorMemoryAllocation)
          return "Lower 'Memory' in section 'Compute', close other programs on "
                 "the device, or choose 'Backend' = cpu.";
        return "Look after the device (nvidia-smi), and continue with "
               "--resume, with 'Backend' = cpu if it does not recover.";
      }


      cublasOperation_t
      operation(const char op)
      {
        return op == 'T' ? CUBLAS_OP_T : CUBLAS_OP_N;
      }


      /** The product in either precision. */
      template <typename Number, typename... Arguments>
      void
      multiply(Arguments... arguments)
      {
        if constexpr (std::is_same<Number, float>::value)
          check(cublasSgemm(arguments...), "cublasSgemm");
        else
          check(cublasDgemm(arguments...), "cublasDgemm");
      }
    } // namespace


    void
    check(const cudaError_t status, const std::string &call)
    {
      if (status == cudaSuccess)
        return;
      // Errors of the runtime stay until they are asked for.
      cudaGetLastError();
      throw Error("The CUDA call ",
                  call,
                  " failed: ",
                  cudaGetErrorString(status),
                  ". ",
                  remedy(status));
    }


    void
    check(const cublasStatus_t status, const std::string &call)
    {
      if (status == CUBLAS_STATUS_SUCCESS)
        return;
      throw Error("The cuBLAS call ",
                  call,
                  " failed: ",
                  cublasGetStatusString(status),
                  ". ",
                  remedy(status == CUBLAS_STATUS_ALLOC_FAILED
                           ? cudaErrorMemoryAllocation
                           : cudaErrorUnknown));
    }


    Device::Device()
    {
      int n_devices = 0;
      check(cudaGetDeviceCount(&n_devices), "cudaGetDeviceCount");
      number = device_number(n_devices);
      make_current();
      check(cudaStreamCreate(&stream), "cudaStreamCreate");
      const cublasStatus_t status = cublasCreate(&blas);
      if (status != CUBLAS_STATUS_SUCCESS)
        cudaStreamDestroy(stream);
      check(status, "cublasCreate");
      check(cublasSetStream(blas, stream), "cublasSetStream");
    }


    Device::~Device()
    {
      cublasDestroy(blas);
      cudaStreamDestroy(stream);
    }


    void
    Device::make_current() const
    {
      check(cudaSetDevice(number), "cudaSetDevice");
    }


    void
    Device::synchronise() const
    {
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    }


    std::size_t
    Device::free_memory() const
    {
      std::size_t free = 0, total = 0;
      check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
      return free;
    }


    template <typename Number>
    void
    Device::gemm(const char                     op_a,
                 const char                     op_b,
                 const MatrixView<const Number> a,
                 const MatrixView<const Number> b,
                 const MatrixView<Number>       c,
                 const bool                     tensor) const
    {
      const auto as_int = [](const std::size_t n) {
        return static_cast<int>(n);
      };
      const Number one = 1, zero = 0;
      if (std::is_same<Number, float>::value)
        check(cublasSetMathMode(blas,
                                tensor ? CUBLAS_TF32_TENSOR_OP_MATH
                                       : CUBLAS_PEDANTIC_MATH),
              "cublasSetMathMode");
      multiply<Number>(blas,
                       operation(op_a),
                       operation(op_b),
                       as_int(c.n_rows),
                       as_int(c.n_columns),
                       as_int(op_a == 'N' ? a.n_columns : a.n_rows),
                       &one,
                       a.data,
                       as_int(a.ld),
                       b.data,
                       as_int(b.ld),
                       &zero,
                       c.data,
                       as_int(c.ld));
    }


    template void
    Device::gemm(char,
                 char,
                 MatrixView<const double>,
                 MatrixView<const double>,
                 MatrixView<double>,
                 bool) const;
    template void
    Device::gemm(char,
                 char,
                 MatrixView<const float>,
                 MatrixView<const float>,
                 MatrixView<float>,
                 bool) const;


    void
    Device::copy(void                *to,
                 const void          *from,
                 const std::size_t    bytes,
                 const cudaMemcpyKind direction) const
    {
      if (bytes == 0)
        return;
      check(cudaMemcpyAsync(to, from, bytes, direction, stream),
            direction == cudaMemcpyHostToDevice
              ? "cudaMemcpyAsync (to the device)"
              : "cudaMemcpyAsync (from the device)");
      // The host's array may be gone after the return.
      synchronise();
    }


    void
    Device::set_zero(void *to, const std::size_t bytes) const
    {
      if (bytes > 0)
        check(cudaMemsetAsync(to, 0, bytes, stream), "cudaMemsetAsync");
    }


    void *
    allocate(const std::size_t bytes)
    {
      if (bytes == 0)
        return nullptr;
      void *memory = nullptr;
      check(cudaMalloc(&memory, bytes),
            text("cudaMalloc (of ", (bytes >> 20) + 1, " MiB)"));
      return memory;
    }


    void
    release(void *memory)
    {
      if (memory != nullptr)
        cudaFree(memory);
    }
  } // namespace Cuda
} // namespace Evergreen
