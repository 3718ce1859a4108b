// Sharing the rows or columns of a block among threads. Internal.

#ifndef evergreen_surrogate_column_chunks_h
#define evergreen_surrogate_column_chunks_h

#include <evergreen/base/blas.h>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace Evergreen
{
  /**
   * Calls @p action with the first index and the number of indices of parts of
   * [0, n), a part for each thread, but none with less than @p smallest. BLAS
   * works on one thread meanwhile: unlike its own threads these do not wait for
   * each other at every product, which matters on a busy machine.
   */
  template <typename Action>
  void
  for_parts(const std::size_t n,
            const Action     &action,
            const std::size_t smallest = 32)
  {
    const std::size_t n_threads = tbb::this_task_arena::max_concurrency();
    const std::size_t part =
      std::max(smallest, (n + n_threads - 1) / n_threads);
    const Blas::SingleThread quiet_blas;
    tbb::parallel_for(std::size_t(0),
                      (n + part - 1) / part,
                      [&](const std::size_t i) {
                        action(i * part, std::min(part, n - i * part));
                      });
  }


  /**
   * The same for the columns of a block: at most @p largest at once, so that
   * they stay in the cache.
   */
  template <typename Action>
  void
  for_column_chunks(const std::size_t n,
                    const Action     &action,
                    const std::size_t largest = 64)
  {
    for_parts(
      n,
      [&](const std::size_t first, const std::size_t count) {
        for (std::size_t j = first; j < first + count; j += largest)
          action(j, std::min(largest, first + count - j));
      },
      8);
  }
} // namespace Evergreen

#endif
