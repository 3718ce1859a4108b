// Work of all ranks: numbers that are summed or shared, and errors: either all
// ranks go on, or all throw the same one.

#ifndef evergreen_base_collective_h
#define evergreen_base_collective_h

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Sums, extremes and broadcasts of numbers over all ranks, in place unless
   * they return a value. Arrays may be longer than MPI's counts reach.
   */
  namespace Collective
  {
    /** Combines @p n numbers of all ranks by an operation of MPI. */
    void
    reduce(MPI_Comm comm, MPI_Op operation, double *values, std::size_t n);

    /** Gives all ranks the numbers of rank @p root, which are @p n. */
    void
    broadcast(MPI_Comm comm, int root, double *values, std::size_t n);

    /** Sums @p n numbers over the ranks. */
    inline void
    sum(const MPI_Comm comm, double *values, const std::size_t n)
    {
      reduce(comm, MPI_SUM, values, n);
    }

    /** Sums the numbers of an array over the ranks. */
    inline void
    sum(const MPI_Comm comm, std::vector<double> &values)
    {
      reduce(comm, MPI_SUM, values.data(), values.size());
    }

    /** The sum of one number over the ranks. */
    inline double
    sum(const MPI_Comm comm, double value)
    {
      reduce(comm, MPI_SUM, &value, 1);
      return value;
    }

    /** The smallest of one number over the ranks. */
    inline double
    minimum(const MPI_Comm comm, double value)
    {
      reduce(comm, MPI_MIN, &value, 1);
      return value;
    }

    /** The largest of one number over the ranks. */
    inline double
    maximum(const MPI_Comm comm, double value)
    {
      reduce(comm, MPI_MAX, &value, 1);
      return value;
    }

    /** Gives all ranks the first one's numbers. */
    inline void
    broadcast(const MPI_Comm comm, double *values, const std::size_t n)
    {
      broadcast(comm, 0, values, n);
    }

    /** Gives all ranks the numbers of rank @p root, however many. */
    void
    broadcast(MPI_Comm comm, int root, std::vector<double> &values);
  } // namespace Collective


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
