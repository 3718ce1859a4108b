// The emulated device itself: it must see the mistakes that it is made to see.

#include "emulation.h"

#include <gtest/gtest.h>

#include <vector>

// The shared memory of the emulated block.
namespace Evergreen
{
  namespace Cuda
  {
    extern double shared_memory[];
  }
} // namespace Evergreen

namespace
{
  using Evergreen::Cuda::shared_memory;

  cudaLaunchConfig_t
  configuration(const unsigned int n_blocks,
                const unsigned int n_threads,
                const std::size_t  n_shared)
  {
    cudaLaunchConfig_t config = {};
    config.gridDim            = dim3(n_blocks);
    config.blockDim           = dim3(n_threads);
    config.dynamicSmemBytes   = n_shared * sizeof(double);
    return config;
  }


  // Every thread gives a number to the next one.
  void
  pass_on(const bool with_barrier, double *result)
  {
    const unsigned int t = threadIdx.x;
    shared_memory[t]     = t + 1000. * blockIdx.x;
    if (with_barrier)
      __syncthreads();
    result[blockIdx.x * blockDim.x + t] = shared_memory[(t + 1) % blockDim.x];
  }


  void
  half_waits(const unsigned int limit)
  {
    if (threadIdx.x < limit)
      __syncthreads();
  }


  void
  different_barriers()
  {
    if (threadIdx.x < 32)
      __syncthreads();
    else
      __syncthreads();
  }


  void
  sum_of_warps(double *sums)
  {
    double value = threadIdx.x;
    for (unsigned int delta = 16; delta > 0; delta /= 2)
      value += __shfl_down_sync(0xffffffffu, value, delta);
    if (threadIdx.x % 32 == 0)
      sums[threadIdx.x / 32] = value;
  }


  void
  write_shared(const unsigned int place)
  {
    shared_memory[place] = 1;
  }


  std::vector<double>
  run_pass_on(const Emulation::Order order, const bool with_barrier)
  {
    Emulation::set_order(order, 7);
    std::vector<double> result(3 * 64);
    const auto          config = configuration(3, 64, 64);
    EXPECT_EQ(cudaLaunchKernelEx(&config, pass_on, with_barrier, &result[0]),
              cudaSuccess);
    return result;
  }


  // Runs a kernel that fails, and returns what is said about it.
  template <typename... Parameters>
  std::string
  fault_of(const std::size_t n_shared,
           void (*kernel)(Parameters...),
           const Parameters... parameters)
  {
    const auto config = configuration(1, 64, n_shared);
    EXPECT_EQ(cudaLaunchKernelEx(&config, kernel, parameters...), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
    const std::string fault = Emulation::last_fault();
    Emulation::heal();
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    return fault;
  }
} // namespace


TEST(Emulation, BarriersMakeOrdersEqual)
{
  const auto forward = run_pass_on(Emulation::Order::forward, true);
  EXPECT_EQ(forward[0], 1.);
  EXPECT_EQ(forward[63], 0.);
  EXPECT_EQ(forward[64 + 5], 1006.);
  EXPECT_EQ(forward, run_pass_on(Emulation::Order::reverse, true));
  EXPECT_EQ(forward, run_pass_on(Emulation::Order::random, true));
}


TEST(Emulation, AMissingBarrierIsSeen)
{
  const auto right = run_pass_on(Emulation::Order::forward, true);
  EXPECT_NE(right, run_pass_on(Emulation::Order::forward, false));
  EXPECT_NE(right, run_pass_on(Emulation::Order::reverse, false));
  EXPECT_NE(right, run_pass_on(Emulation::Order::random, false));
  Emulation::set_order(Emulation::Order::forward);
}


TEST(Emulation, DivergentBarriersAreReported)
{
  EXPECT_NE(fault_of(0, half_waits, 40u).find("wait for ever"),
            std::string::npos);
  EXPECT_NE(fault_of(0, different_barriers).find("wait for ever"),
            std::string::npos);
}


TEST(Emulation, ShufflesExchangeNumbers)
{
  double     sums[2] = {};
  const auto config  = configuration(1, 64, 0);
  EXPECT_EQ(cudaLaunchKernelEx(&config, sum_of_warps, &sums[0]), cudaSuccess);
  EXPECT_EQ(sums[0], 31. * 16);
  EXPECT_EQ(sums[1], 31. * 16 + 32 * 32);
}


TEST(Emulation, SharedMemoryHasItsSize)
{
  const auto config = configuration(1, 64, 8);
  EXPECT_EQ(cudaLaunchKernelEx(&config, write_shared, 7u), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_NE(fault_of(8, write_shared, 8u).find("beyond its shared memory"),
            std::string::npos);
}


TEST(Emulation, CopiesStayInTheirArrays)
{
  double numbers[4] = {1, 2, 3, 4};
  void  *memory     = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, sizeof(numbers)), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(memory, numbers, 32, cudaMemcpyHostToDevice, {}),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(memory, numbers, 33, cudaMemcpyHostToDevice, {}),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(numbers, memory, 32, cudaMemcpyHostToDevice, {}),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
}
