// Why a greedy approximation ends.

#ifndef evergreen_greedy_stop_reason_h
#define evergreen_greedy_stop_reason_h

namespace Evergreen
{
  /** Why a greedy approximation ended. The numbers are written to files. */
  enum class StopReason : int
  {
    unfinished = 0,
    neurons    = 1,
    tolerance  = 2,
    rank       = 3,
    validation = 4
  };
} // namespace Evergreen

#endif
