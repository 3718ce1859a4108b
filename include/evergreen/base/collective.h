// Errors under MPI: either all ranks go on, or all ranks throw the same error.

#ifndef evergreen_base_collective_h
#define evergreen_base_collective_h

#include <mpi.h>

#include <functional>
#include <string>

namespace Evergreen
{
  /**
   * Runs @p action on every rank of @p communicator and then agrees on its
   * outcome: if it threw on any rank, every rank throws the error of the
   * lowest such rank (a UsageError stays one). Nobody is left waiting.
   *
   * The action may communicate only if it cannot throw between its own
   * communications; use it around local work (reading files, checking input,
   * solving a local problem) before collective calls.
   */
  void
  collectively(const MPI_Comm               communicator,
               const std::function<void()> &action);

  /**
   * Turns any exception in flight into the one line that a user should see:
   * the message of an Error as it is, deal.II's exceptions without their
   * decoration. To be called inside a catch block.
   */
  std::string
  one_line_message();
} // namespace Evergreen

#endif
