// Large uninitialised arrays.

#ifndef evergreen_greedy_buffer_h
#define evergreen_greedy_buffer_h

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef __linux__
#  include <sys/mman.h>
#endif

namespace Evergreen
{
  /**
   * An array of numbers without initial values, in large pages where the
   * system has them: first contact with gigabytes in small pages costs as
   * much as the arithmetic on them.
   */
  template <typename Number>
  class Buffer
  {
  public:
    Buffer() = default;

    Buffer(const Buffer &) = delete;

    Buffer &
    operator=(const Buffer &) = delete;

    ~Buffer()
    {
      std::free(numbers);
    }

    /** Makes room for @p n numbers; the old contents are lost. */
    void
    resize(const std::size_t n)
    {
      if (n == count)
        return;
      std::free(numbers);
      numbers = nullptr;
      count   = 0;
      if (n == 0)
        return;
      const std::size_t page  = std::size_t(1) << 21;
      const std::size_t bytes = (n * sizeof(Number) + page - 1) / page * page;
      numbers = static_cast<Number *>(std::aligned_alloc(page, bytes));
      if (numbers == nullptr)
        throw std::bad_alloc();
#ifdef __linux__
      madvise(numbers, bytes, MADV_HUGEPAGE);
#endif
      count = n;
    }

    /** The first number. */
    Number *
    data() const
    {
      return numbers;
    }

    /** The number of numbers. */
    std::size_t
    size() const
    {
      return count;
    }

  private:
    Number     *numbers = nullptr;
    std::size_t count   = 0;
  };
} // namespace Evergreen

#endif
