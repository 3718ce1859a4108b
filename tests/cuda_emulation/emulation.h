// What tests can ask of the emulated device: the order of its threads, its
// memory, failures, and counts of what was done.

#ifndef evergreen_tests_emulation_h
#define evergreen_tests_emulation_h

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace Emulation
{
  /** In which order the threads of a block run between two barriers. */
  enum class Order
  {
    forward,
    reverse,
    random
  };

  /** Sets the order of threads, and that of blocks. */
  void
  set_order(Order order, unsigned int seed = 1);

  /** The memory of the device in bytes. */
  void
  set_memory(std::size_t bytes);

  /** The bytes that are allocated at present. */
  std::size_t
  allocated();

  /**
   * Lets the @p n th call of @p name from now on (1 is the next one) fail with
   * an error, and all later calls of any name as well if the device is @p lost.
   * The name "kernel" stands for a kernel that is launched and fails while it
   * runs, which the next call that waits reports.
   */
  void
  fail(const std::string &name, std::size_t n, cudaError_t error, bool lost);

  /** No failures any more, the device is there, its memory as at first. */
  void
  heal();

  /** What was done since reset_counts(). */
  struct Counts
  {
    std::size_t launches         = 0;
    std::size_t products         = 0; ///< calls of gemm
    double      product_flops    = 0;
    std::size_t copies_to        = 0;
    std::size_t copies_from      = 0;
    double      bytes_to         = 0;
    double      bytes_from       = 0;
    std::size_t allocations      = 0;
    std::size_t peak_bytes       = 0;
    std::size_t synchronisations = 0;
  };

  const Counts &
  counts();

  void
  reset_counts();

  /** What went wrong in the last kernel that failed by its own fault. */
  const std::string &
  last_fault();

  /** For the stand-ins: whether a call is to fail now, and with what. */
  cudaError_t
  failure_of(const std::string &name);

  /** For the stand-ins: counts a matrix product. */
  void
  count_product(double flops);
} // namespace Emulation

#endif
