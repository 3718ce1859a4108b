// The subcommands of the program. Each returns the exit status; errors are
// thrown on all ranks alike.

#ifndef evergreen_app_commands_h
#define evergreen_app_commands_h

#include <mpi.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** evergreen generate */
  struct GenerateOptions
  {
    std::string              configuration;
    std::vector<std::string> overrides;
    std::string              output;
    bool                     resume = false;
    unsigned int             n_vtu  = 0;
  };

  int
  command_generate(const GenerateOptions &options, const MPI_Comm communicator);

  /** evergreen info: rank 0 alone works. */
  int
  command_info(const std::string &path, const MPI_Comm communicator);

  /** evergreen parameters */
  int
  command_parameters(const MPI_Comm communicator);
} // namespace Evergreen

#endif
