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

    /** The shared memory that the functions for blocks need. */
    constexpr std::size_t
    reduction_bytes(const unsigned int n_threads)
    {
      return n_threads / warp_size * 4 * sizeof(double);
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


    /**
     * The sums of four numbers over the warp at once: lane 8 i has the sum of
     * number i. In each of the first two steps a lane gives half of its numbers
     * to its partner and keeps the other half, so that six shuffles do what
     * twenty would do one number after the other.
     */
    __device__ inline double
    warp_sum_of_four(const double (&values)[4])
    {
      const bool   upper = (threadIdx.x & 16) != 0;
      const bool   odd   = (threadIdx.x & 8) != 0;
      const double first =
        (upper ? values[2] : values[0]) +
        __shfl_xor_sync(all_lanes, upper ? values[0] : values[2], 16);
      const double second =
        (upper ? values[3] : values[1]) +
        __shfl_xor_sync(all_lanes, upper ? values[1] : values[3], 16);
      double sum = (odd ? second : first) +
                   __shfl_xor_sync(all_lanes, odd ? first : second, 8);
      for (unsigned int delta = 4; delta > 0; delta /= 2)
        sum += __shfl_xor_sync(all_lanes, sum, delta);
      return sum;
    }


    /** The sums of four numbers over the block, by @p scratch. */
    __device__ inline void
    block_sum_of_four(double (&values)[4], double *scratch)
    {
      const double sum = warp_sum_of_four(values);
      if (threadIdx.x % 8 == 0)
        scratch[threadIdx.x / 8] = sum;
      __syncthreads();
#pragma unroll
      for (unsigned int i = 0; i < 4; ++i)
        {
          values[i] = 0;
          for (unsigned int w = 0; w < blockDim.x / warp_size; ++w)
            values[i] += scratch[4 * w + i];
        }
      // Nobody writes the next sums before all have read these.
      __syncthreads();
    }


    /**
     * A number of every thread, combined over the block by an operation for
     * which @p neutral changes nothing.
     */
    template <typename Operation>
    __device__ inline double
    block_reduce(double           value,
                 const double     neutral,
                 double          *scratch,
                 const Operation &combine)
    {
      for (unsigned int delta = warp_size / 2; delta > 0; delta /= 2)
        value = combine(value, __shfl_down_sync(all_lanes, value, delta));
      if (threadIdx.x % warp_size == 0)
        scratch[threadIdx.x / warp_size] = value;
      __syncthreads();
      double result = neutral;
      for (unsigned int w = 0; w < blockDim.x / warp_size; ++w)
        result = combine(result, scratch[w]);
      __syncthreads();
      return result;
    }


    /** The sum of one number over the block. */
    __device__ inline double
    block_sum(const double value, double *scratch)
    {
      return block_reduce(value, 0., scratch, [](double a, double b) {
        return a + b;
      });
    }


    /** The largest of numbers that are not negative. */
    __device__ inline double
    block_maximum(const double value, double *scratch)
    {
      return block_reduce(value, 0., scratch, [](double a, double b) {
        return fmax(a, b);
      });
    }


    /** The smallest of numbers, each at most @p limit. */
    __device__ inline unsigned int
    block_minimum(const unsigned int value,
                  const unsigned int limit,
                  double            *scratch)
    {
      return static_cast<unsigned int>(block_reduce(
        value, limit, scratch, [](double a, double b) { return fmin(a, b); }));
    }
  } // namespace Cuda
} // namespace Evergreen

#endif
