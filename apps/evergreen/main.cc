// The evergreen program: options in, one subcommand, exit status out (0 for
// success, 1 for a failed run, 2 for bad usage).

#include "commands.h"

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/version.h>

#include <deal.II/base/multithread_info.h>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <functional>
#include <iostream>

namespace Evergreen
{
  namespace
  {
    constexpr int exit_failure = 1;
    constexpr int exit_usage   = 2;

    /** Adds the subcommands; the chosen one is left in @p command. */
    void
    add_commands(CLI::App                           &app,
                 GenerateOptions                    &generate,
                 std::string                        &file,
                 std::function<int(const MPI_Comm)> &command)
    {
      auto *const generate_app =
        app.add_subcommand("generate", "Make a dataset of pairs (f, u)");
      generate_app->add_option("CONFIG", generate.configuration, "A .prm file")
        ->required();
      generate_app
        ->add_option("-o,--output", generate.output, "The HDF5 file to write")
        ->required();
      generate_app
        ->add_option("--set",
                     generate.overrides,
                     "Override a parameter: \"Section/Key=value\"")
        ->take_all();
      generate_app->add_flag("--resume",
                             generate.resume,
                             "Continue an interrupted run");
      generate_app
        ->add_option("--vtu",
                     generate.n_vtu,
                     "Write the first N samples for ParaView (default 3)")
        ->expected(0, 1)
        ->default_str("3");
      generate_app->callback([&]() {
        command = [&](const MPI_Comm communicator) {
          return command_generate(generate, communicator);
        };
      });

      auto *const info_app =
        app.add_subcommand("info", "Summarise a dataset file");
      info_app->add_option("FILE", file, "An HDF5 file")->required();
      info_app->callback([&]() {
        command = [&](const MPI_Comm communicator) {
          return command_info(file, communicator);
        };
      });

      app
        .add_subcommand("parameters",
                        "Print all parameters with their documentation")
        ->callback([&]() { command = command_parameters; });
    }


    int
    run(int argc, char **argv, const MPI_Comm communicator)
    {
      const bool speaks =
        dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
      CLI::App app("Learned Green's functions for deal.II programs",
                   "evergreen");
      app.set_version_flag("--version", EVERGREEN_VERSION);
      app.require_subcommand(1);

      GenerateOptions                    generate;
      std::string                        file;
      std::function<int(const MPI_Comm)> command;
      add_commands(app, generate, file, command);
      try
        {
          app.parse(argc, argv);
        }
      catch (const CLI::ParseError &e)
        {
          const bool asked_for_help = e.get_exit_code() == 0;
          if (speaks)
            {
              if (asked_for_help)
                app.exit(e);
              else
                std::cerr << "evergreen: " << e.what()
                          << " (see 'evergreen --help')" << std::endl;
            }
          return asked_for_help ? 0 : exit_usage;
        }
      return command(communicator);
    }
  } // namespace
} // namespace Evergreen


int
main(int argc, char **argv)
{
  using namespace Evergreen;

  // All cores, shared fairly among the ranks of this machine.
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(
    argc, argv, dealii::numbers::invalid_unsigned_int);
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr)
    Blas::set_n_threads(dealii::MultithreadInfo::n_threads());

  const MPI_Comm communicator = MPI_COMM_WORLD;
  int            status       = exit_failure;
  try
    {
      // Inside, errors are agreed on by all ranks, so one of them speaks.
      status = run(argc, argv, communicator);
    }
  catch (const UsageError &e)
    {
      status = exit_usage;
      if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
        std::cerr << "evergreen: " << e.what() << std::endl;
    }
  catch (const Error &e)
    {
      if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
        std::cerr << "evergreen: " << e.what() << std::endl;
    }
  catch (...)
    {
      // An error that only this rank knows of: the others may wait for it.
      std::cerr << "evergreen: " << one_line_message() << std::endl;
      if (dealii::Utilities::MPI::n_mpi_processes(communicator) > 1)
        MPI_Abort(communicator, exit_failure);
    }
  return status;
}
