// Sharing the columns of a block among threads. Internal.

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
   * Calls @p action with the first column and the number of columns of each
   * chunk of @p n, in parallel, with BLAS on one thread. Unlike BLAS's own
   * threads these do not wait for each other at every product, which matters
   * on a busy machine, and no two of them write to the same place.
   */
  template <typename Action>
  void
  for_column_chunks(const std::size_t n, const Action &action)
  {
    constexpr std::size_t smallest  = 16;
    const std::size_t     n_threads = tbb::this_task_arena::max_concurrency();
    const std::size_t     chunk =
      std::max(smallest, (n + n_threads - 1) / n_threads);
    const Blas::SingleThread quiet_blas;
    tbb::parallel_for(std::size_t(0),
                      (n + chunk - 1) / chunk,
                      [&](const std::size_t c) {
                        action(c * chunk, std::min(chunk, n - c * chunk));
                      });
  }
} // namespace Evergreen

#endif
