#include <evergreen/base/error.h>
#include <evergreen/greedy/collective.h>

#include <algorithm>
#include <exception>
#include <string>

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
    } // namespace


    void
    run(const MPI_Comm comm, const std::function<void()> &work)
    {
      int rank = 0, n_ranks = 1;
      MPI_Comm_rank(comm, &rank);
      MPI_Comm_size(comm, &n_ranks);

      std::string        message;
      std::exception_ptr own_error;
      try
        {
          work();
        }
      catch (const std::exception &error)
        {
          own_error = std::current_exception();
          message   = error.what();
        }

      int first = own_error ? rank : n_ranks;
      MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
      if (first == n_ranks)
        return;
      unsigned long length = message.size();
      MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, first, comm);
      message.resize(length);
      MPI_Bcast(&message[0], static_cast<int>(length), MPI_CHAR, first, comm);
      if (own_error)
        std::rethrow_exception(own_error);
      throw Error(message);
    }


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
      for (std::size_t i = 0; i < n; i += piece)
        MPI_Bcast(values + i,
                  static_cast<int>(std::min(piece, n - i)),
                  MPI_DOUBLE,
                  0,
                  comm);
    }
  } // namespace Collective
} // namespace Evergreen
