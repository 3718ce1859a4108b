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

    // Long arrays go in pieces of this many numbers: MPI counts are int, and
    // it may need room for a copy.
    constexpr std::size_t piece = std::size_t(1) << 20;
  } // namespace


  void
  Collective::reduce(const MPI_Comm    comm,
                     const MPI_Op      operation,
                     double           *values,
                     const std::size_t n)
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


  void
  Collective::broadcast(const MPI_Comm    comm,
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


  void
  Collective::broadcast(const MPI_Comm       comm,
                        const int            root,
                        std::vector<double> &values)
  {
    unsigned long long n = values.size();
    MPI_Bcast(&n, 1, MPI_UNSIGNED_LONG_LONG, root, comm);
    values.resize(n);
    broadcast(comm, root, values.data(), n);
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
    bool        failed = false, by_usage = false;
    std::string message;
    try
      {
        action();
      }
    catch (const UsageError &e)
      {
        failed = by_usage = true;
        message           = e.what();
      }
    catch (...)
      {
        failed  = true;
        message = one_line_message();
      }

    int rank, n_ranks;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);

    // The lowest rank that failed speaks for all.
    int speaker = (failed ? rank : n_ranks);
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, communicator);
    if (speaker == n_ranks)
      return;

    int header[2] = {by_usage, static_cast<int>(message.size())};
    MPI_Bcast(header, 2, MPI_INT, speaker, communicator);
    message.resize(header[1]);
    MPI_Bcast(message.data(), header[1], MPI_CHAR, speaker, communicator);
    if (header[0] != 0)
      throw UsageError(message);
    throw Error(message);
  }
} // namespace Evergreen
