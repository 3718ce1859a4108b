// Agreement between ranks: an error on one must stop all, and all of them
// must see the same numbers.

#ifndef evergreen_greedy_collective_h
#define evergreen_greedy_collective_h

#include <mpi.h>

#include <cstddef>
#include <functional>

namespace Evergreen
{
  namespace Collective
  {
    /**
     * Runs @p work on every rank. If it throws on some ranks, these throw on
     * and the others throw an Error with the message of the first of them,
     * instead of waiting for ever.
     */
    void
    run(MPI_Comm comm, const std::function<void()> &work);

    /** Sums @p n numbers over the ranks, in place. */
    void
    sum(MPI_Comm comm, double *values, std::size_t n);

    /** The sum of one number over the ranks. */
    double
    sum(MPI_Comm comm, double value);

    /** The smallest of one number over the ranks. */
    double
    minimum(MPI_Comm comm, double value);

    /** The largest of one number over the ranks. */
    double
    maximum(MPI_Comm comm, double value);

    /** Gives all ranks the first one's numbers. */
    void
    broadcast(MPI_Comm comm, double *values, std::size_t n);
  } // namespace Collective
} // namespace Evergreen

#endif
