// The subcommands of the program. Each returns the exit status; errors are
// thrown on all ranks alike.

#ifndef evergreen_app_commands_h
#define evergreen_app_commands_h

#include <evergreen/configuration.h>

#include <mpi.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** What a user can say on the command line; a command uses a part of it. */
  struct CommandOptions
  {
    /** The .prm file and what --set changes in it. */
    std::string              configuration;
    std::vector<std::string> overrides;

    /** The file to write, or the directory for `run`. */
    std::string output;

    /** The files to read. */
    std::string data;
    std::string kernel;
    std::string boundary_kernel;
    std::string twin;
    std::string file;

    /** For `solve`: formulas or datasets, and which of their samples. */
    std::string forcing;
    std::string boundary;
    std::string split  = "test";
    std::size_t sample = 0;

    /** For `solve`: where values are wanted, as a list and as a file. */
    std::string sensors;
    std::string points;

    std::string form      = "auto";
    double      tolerance = 0;
    bool        estimate  = false;
    bool        compare   = false;

    bool         resume   = false;
    bool         json     = false;
    bool         pictures = true;
    unsigned int n_vtu    = 0;

    /** For `reproduce`: which tables, how, and what else to write. */
    std::vector<std::string> tables;
    bool                     quick     = false;
    bool                     list      = false;
    bool                     keep_data = false;
    std::string              document;

    /** The command line, for documents that say how they were made. */
    std::string command_line;
  };

  /** evergreen generate: a dataset from a configuration. */
  int
  command_generate(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen learn: a kernel from a dataset. */
  int
  command_learn(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen twin: the twin of a dataset on a coarse mesh. */
  int
  command_twin(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen evaluate --twin: the errors of a twin on a dataset. */
  int
  evaluate_twin(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen solve --twin: the values for a forcing at a twin's nodes. */
  int
  solve_by_twin(const CommandOptions &options, const MPI_Comm communicator);

  /** What `info` says of a twin's file, on one rank. */
  void
  print_twin(const std::string &path);

  /** evergreen evaluate: the errors of a kernel on a dataset. */
  int
  command_evaluate(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen solve: the solution for a forcing by a kernel. */
  int
  command_solve(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen run: all of the above in one directory. */
  int
  command_run(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen reproduce: the paper's tables beside ours. */
  int
  command_reproduce(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen pictures: draws the figures of a directory (again). */
  int
  command_pictures(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen explore: a page to look at a kernel and to play with it. */
  int
  command_explore(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen info: what is in a file. */
  int
  command_info(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen backends: what can compute on this machine. */
  int
  command_backends(const CommandOptions &options, const MPI_Comm communicator);

  /** evergreen parameters: their documentation. */
  int
  command_parameters(const CommandOptions &options,
                     const MPI_Comm        communicator);


  /** The configuration that the options name and change. Collective. */
  Configuration
  configuration_of(const CommandOptions &options, const MPI_Comm communicator);
} // namespace Evergreen

#endif
