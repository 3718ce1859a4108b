#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <vector>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /**
     * Writes a line on standard error in one piece: mpirun may put words of
     * other ranks between two pieces.
     */
    void
    complain(const std::string &name, const std::string &message)
    {
      std::cerr << name + ": " + message + "\n" << std::flush;
    }
  } // namespace


  int
  run_program(int                                       argc,
              char                                    **argv,
              const std::string                        &name,
              const std::function<int(const MPI_Comm)> &body)
  {
    // deal.II hands the command line on to libraries that look for options of
    // their own; PETSc complains in the end about those it does not know.
    int                 n_words = std::min(argc, 1);
    std::vector<char *> words   = {argv[0], nullptr};
    char              **first   = words.data();
    // All cores, shared fairly among the ranks of this machine.
    const Utilities::MPI::MPI_InitFinalize mpi(n_words,
                                               first,
                                               numbers::invalid_unsigned_int);
    if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr)
      Blas::set_n_threads(MultithreadInfo::n_threads());

    const MPI_Comm communicator = MPI_COMM_WORLD;
    const bool     speaks = Utilities::MPI::this_mpi_process(communicator) == 0;
    int            status = exit_failure;
    try
      {
        // Inside, errors are agreed on by all ranks, so one of them speaks.
        status = body(communicator);
      }
    catch (const UsageError &e)
      {
        status = exit_usage;
        if (speaks)
          complain(name, e.what());
      }
    catch (const Error &e)
      {
        if (speaks)
          complain(name, e.what());
      }
    catch (...)
      {
        // An error that only this rank knows of: the others may wait for it.
        complain(name, one_line_message());
        if (Utilities::MPI::n_mpi_processes(communicator) > 1)
          MPI_Abort(communicator, exit_failure);
      }
    return status;
  }


  ProgramOptions
  read_program_options(int                argc,
                       const char *const *argv,
                       const std::string &name,
                       const std::string &description,
                       const std::string &output,
                       ParameterHandler  &prm,
                       const MPI_Comm     communicator)
  {
    const bool     speaks = Utilities::MPI::this_mpi_process(communicator) == 0;
    ProgramOptions options;
    options.output = output;

    std::string              file;
    std::vector<std::string> overrides;
    bool                     print = false;
    CLI::App                 app(description, name);
    app.add_option("FILE", file, "A .prm file");
    app
      .add_option("--set",
                  overrides,
                  "Override a parameter: \"Section/Key=value\"")
      ->take_all()
      ->expected(1);
    app.add_option("-o,--output",
                   options.output,
                   "The directory for the results (default: " + output + ")");
    app.add_flag("--parameters", print, "Print all parameters and stop");
    try
      {
        app.parse(argc, argv);
      }
    catch (const CLI::ParseError &e)
      {
        if (e.get_exit_code() != 0)
          throw UsageError(e.what(), " (see '", name, " --help')");
        if (speaks)
          app.exit(e);
        options.finished = true;
        return options;
      }

    collectively(communicator, [&]() {
      const std::string lister = name + " --parameters";
      if (!file.empty())
        parse_parameter_file(file, prm, lister);
      apply_overrides(overrides, prm, lister);
      if (speaks && !print)
        make_directory(options.output);
    });
    if (print && speaks)
      prm.print_parameters(std::cout, ParameterHandler::PRM);
    options.finished = print;
    return options;
  }


  void
  print_table(const std::vector<TableColumn> &columns,
              const MPI_Comm                  communicator,
              const std::vector<std::string> &row_names)
  {
    if (Utilities::MPI::this_mpi_process(communicator) != 0)
      return;
    std::ostringstream text;
    text.precision(4);
    const auto width = [](const TableColumn &column) {
      return std::max<std::size_t>(column.first.size(), 9) + 2;
    };
    for (const auto &column : columns)
      text << std::setw(width(column)) << column.first;
    for (std::size_t i = 0; i < columns.front().second.size(); ++i)
      {
        text << '\n';
        for (const auto &column : columns)
          text << std::setw(width(column)) << column.second.at(i);
        text << (row_names.empty() ? "" : "  " + row_names.at(i));
      }
    std::cout << text.str() << std::endl;
  }


  void
  write_csv(const std::vector<TableColumn> &columns,
            const std::string              &path,
            const MPI_Comm                  communicator)
  {
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      std::ofstream out(path);
      out.precision(12);
      for (std::size_t c = 0; c < columns.size(); ++c)
        out << (c > 0 ? "," : "") << columns[c].first;
      out << '\n';
      for (std::size_t i = 0; i < columns.front().second.size(); ++i)
        for (std::size_t c = 0; c < columns.size(); ++c)
          out << (c > 0 ? "," : "") << columns[c].second.at(i)
              << (c + 1 == columns.size() ? "\n" : "");
      if (!out.flush())
        throw Error("Cannot write '", path, "': ", std::strerror(errno), ".");
    });
  }
} // namespace Evergreen
