#include "commands.h"
#include "console.h"

#include <evergreen/base/collective.h>
#include <evergreen/dictionary/backends.h>

#include <iomanip>
#include <iostream>

namespace Evergreen
{
  namespace
  {
    const char *
    yes_or_no(const bool value)
    {
      return value ? "yes" : "no";
    }


    void
    print_table(const std::vector<BackendInfo> &backends,
                const BackendChoice            &choice)
    {
      std::cout << "Backend    Built  Usable  Device, or why not\n";
      for (const BackendInfo &backend : backends)
        std::cout << std::left << std::setw(11) << backend.name << std::setw(7)
                  << yes_or_no(backend.built) << std::setw(8)
                  << yes_or_no(backend.status.usable)
                  << (backend.status.usable ? backend.status.device
                                            : backend.status.reason)
                  << "\n";
      for (const BackendInfo &backend : backends)
        if (!backend.module.empty())
          std::cout << "The module of " << backend.name << " is '"
                    << backend.module << "'.\n";
      std::cout << "Backend = auto takes " << choice.name << "." << std::endl;
    }


    void
    print_json(const std::vector<BackendInfo> &backends,
               const BackendChoice            &choice)
    {
      const auto truth = [](const bool value) {
        return value ? "true" : "false";
      };
      std::cout << "{\"auto\": " << json_text(choice.name)
                << ", \"reason\": " << json_text(choice.reason)
                << ", \"backends\": [";
      const char *separator = "";
      for (const BackendInfo &backend : backends)
        {
          std::cout << separator << "{\"name\": " << json_text(backend.name)
                    << ", \"built\": " << truth(backend.built)
                    << ", \"usable\": " << truth(backend.status.usable)
                    << ", \"device\": " << json_text(backend.status.device)
                    << ", \"reason\": " << json_text(backend.status.reason)
                    << ", \"module\": " << json_text(backend.module) << "}";
          separator = ", ";
        }
      std::cout << "]}" << std::endl;
    }
  } // namespace


  int
  command_backends(const CommandOptions &options, const MPI_Comm communicator)
  {
    const BackendChoice choice = choose_backend("auto", communicator);
    int                 rank   = 0;
    MPI_Comm_rank(communicator, &rank);
    if (rank == 0)
      {
        const auto backends = list_backends();
        if (options.json)
          print_json(backends, choice);
        else
          print_table(backends, choice);
      }
    return 0;
  }
} // namespace Evergreen
