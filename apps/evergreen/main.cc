// The evergreen program: options in, one subcommand, exit status out (0 for
// success, 1 for a failed run, 2 for bad usage).

#include "commands.h"

#include <evergreen/base/compat.h>

#include <evergreen/base/error.h>
#include <evergreen/base/program.h>
#include <evergreen/base/version.h>

#include <CLI/CLI.hpp>

#include <functional>

namespace Evergreen
{
  namespace
  {
    using Command = int (*)(const CommandOptions &, const MPI_Comm);

    /** The options that several commands share. */
    void
    add_configuration(CLI::App &app, CommandOptions &options)
    {
      app.add_option("CONFIG", options.configuration, "A .prm file")
        ->required();
      app
        .add_option("--set",
                    options.overrides,
                    "Override a parameter: \"Section/Key=value\"")
        ->take_all();
      app.add_flag("--resume", options.resume, "Continue an interrupted run");
    }

    void
    add_file(CLI::App          &app,
             const std::string &name,
             std::string       &file,
             const std::string &description)
    {
      app.add_option(name, file, description)->required();
    }


    void
    add_kernel_or_twin(CLI::App &app, CommandOptions &options)
    {
      auto *const group = app.add_option_group("by", "What answers");
      group->add_option("--kernel", options.kernel, "The kernel");
      group->add_option("--twin", options.twin, "The twin");
      group->require_option(1);
    }


    void
    add_solve_options(CLI::App &app, CommandOptions &options)
    {
      auto *const kernel =
        app.add_option("--kernel", options.kernel, "The kernel of forcings");
      app.add_option("--forcing",
                     options.forcing,
                     "A formula in x, y, z and pi, or a dataset");
      auto *const boundary_kernel =
        app.add_option("--boundary-kernel",
                       options.boundary_kernel,
                       "The kernel of data on the boundary");
      app.add_option("--boundary",
                     options.boundary,
                     "Boundary values or fluxes: a formula or a dataset");
      app.add_option("--twin", options.twin, "The twin, instead of kernels")
        ->excludes(kernel)
        ->excludes(boundary_kernel);
      app
        .add_option("--split",
                    options.split,
                    "The part of the dataset (default test)")
        ->check(CLI::IsMember({"train", "test"}));
      app.add_option("--sample",
                     options.sample,
                     "The sample of the dataset (default 0)");
      app.add_option("-o,--output", options.output, "The VTU file to write");
      app.add_option("--sensors",
                     options.sensors,
                     "Print the values at points, as in \"0.1, 0.2; 0, 0\"");
      app.add_option("--points",
                     options.points,
                     "The same for the lines of a file");
      app.add_option("--form", options.form, "auto, dense, single or atoms");
      app
        .add_option("--tolerance",
                    options.tolerance,
                    "Improve the answer to this relative error")
        ->check(CLI::PositiveNumber);
      app.add_flag("--estimate", options.estimate, "Estimate the error");
      app.add_flag("--compare",
                   options.compare,
                   "Solve by finite elements as well");
      app.add_flag("--json", options.json, "Print one JSON object");
    }


    void
    add_reproduce_options(CLI::App &app, CommandOptions &options)
    {
      app.add_option("TABLE", options.tables, "Which tables (default all)");
      app.add_option("-o,--output",
                     options.output,
                     "The directory for results (default 'results')");
      app.add_flag("--quick", options.quick, "Everything in small, for tests");
      app.add_flag("--list", options.list, "Name the tables and do nothing");
      app.add_flag("--keep-data", options.keep_data, "Do not remove datasets");
      app.add_option("--document",
                     options.document,
                     "Also write the tables to this Markdown file");
    }


    /** Adds a subcommand by its name, its description and its function. */
    using Adder = std::function<
      CLI::App *(const std::string &, const std::string &, const Command)>;


