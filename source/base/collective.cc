#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <exception>
#include <new>

namespace Evergreen
{
  namespace
  {
    std::string
    fold_white_space(const std::string &message)
    {
      std::istringstream words(message);
      std::string        line, word;
      while (words >> word)
        line += (line.empty() ? "" : " ") + word;
      return line;
    }

    enum Outcome : int
    {
      failed_by_usage = 0,
      failed          = 1,
      succeeded       = 2
    };

    // Long arrays go in pieces of this many numbers: MPI counts are int, and
    // it may need room for a copy.
    constexpr std::size_t piece = std::size_t(1) << 20;

    void
    reduce(const MPI_Comm    comm,
           double           *values,
           const std::size_t n,
           const MPI_Op      operation)
    {
      int n_ranks;
      MPI_Comm_size(comm, &n_ranks);
      for (std::size_t i = 0; n_ranks > 1 && i < n; i += piece)
        MPI_Allreduce(MPI_IN_PLACE,
                      values + i,
                      static_cast<int>(std::min(piece, n - i)),
                      MPI_DOUBLE,
                      operation,
                      comm);
    }

    double
    reduced(const MPI_Comm comm, double value, const MPI_Op operation)
    {
      reduce(comm, &value, 1, operation);
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
  Collective::sum(const MPI_Comm comm, double *values, const std::size_t n)
  {
    reduce(comm, values, n, MPI_SUM);
  }


  void
  Collective::sum(const MPI_Comm comm, std::vector<double> &values)
  {
    reduce(comm, values.data(), values.size(), MPI_SUM);
  }


  double
  Collective::sum(const MPI_Comm comm, const double value)
  {
    return reduced(comm, value, MPI_SUM);
  }


  void
  Collective::minimum(const MPI_Comm comm, std::vector<double> &values)
  {
    reduce(comm, values.data(), values.size(), MPI_MIN);
  }


  double
  Collective::minimum(const MPI_Comm comm, const double value)
  {
    return reduced(comm, value, MPI_MIN);
  }


  void
  Collective::maximum(const MPI_Comm comm, std::vector<double> &values)
  {
    reduce(comm, values.data(), values.size(), MPI_MAX);
  }


  double
  Collective::maximum(const MPI_Comm comm, const double value)
  {
    return reduced(comm, value, MPI_MAX);
  }


  void
  Collective::broadcast(const MPI_Comm    comm,
                        double           *values,
                        const std::size_t n)
  {
    broadcast_from(comm, 0, values, n);
  }


  void
  Collective::broadcast(const MPI_Comm       comm,
                        const int            root,
                        std::vector<double> &values)
  {
    unsigned long long n = values.size();
    MPI_Bcast(&n, 1, MPI_UNSIGNED_LONG_LONG, root, comm);
    values.resize(n);
    broadcast_from(comm, root, values.data(), n);
  }


  std::string
  one_line_message()
  {
    try
      {
        throw;
      }
    catch (const dealii::ExceptionBase &e)
      {
        std::ostringstream message;
        e.print_info(message);
        const std::string line = fold_white_space(message.str());
        return line.empty() || line == "(none)"
                 ? text("deal.II reports ", e.get_exc_name(), ".")
                 : line;
      }
    catch (const std::bad_alloc &)
      {
        return "Out of memory: reduce the problem or the 'Memory' parameter.";
      }
    catch (const std::exception &e)
      {
        return fold_white_space(e.what());
      }
    catch (const std::string &message)
      {
        return fold_white_space(message);
      }
    catch (...)
      {
        return "An unknown error occurred.";
      }
  }


  void
  collectively(const MPI_Comm communicator, const std::function<void()> &action)
  {
    int         outcome = succeeded;
    std::string message;
    try
      {
        action();
      }
    catch (const UsageError &e)
      {
        outcome = failed_by_usage;
        message = e.what();
      }
    catch (...)
      {
        outcome = failed;
        message = one_line_message();
      }

    int rank, n_ranks;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);

    // The lowest rank that failed speaks for all.
    int speaker = (outcome == succeeded ? n_ranks : rank);
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, communicator);
    if (speaker == n_ranks)
      return;

    int header[2] = {outcome, static_cast<int>(message.size())};
    MPI_Bcast(header, 2, MPI_INT, speaker, communicator);
    message.resize(header[1]);
    MPI_Bcast(message.data(), header[1], MPI_CHAR, speaker, communicator);
    if (header[0] == failed_by_usage)
      throw UsageError(message);
    throw Error(message);
  }
} // namespace Evergreen
