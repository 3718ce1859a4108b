// A stand-in for CUDA's header with the part of the runtime that Evergreen
// uses, for tests on machines without a GPU: kernels are compiled by the C++
// compiler, and the threads of a block run one after the other as fibres. See
// emulation.h for what can be set and counted.

#ifndef evergreen_tests_cuda_runtime_h
#define evergreen_tests_cuda_runtime_h

#include <math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __shared__
#define __launch_bounds__(...)

// --- types -------------------------------------------------------------------
struct dim3
{
  unsigned int x, y, z;

  constexpr dim3(const unsigned int x = 1,
                 const unsigned int y = 1,
                 const unsigned int z = 1)
    : x(x), y(y), z(z)
  {}
};

enum cudaError_t
{
  cudaSuccess                 = 0,
  cudaErrorInvalidValue       = 1,
  cudaErrorMemoryAllocation   = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoDevice           = 100,
  cudaErrorIllegalAddress     = 700,
  cudaErrorLaunchFailure      = 719,
  cudaErrorUnknown            = 999
};

enum cudaMemcpyKind
{
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2
};

struct cudaStreamOfEmulation;
using cudaStream_t = cudaStreamOfEmulation *;

struct cudaLaunchConfig_t
{
  dim3         gridDim;
  dim3         blockDim;
  std::size_t  dynamicSmemBytes;
  cudaStream_t stream;
};

struct cudaDeviceProp
{
  char        name[256];
  std::size_t totalGlobalMem;
  int         major;
  int         minor;
};

// --- calls of the host -------------------------------------------------------
const char *
cudaGetErrorString(cudaError_t error);
cudaError_t
cudaGetLastError();
cudaError_t
cudaDriverGetVersion(int *version);
cudaError_t
cudaRuntimeGetVersion(int *version);
cudaError_t
cudaGetDeviceCount(int *count);
cudaError_t
cudaGetDevice(int *device);
cudaError_t
cudaSetDevice(int device);
cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t
cudaMemGetInfo(std::size_t *free, std::size_t *total);
cudaError_t
cudaMalloc(void **memory, std::size_t bytes);
cudaError_t
cudaFree(void *memory);
cudaError_t
cudaMemcpyAsync(void          *to,
                const void    *from,
                std::size_t    bytes,
                cudaMemcpyKind kind,
                cudaStream_t   stream);
cudaError_t
cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t
cudaStreamCreate(cudaStream_t *stream);
cudaError_t
cudaStreamDestroy(cudaStream_t stream);
cudaError_t
cudaStreamSynchronize(cudaStream_t stream);

namespace Emulation
{
  /** Runs all threads of a launch. */
  cudaError_t
  run(const cudaLaunchConfig_t &config, const std::function<void()> &thread);
} // namespace Emulation

template <typename... Parameters, typename... Arguments>
cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                   void (*kernel)(Parameters...),
                   Arguments &&...arguments)
{
  return [&](const Parameters... coerced) {
    return Emulation::run(*config, [&]() { kernel(coerced...); });
  }(std::forward<Arguments>(arguments)...);
}

// --- what kernels see --------------------------------------------------------
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace Emulation
{
  /** Waits for the block, or reports that not all its threads are there. */
  void
  wait_for_block(int line);

  /** The 64 bits that each lane of the warp has brought along. */
  const std::uint64_t *
  exchange(unsigned int mask, std::uint64_t bits, int line);

  template <typename Number>
  Number
  shuffle(const unsigned int mask,
          const Number       value,
          const unsigned int from,
          const int          line)
  {
    static_assert(sizeof(Number) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    const std::uint64_t *const all = exchange(mask, bits, line);
    Number                     result;
    std::memcpy(&result,
                &all[from < 32 ? from : threadIdx.x % 32],
                sizeof(result));
    return result;
  }
} // namespace Emulation

inline void
__syncthreads(const int line = __builtin_LINE())
{
  Emulation::wait_for_block(line);
}

template <typename Number>
Number
__shfl_down_sync(const unsigned int mask,
                 const Number       value,
                 const unsigned int delta,
                 const int          line = __builtin_LINE())
{
  return Emulation::shuffle(mask, value, threadIdx.x % 32 + delta, line);
}

template <typename Number>
Number
__shfl_sync(const unsigned int mask,
            const Number       value,
            const unsigned int lane,
            const int          line = __builtin_LINE())
{
  return Emulation::shuffle(mask, value, lane, line);
}

template <typename Number>
Number
__shfl_xor_sync(const unsigned int mask,
                const Number       value,
                const unsigned int bits,
                const int          line = __builtin_LINE())
{
  return Emulation::shuffle(mask, value, (threadIdx.x % 32) ^ bits, line);
}

inline unsigned int
atomicAdd(unsigned int *address, const unsigned int value)
{
  const unsigned int old = *address;
  *address += value;
  return old;
}

inline unsigned long long
atomicMax(unsigned long long *address, const unsigned long long value)
{
  const unsigned long long old = *address;
  *address                     = old > value ? old : value;
  return old;
}

inline long long
__double_as_longlong(const double value)
{
  long long bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline double
__longlong_as_double(const long long bits)
{
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

#endif