    /** The subcommands that make data, kernels, twins and answers. */
    void
    add_making_commands(const Adder &add, CommandOptions &options)
    {
      auto *const run =
        add("run", "Everything: data, learning, errors, pictures", command_run);
      add_configuration(*run, options);
      add_file(*run, "-o,--output", options.output, "The directory for it all");
      run->add_flag("!--no-pictures",
                    options.pictures,
                    "Without pictures and fields.vtu");

      auto *const generate =
        add("generate", "Make a dataset of pairs (f, u)", command_generate);
      add_configuration(*generate, options);
      add_file(*generate, "-o,--output", options.output, "The file to write");
      generate
        ->add_option("--vtu",
                     options.n_vtu,
                     "Write the first N samples for ParaView (default 3)")
        ->expected(0, 1)
        ->default_str("3");

      auto *const learn =
        add("learn", "Learn the kernel of a dataset", command_learn);
      add_configuration(*learn, options);
      add_file(*learn, "--data", options.data, "The dataset");
      add_file(*learn, "-o,--output", options.output, "The file to write");

      auto *const twin =
        add("twin", "Learn the twin of a dataset's solver", command_twin);
      add_configuration(*twin, options);
      add_file(*twin, "--data", options.data, "The dataset");
      add_file(*twin, "-o,--output", options.output, "The file to write");

      auto *const evaluate =
        add("evaluate", "The errors of a kernel or twin", command_evaluate);
      add_kernel_or_twin(*evaluate, options);
      add_file(*evaluate, "--data", options.data, "The dataset");
      evaluate->add_flag("--json", options.json, "Print one JSON object");

      auto *const solve =
        add("solve",
            "Solve for a forcing or boundary data by kernels or a twin",
            command_solve);
      add_solve_options(*solve, options);
    }


    /** Those that show what is there. */
    void
    add_showing_commands(const Adder &add, CommandOptions &options)
    {
      auto *const reproduce =
        add("reproduce", "The paper's tables beside ours", command_reproduce);
      add_reproduce_options(*reproduce, options);

      auto *const pictures =
        add("pictures", "Draw the figures of a run again", command_pictures);
      add_file(*pictures, "DIR", options.file, "The directory of the run");

      auto *const explore = add("explore",
                                "Make a page to explore a kernel in a browser",
                                command_explore);
      add_file(*explore, "KERNEL", options.kernel, "The kernel");
      explore->add_option("--data",
                          options.data,
                          "Its dataset: forcings and singular values");
      add_file(*explore, "-o,--output", options.output, "The file to write");

      auto *const info = add("info", "Summarise a file", command_info);
      add_file(*info, "FILE", options.file, "A dataset, a kernel or a twin");

      auto *const backends =
        add("backends", "What can compute on this machine", command_backends);
      backends->add_flag("--json", options.json, "Print one JSON object");

      add("parameters",
          "Print all parameters with their documentation",
          command_parameters);
    }


    /** Adds the subcommands; the chosen one is left in @p command. */
    void
    add_commands(CLI::App &app, CommandOptions &options, Command &command)
    {
      const auto add = [&](const std::string &name,
                           const std::string &description,
                           const Command      function) {
        auto *const sub = app.add_subcommand(name, description);
        sub->callback([&command, function]() { command = function; });
        return sub;
      };
      add_making_commands(add, options);
      add_showing_commands(add, options);
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

      CommandOptions options;
      options.command_line = "evergreen";
      for (int i = 1; i < argc; ++i)
        options.command_line += text(" ", argv[i]);
      Command command = nullptr;
      add_commands(app, options, command);
      const auto is_first_word = [&](const CLI::App *command_app) {
        return command_app->get_name() == argv[1];
      };
      if (argc > 1 && argv[1][0] != '-' &&
          app.get_subcommands(is_first_word).empty())
        throw UsageError("There is no command '",
                         argv[1],
                         "' (see 'evergreen --help').");
      try
        {
          app.parse(argc, argv);
        }
      catch (const CLI::ParseError &e)
        {
          if (e.get_exit_code() != 0)
            throw UsageError(e.what(), " (see 'evergreen --help')");
          if (speaks)
            app.exit(e);
          return 0;
        }
      return command(options, communicator);
    }
  } // namespace
} // namespace Evergreen


int
main(int argc, char **argv)
{
  using namespace Evergreen;

  return run_program(argc, argv, "evergreen", [&](const MPI_Comm communicator) {
    return run(argc, argv, communicator);
  });
}
