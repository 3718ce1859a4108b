// The frame of a program: MPI, threads, the command line of programs with a
// parameter file, and exceptions turned into one line and an exit status.

#ifndef evergreen_base_program_h
#define evergreen_base_program_h

#include <evergreen/base/compat.h>

#include <deal.II/base/parameter_handler.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  /** What a program returns to the shell if its work failed. */
  constexpr int exit_failure = 1;

  /** What it returns if it was called in a wrong way. */
  constexpr int exit_usage = 2;


  /**
   * Initialises MPI, gives every rank its share of the cores, calls @p body
   * with MPI_COMM_WORLD and returns the exit status of the program. An
   * exception becomes one line "NAME: message" on standard error; the status
   * is then exit_usage for a UsageError and otherwise exit_failure.
   *
   * Errors inside @p body should be the same on all ranks, see collectively();
   * one that only a single rank knows of ends all of them.
   *
   * @code
   *   int main(int argc, char **argv)
   *   {
   *     return Evergreen::run_program(argc, argv, "name", [&](MPI_Comm comm) {
   *       // ...
   *       return 0;
   *     });
   *   }
   * @endcode
   */
  int
  run_program(int                                       argc,
              char                                    **argv,
              const std::string                        &name,
              const std::function<int(const MPI_Comm)> &body);


  /** What the user of a program with a parameter file has asked for. */
  struct ProgramOptions
  {
    /** Help or parameters were asked for and printed: nothing is left to do. */
    bool finished = false;

    /** The directory for the results, which exists now. */
    std::string output;
  };

  /**
   * Reads the command line <tt>[FILE.prm] [--set "Section/Key=value"]...
   * [-o DIRECTORY] [--parameters] [--help]</tt> of a program whose parameters
   * are declared in @p prm, and gives them their values. Makes the directory
   * for the results (by default @p output). Throws a UsageError about
   * everything that is wrong. Collective.
   */
  ProgramOptions
  read_program_options(int                       argc,
                       const char *const        *argv,
                       const std::string        &name,
                       const std::string        &description,
                       const std::string        &output,
                       dealii::ParameterHandler &prm,
                       const MPI_Comm            communicator);


  /**
   * A whole program: run_program() and read_program_options() with the
   * parameters of a struct that has add_parameters(prm) and check(), like
   * RunParameters. Once they are read and checked, a Program is made of the
   * parameters, the directory for the results and the communicator, and its
   * run() is called. Returns the exit status.
   *
   * @code
   *   int main(int argc, char **argv)
   *   {
   *     return Evergreen::run_with_parameters<Parameters, MyProgram>(
   *       argc, argv, "name", "What it does.", "name_output");
   *   }
   * @endcode
   */
  template <typename Parameters, typename Program>
  int
  run_with_parameters(int                argc,
                      char             **argv,
                      const std::string &name,
                      const std::string &description,
                      const std::string &output)
  {
    return run_program(argc, argv, name, [&](const MPI_Comm communicator) {
      Parameters               parameters;
      dealii::ParameterHandler prm;
      parameters.add_parameters(prm);
      const ProgramOptions options = read_program_options(
        argc, argv, name, description, output, prm, communicator);
      if (!options.finished)
        {
          parameters.check();
          Program{parameters, options.output, communicator}.run();
        }
      return 0;
    });
  }


  /** A column of a table: its name and its values. */
  using TableColumn = std::pair<std::string, std::vector<double>>;

  /**
   * Prints columns of the same length under their names, on rank 0, with
   * @p row_names (if there are any) at the end of the rows.
   */
  void
  print_table(const std::vector<TableColumn> &columns,
              const MPI_Comm                  communicator,
              const std::vector<std::string> &row_names = {});

  /**
   * Writes columns of the same length to a CSV file with a line of names, for
   * spreadsheets and plots. Rank 0 writes. Throws an Error if it cannot.
   * Collective.
   */
  void
  write_csv(const std::vector<TableColumn> &columns,
            const std::string              &path,
            const MPI_Comm                  communicator);
} // namespace Evergreen

#endif
