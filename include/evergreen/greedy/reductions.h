// Sums and extremes over all ranks.

#ifndef evergreen_greedy_reductions_h
#define evergreen_greedy_reductions_h

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  namespace Collective
  {
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

    /** Gives all ranks the numbers of rank @p root, however many. */
    void
    broadcast(MPI_Comm comm, int root, std::vector<double> &values);
  } // namespace Collective
} // namespace Evergreen

#endif
