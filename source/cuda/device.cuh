// The device as the rest of the module sees it: every call checked, memory
// that frees itself, launches and matrix products on one stream.

#ifndef evergreen_cuda_device_cuh
#define evergreen_cuda_device_cuh

#include <evergreen/base/matrix_view.h>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * Throws an Error that names the call, the runtime's reason and a remedy
     * unless the status is success. Errors of kernels appear in the first call
     * after them that waits.
     */
    void
    check(cudaError_t status, const std::string &call);

    /** The same for cuBLAS. */
    void
    check(cublasStatus_t status, const std::string &call);


    /**
     * A stream and a cuBLAS handle on the device of this process. Ranks of one
     * machine share its devices evenly.
     */
    class Device
    {
    public:
      Device();
      ~Device();
      Device(const Device &) = delete;
      Device &
      operator=(const Device &) = delete;

      /** Makes the device the calling thread's; to be called on entrance. */
      void
      make_current() const;

      /** Waits until all is done. */
      void
      synchronise() const;

      /** The bytes that are free on the device. */
      std::size_t
      free_memory() const;

      /**
       * C = op(A) op(B), see Blas::gemm(); in single precision with TF32
       * products if @p tensor.
       */
      template <typename Number>
      void
      gemm(char                     op_a,
           char                     op_b,
           MatrixView<const Number> a,
           MatrixView<const Number> b,
           MatrixView<Number>       c,
           bool                     tensor = false) const;

      /**
       * Launches a kernel of the given name on @p grid blocks of @p block
       * threads with @p shared_bytes of shared memory.
       */
      template <typename... Parameters, typename... Arguments>
      void
      launch(const char        *name,
             const dim3         grid,
             const unsigned int block,
             const std::size_t  shared_bytes,
             void (*kernel)(Parameters...),
             Arguments &&...arguments) const
      {
        cudaLaunchConfig_t config = {};
        config.gridDim            = grid;
        config.blockDim           = dim3(block, 1, 1);
        config.dynamicSmemBytes   = shared_bytes;
        config.stream             = stream;
        check(cudaLaunchKernelEx(&config,
                                 kernel,
                                 std::forward<Arguments>(arguments)...),
              std::string("cudaLaunchKernelEx (") + name + ")");
      }

      /** Copies @p n numbers to the device and waits. */
      template <typename Number>
      void
      upload(Number *to, const Number *from, const std::size_t n) const
      {
        copy(to, from, n * sizeof(Number), cudaMemcpyHostToDevice);
      }

      /** Copies @p n numbers from the device and waits. */
      template <typename Number>
      void
      download(Number *to, const Number *from, const std::size_t n) const
      {
        copy(to, from, n * sizeof(Number), cudaMemcpyDeviceToHost);
      }

      /** The same, of numbers that get a vector of their own. */
      template <typename Number>
      std::vector<Number>
      download(const Number *from, const std::size_t n) const
      {
        std::vector<Number> values(n);
        download(values.data(), from, n);
        return values;
      }

      /** Sets bytes on the device to zero. */
      void
      set_zero(void *to, std::size_t bytes) const;

    private:
      void
      copy(void          *to,
           const void    *from,
           std::size_t    bytes,
           cudaMemcpyKind direction) const;

      int            number = 0;
      cudaStream_t   stream = nullptr;
      cublasHandle_t blas   = nullptr;
    };


    /** The bytes behind arrays: allocation with a clear error. */
    void *
    allocate(std::size_t bytes);

    /** Gives them back. */
    void
    release(void *memory);


    /** An array of plain numbers on the device. */
    template <typename Number>
    class DeviceArray
    {
    public:
      DeviceArray() = default;

      DeviceArray(const DeviceArray &) = delete;

      DeviceArray &
      operator=(const DeviceArray &) = delete;

      ~DeviceArray()
      {
        release(numbers);
      }

      /** Makes room for @p n numbers; grows only, the contents are lost. */
      void
      resize(const std::size_t n)
      {
        if (n <= count)
          return;
        release(numbers);
        numbers = nullptr;
        count   = 0;
        numbers = static_cast<Number *>(allocate(n * sizeof(Number)));
        count   = n;
      }

      /** Makes it a copy of a vector. */
      void
      assign(const Device &device, const std::vector<Number> &values)
      {
        resize(values.size());
        device.upload(numbers, values.data(), values.size());
      }

      /** The address on the device. */
      Number *
      data() const
      {
        return numbers;
      }

    private:
      Number     *numbers = nullptr;
      std::size_t count   = 0;
    };


    /**
     * The blocks of a kernel that should fit on a multiprocessor at least: with
     * 128 threads each they leave 128 registers to a thread, which is enough
     * for all kernels.
     */
    constexpr unsigned int min_blocks = 4;

    /** How many blocks of @p size cover @p n. */
    constexpr unsigned int
    n_blocks(const std::size_t n, const std::size_t size)
    {
      return static_cast<unsigned int>((n + size - 1) / size);
    }
  } // namespace Cuda
} // namespace Evergreen

#endif
