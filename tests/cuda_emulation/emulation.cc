#include "emulation.h"
#include "fibres.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace
{
  constexpr std::size_t max_shared_bytes = 48 << 10;
} // namespace

namespace Evergreen
{
  namespace Cuda
  {
    // The shared memory of the running block.
    extern double shared_memory[];
    alignas(64) double shared_memory[max_shared_bytes / sizeof(double)];
  } // namespace Cuda
} // namespace Evergreen

namespace Emulation
{
  namespace
  {
    constexpr unsigned int warp_size  = 32;
    constexpr int          poison     = 0xff; // not a number
    constexpr std::size_t  all_memory = std::size_t(16) << 30;

    // Behind every allocation, to see writes beyond it; the address sanitizer
    // sees more by itself.
#if defined(__SANITIZE_ADDRESS__)
    constexpr std::size_t guard_bytes = 0;
#else
    constexpr std::size_t guard_bytes = 512;
#endif

    /** A failure that is to happen. */
    struct Failure
    {
      std::string name;
      std::size_t calls_left = 0;
      cudaError_t error      = cudaSuccess;
      bool        lost       = false;
    };

    std::recursive_mutex mutex;

    Order        thread_order = Order::forward;
    std::mt19937 generator;

    Failure                             failure;
    cudaError_t                         lost_error    = cudaSuccess;
    cudaError_t                         pending_error = cudaSuccess;
    std::size_t                         memory_limit  = all_memory;
    std::size_t                         memory_used   = 0;
    std::map<const char *, std::size_t> allocations;
    Counts                              current_counts;
    std::string                         fault;


    /** Why a thread does not run. */
    enum class Wait
    {
      nothing,
      block,
      warp
    };


    /** A thread of the running block. */
    struct Thread
    {
      Fibre         fibre;
      Wait          wait        = Wait::nothing;
      int           line        = 0;
      unsigned int  n_exchanges = 0;
      std::uint64_t bits[2]     = {};
    };

    std::vector<std::unique_ptr<Thread>> threads;
    Thread                              *current = nullptr;

    // What the lanes of a warp brought to the last two exchanges.
    std::vector<std::uint64_t> lanes[2];


    /** A range of numbers in the wanted order. */
    std::vector<unsigned int>
    ordered(const unsigned int n)
    {
      std::vector<unsigned int> result(n);
      std::iota(result.begin(), result.end(), 0u);
      if (thread_order == Order::reverse)
        std::reverse(result.begin(), result.end());
      else if (thread_order == Order::random)
        std::shuffle(result.begin(), result.end(), generator);
      return result;
    }


    /** Whether all threads in [begin, end) wait for the same. */
    bool
    all_wait(const unsigned int begin, const unsigned int end, const Wait wait)
    {
      for (unsigned int t = begin; t < end; ++t)
        if (threads[t]->fibre.finished() || threads[t]->wait != wait ||
            threads[t]->line != threads[begin]->line)
          return false;
      return true;
    }


    void
    release(const unsigned int begin, const unsigned int end)
    {
      for (unsigned int t = begin; t < end; ++t)
        threads[t]->wait = Wait::nothing;
    }


    /** Lets the threads [begin, end) run that can, in the wanted order. */
    void
    run_threads(const unsigned int begin, const unsigned int end)
    {
      for (const unsigned int i : ordered(end - begin))
        {
          Thread &thread = *threads[begin + i];
          if (!thread.fibre.finished() && thread.wait == Wait::nothing)
            {
              current   = &thread;
              threadIdx = dim3(begin + i, 0, 0);
              thread.fibre.resume();
            }
        }
    }


    /**
     * Lets all threads run, a warp as far as it comes before the next one: to
     * the barrier, and thus far ahead of the others, or, in random order, to
     * one of the exchanges before it. Returns whether a thread has moved on.
     */
    bool
    run_warps(const unsigned int n)
    {
      bool moved = false;
      for (const unsigned int warp : ordered((n + warp_size - 1) / warp_size))
        {
          const unsigned int begin = warp * warp_size;
          const unsigned int end   = std::min(begin + warp_size, n);
          run_threads(begin, end);
          while (all_wait(begin, end, Wait::warp))
            {
              release(begin, end);
              moved = true;
              if (thread_order == Order::random && generator() % 4 == 0)
                break;
              run_threads(begin, end);
            }
        }
      return moved;
    }


    /** Says who waits where; forgets the threads, which are stuck. */
    void
    report_divergence(const unsigned int n)
    {
      std::ostringstream out;
      out << "threads of block (" << blockIdx.x << ", " << blockIdx.y
          << ") wait for ever:";
      for (unsigned int t = 0; t < n; ++t)
        if (t == 0 || threads[t]->line != threads[t - 1]->line ||
            threads[t]->fibre.finished() != threads[t - 1]->fibre.finished())
          out << " from " << t << " on "
              << (threads[t]->fibre.finished() ? "the end, last" : "in")
              << " line " << threads[t]->line << ";";
      fault = out.str();
      threads.clear();
    }


