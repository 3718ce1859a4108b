// Sums and extremes over the threads of a warp and of a block. Every thread of
// the block must call the block's functions, and gets the result.

#ifndef evergreen_cuda_reductions_cuh
#define evergreen_cuda_reductions_cuh

#include <cuda_runtime.h>

namespace Evergreen
{
  namespace Cuda
  {
    constexpr unsigned int warp_size = 32;
    constexpr unsigned int all_lanes = 0xffffffffu;

    /** Shared memory that the functions below need, for @p n numbers. */
    constexpr std::size_t
    reduction_bytes(const unsigned int n_threads, const unsigned int n)
    {
      return n_threads / warp_size * n * sizeof(double);
    }


    /** The block's shared memory. */
    __device__ inline double *
    shared_numbers()
    {
      extern __shared__ double shared_memory[];
      return shared_memory;
    }


    /** The sum over the warp, in its first lane. */
    __device__ inline double
    warp_sum(double value)
    {
      for (unsigned int delta = warp_size / 2; delta > 0; delta /= 2)
        value += __shfl_down_sync(all_lanes, value, delta);
      return value;
    }


    /** The sum over the warp, in all lanes. */
    __device__ inline double
    warp_sum_of_all(const double value)
    {
      return __shfl_sync(all_lanes, warp_sum(value), 0);
    }


    /** Sums of n numbers over the block, by @p scratch in shared memory. */
    template <int n>
    __device__ inline void
    block_sum(double (&values)[n], double *scratch)
    {
      const unsigned int lane = threadIdx.x % warp_size;
      const unsigned int warp = threadIdx.x / warp_size;
#pragma unroll
      for (int i = 0; i < n; ++i)
        {
          const double sum = warp_sum(values[i]);
          if (lane == 0)
            scratch[warp * n + i] = sum;
        }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < n; ++i)
        {
          values[i] = 0;
          for (unsigned int w = 0; w < blockDim.x / warp_size; ++w)
            values[i] += scratch[w * n + i];
        }
      // Nobody writes the next sums before all have read these.
      __syncthreads();
    }


    /** The largest of numbers that are not negative. */
    __device__ inline double
    block_maximum(double value, double *scratch)
    {
      for (unsigned int delta = warp_size / 2; delta > 0; delta /= 2)
        value = fmax(value, __shfl_down_sync(all_lanes, value, delta));
      if (threadIdx.x % warp_size == 0)
        scratch[threadIdx.x / warp_size] = value;
      __syncthreads();
      double result = 0;
      for (unsigned int w = 0; w < blockDim.x / warp_size; ++w)
        result = fmax(result, scratch[w]);
      __syncthreads();
      return result;
    }


    /** The smallest of numbers, each at most @p limit. */
    __device__ inline unsigned int
    block_minimum(unsigned int value, const unsigned int limit, double *scratch)
    {
      for (unsigned int delta = warp_size / 2; delta > 0; delta /= 2)
        {
          const unsigned int other = __shfl_down_sync(all_lanes, value, delta);
          value                    = other < value ? other : value;
        }
      if (threadIdx.x % warp_size == 0)
        scratch[threadIdx.x / warp_size] = value;
      __syncthreads();
      unsigned int result = limit;
      for (unsigned int w = 0; w < blockDim.x / warp_size; ++w)
        {
          const auto other = static_cast<unsigned int>(scratch[w]);
          result           = other < result ? other : result;
        }
      __syncthreads();
      return result;
    }
  } // namespace Cuda
} // namespace Evergreen

#endif
