#include <evergreen/greedy/reductions.h>

#include <algorithm>

namespace Evergreen
{
  namespace Collective
  {
    namespace
    {
      // Long arrays go in pieces of this many numbers: MPI counts are int, and
      // it may need room for a copy.
      constexpr std::size_t piece = std::size_t(1) << 20;


      double
      reduce(const MPI_Comm comm, double value, const MPI_Op operation)
      {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, comm);
        return value;
      }


      void
      broadcast_from(const MPI_Comm    comm,
                     const int         root,
                     double           *values,
                     const std::size_t n)
      {
        for (std::size_t i = 0; i < n; i += piece)
          MPI_Bcast(values + i,
                    static_cast<int>(std::min(piece, n - i)),
                    MPI_DOUBLE,
                    root,
                    comm);
      }
    } // namespace


    void
    sum(const MPI_Comm comm, double *values, const std::size_t n)
    {
      int n_ranks = 1;
      MPI_Comm_size(comm, &n_ranks);
      if (n_ranks == 1)
        return;
      for (std::size_t i = 0; i < n; i += piece)
        MPI_Allreduce(MPI_IN_PLACE,
                      values + i,
                      static_cast<int>(std::min(piece, n - i)),
                      MPI_DOUBLE,
                      MPI_SUM,
                      comm);
    }


    double
    sum(const MPI_Comm comm, const double value)
    {
      return reduce(comm, value, MPI_SUM);
    }


    double
    minimum(const MPI_Comm comm, const double value)
    {
      return reduce(comm, value, MPI_MIN);
    }


    double
    maximum(const MPI_Comm comm, const double value)
    {
      return reduce(comm, value, MPI_MAX);
    }


    void
    broadcast(const MPI_Comm comm, double *values, const std::size_t n)
    {
      broadcast_from(comm, 0, values, n);
    }


    void
    broadcast(const MPI_Comm comm, const int root, std::vector<double> &values)
    {
      unsigned long long n = values.size();
      MPI_Bcast(&n, 1, MPI_UNSIGNED_LONG_LONG, root, comm);
      values.resize(n);
      broadcast_from(comm, root, values.data(), n);
    }
  } // namespace Collective
} // namespace Evergreen