    /** Whether all bytes are as they were poisoned. */
    bool
    is_untouched(const void *memory, const std::size_t bytes)
    {
      const auto *const begin = static_cast<const unsigned char *>(memory);
      return std::all_of(begin, begin + bytes, [](const unsigned char byte) {
        return byte == poison;
      });
    }


    bool
    run_block(const unsigned int           n,
              const std::size_t            shared_bytes,
              const std::function<void()> &body)
    {
      while (threads.size() < n)
        threads.push_back(std::make_unique<Thread>());
      for (unsigned int t = 0; t < n; ++t)
        {
          threads[t]->wait        = Wait::nothing;
          threads[t]->line        = 0;
          threads[t]->n_exchanges = 0;
          threads[t]->fibre.start(&body);
        }
      for (auto &numbers : lanes)
        numbers.assign((n + warp_size - 1) / warp_size * warp_size, 0);
      std::memset(Evergreen::Cuda::shared_memory, poison, max_shared_bytes);
      const auto finished = [](const std::unique_ptr<Thread> &thread) {
        return thread->fibre.finished();
      };
      for (;;)
        {
          const bool moved = run_warps(n);
          if (std::all_of(threads.begin(), threads.begin() + n, finished))
            break;
          if (all_wait(0, n, Wait::block))
            release(0, n);
          else if (!moved)
            {
              report_divergence(n);
              return false;
            }
        }
      const char *const shared =
        reinterpret_cast<const char *>(Evergreen::Cuda::shared_memory);
      if (!is_untouched(shared + shared_bytes, max_shared_bytes - shared_bytes))
        {
          fault = "a kernel wrote beyond its shared memory";
          return false;
        }
      return true;
    }


    /** The allocation that a range of bytes is in; nullptr if in none. */
    bool
    is_on_device(const void *memory, const std::size_t bytes)
    {
      const char *const begin = static_cast<const char *>(memory);
      auto              found = allocations.upper_bound(begin);
      if (found == allocations.begin())
        return false;
      --found;
      return begin + bytes <= found->first + found->second;
    }
  } // namespace


  void
  wait_for_block(const int line)
  {
    current->wait = Wait::block;
    current->line = line;
    Fibre::pause();
  }


  const std::uint64_t *
  exchange(const unsigned int mask, const std::uint64_t bits, const int line)
  {
    const unsigned int warp    = threadIdx.x / warp_size;
    const unsigned int parity  = current->n_exchanges++ % 2;
    lanes[parity][threadIdx.x] = bits;
    // All our kernels call with full warps.
    current->wait = mask == 0xffffffffu ? Wait::warp : Wait::block;
    current->line = line;
    Fibre::pause();
    return lanes[parity].data() + warp * warp_size;
  }


  cudaError_t
  run(const cudaLaunchConfig_t &config, const std::function<void()> &body)
  {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    ++current_counts.launches;
    if (const cudaError_t error = failure_of("cudaLaunchKernelEx"))
      return error;
    if (const cudaError_t error = failure_of("kernel"))
      {
        pending_error = error;
        return cudaSuccess;
      }
    const unsigned int n = config.blockDim.x;
    if (n == 0 || n > 1024 || config.blockDim.y * config.blockDim.z != 1 ||
        config.gridDim.x == 0 || config.gridDim.y == 0 ||
        config.gridDim.y > 65535 || config.dynamicSmemBytes > max_shared_bytes)
      return cudaErrorInvalidValue;

    blockDim                 = config.blockDim;
    gridDim                  = config.gridDim;
    const unsigned int total = gridDim.x * gridDim.y;
    for (const unsigned int block : ordered(total))
      {
        blockIdx = dim3(block % gridDim.x, block / gridDim.x, 0);
        if (!run_block(n, config.dynamicSmemBytes, body))
          {
            pending_error = cudaErrorLaunchFailure;
            break;
          }
      }
    return cudaSuccess;
  }


  void
  set_order(const Order order, const unsigned int seed)
  {
    thread_order = order;
    generator.seed(seed);
  }


  void
  set_memory(const std::size_t bytes)
  {
    memory_limit = bytes;
  }


  std::size_t
  allocated()
  {
    return memory_used;
  }


  void
  fail(const std::string &name,
       const std::size_t  n,
       const cudaError_t  error,
       const bool         lost)
  {
    failure = {name, n, error, lost};
  }


  void
  heal()
  {
    failure       = {};
    lost_error    = cudaSuccess;
    pending_error = cudaSuccess;
    memory_limit  = all_memory;
    fault.clear();
  }


  const Counts &
  counts()
  {
    return current_counts;
  }


  void
  reset_counts()
  {
    current_counts            = Counts();
    current_counts.peak_bytes = memory_used;
  }


