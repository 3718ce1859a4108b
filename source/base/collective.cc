#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>

#include <deal.II/base/exceptions.h>

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
  } // namespace


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