  const std::string &
  last_fault()
  {
    return fault;
  }


  cudaError_t
  failure_of(const std::string &name)
  {
    if (lost_error != cudaSuccess)
      return lost_error;
    if (name != failure.name || failure.calls_left == 0 ||
        --failure.calls_left > 0)
      return cudaSuccess;
    if (failure.lost)
      lost_error = failure.error;
    return failure.error;
  }


  void
  count_product(const double flops)
  {
    ++current_counts.products;
    current_counts.product_flops += flops;
  }
} // namespace Emulation

using namespace Emulation;


const char *
cudaGetErrorString(const cudaError_t error)
{
  switch (error)
    {
      case cudaSuccess:
        return "no error";
      case cudaErrorInvalidValue:
        return "invalid argument";
      case cudaErrorMemoryAllocation:
        return "out of memory";
      case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
      case cudaErrorDevicesUnavailable:
        return "CUDA-capable device(s) is/are busy or unavailable";
      case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
      case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
      case cudaErrorLaunchFailure:
        return "unspecified launch failure";
      default:
        return "unknown error";
    }
}


cudaError_t
cudaGetLastError()
{
  return cudaSuccess;
}


cudaError_t
cudaDriverGetVersion(int *version)
{
  *version = 13000;
  return cudaSuccess;
}


cudaError_t
cudaRuntimeGetVersion(int *version)
{
  *version = 13000;
  return cudaSuccess;
}


cudaError_t
cudaGetDeviceCount(int *count)
{
  if (const cudaError_t error = failure_of("cudaGetDeviceCount"))
    return error;
  *count = 1;
  return cudaSuccess;
}


cudaError_t
cudaGetDevice(int *device)
{
  *device = 0;
  return failure_of("cudaGetDevice");
}


cudaError_t
cudaSetDevice(const int device)
{
  return device == 0 ? failure_of("cudaSetDevice") : cudaErrorInvalidValue;
}


cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
  *properties = {};
  std::strcpy(properties->name, "emulated device");
  properties->totalGlobalMem = memory_limit;
  properties->major          = 9;
  return failure_of("cudaGetDeviceProperties");
}


cudaError_t
cudaMemGetInfo(std::size_t *free, std::size_t *total)
{
  *total = memory_limit;
  *free  = memory_limit > memory_used ? memory_limit - memory_used : 0;
  return failure_of("cudaMemGetInfo");
}


cudaError_t
cudaMalloc(void **memory, const std::size_t bytes)
{
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (const cudaError_t error = failure_of("cudaMalloc"))
    return error;
  if (memory_used + bytes > memory_limit)
    return cudaErrorMemoryAllocation;
  char *const numbers = new char[bytes + guard_bytes];
  std::memset(numbers, poison, bytes + guard_bytes);
  allocations[numbers] = bytes;
  memory_used += bytes;
  ++current_counts.allocations;
  current_counts.peak_bytes = std::max(current_counts.peak_bytes, memory_used);
  *memory                   = numbers;
  return cudaSuccess;
}


cudaError_t
cudaFree(void *memory)
{
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  const auto found = allocations.find(static_cast<char *>(memory));
  if (found == allocations.end())
    return cudaErrorInvalidValue;
  if (!is_untouched(found->first + found->second, guard_bytes))
    fault = "a kernel wrote beyond an array on the device";
  memory_used -= found->second;
  allocations.erase(found);
  delete[] static_cast<char *>(memory);
  return cudaSuccess;
}


cudaError_t
cudaMemcpyAsync(void                *to,
                const void          *from,
                const std::size_t    bytes,
                const cudaMemcpyKind kind,
                cudaStream_t)
{
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (const cudaError_t error = failure_of("cudaMemcpyAsync"))
    return error;
  const bool up = kind == cudaMemcpyHostToDevice;
  if (!is_on_device(up ? to : from, bytes) ||
      is_on_device(up ? from : to, bytes))
    return cudaErrorInvalidValue;
  std::memcpy(to, from, bytes);
  ++(up ? current_counts.copies_to : current_counts.copies_from);
  (up ? current_counts.bytes_to : current_counts.bytes_from) += double(bytes);
  return cudaSuccess;
}


cudaError_t
cudaMemsetAsync(void             *to,
                const int         value,
                const std::size_t bytes,
                cudaStream_t)
{
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (const cudaError_t error = failure_of("cudaMemsetAsync"))
    return error;
  if (!is_on_device(to, bytes))
    return cudaErrorInvalidValue;
  std::memset(to, value, bytes);
  return cudaSuccess;
}


cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
  *stream = nullptr;
  return failure_of("cudaStreamCreate");
}


cudaError_t
cudaStreamDestroy(cudaStream_t)
{
  return cudaSuccess;
}


cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
  ++current_counts.synchronisations;
  if (pending_error != cudaSuccess)
    return pending_error;
  return failure_of("cudaStreamSynchronize");
}
