#include "commands.h"
#include "explorer_template.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/parameters.h>
#include <evergreen/report/explorer.h>

#include <fstream>
#include <iostream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** The configuration that a kernel came from, if it is one of ours. */
    std::optional<Configuration>
    configuration_of(const LearnedKernel &kernel)
    {
      if (kernel.parameters.find("subsection Problem") == std::string::npos)
        return {};
      Configuration    configuration;
      ParameterHandler prm;
      configuration.add_parameters(prm);
      try
        {
          parse_parameter_text(kernel.parameters, "the kernel", prm);
        }
      catch (const UsageError &)
        {
          return {}; // keys of somebody else's operator
        }
      return configuration;
    }


    ExplorerPage
    make_page(const LearnedKernel &kernel, const DatasetReader *reader)
    {
      const auto    configuration = configuration_of(kernel);
      ExplorerInput input{kernel};
      input.reader = reader;
      if (kernel.mesh.dim == 3)
        input.size_limit *= 2; // half of it are the matrices
      std::string name =
        reader != nullptr ? reader->attribute("problem") : std::string();
      if (configuration)
        {
          if (name.empty() || name == configuration->problem.name)
            {
              name          = configuration->problem.name;
              input.problem = configuration->problem;
            }
          input.title = title_of(*configuration, name);
        }
      else
        input.title = name.empty() ? "A learned Green's function" : name;
      return with_dimension(kernel.mesh.dim, [&](const auto dim) {
        return make_explorer_page<dim.value>(input, explorer_template);
      });
    }


    void
    write_page(const ExplorerPage &page, const std::string &output)
    {
      replace_file(output, [&](const std::string &beside) {
        std::ofstream file(beside, std::ios::binary);
        file << page.html;
        if (!file.flush())
          throw Error("Cannot write the page '", output, "'.");
      });
      std::cout << "Explorer: " << output << " (" << std::fixed
                << std::setprecision(1) << page.html.size() / 1e6
                << " MB; open it in a browser)" << std::defaultfloat
                << std::endl;
      for (const auto &note : page.notes)
        std::cout << "Note:    " << note << "." << std::endl;
    }
  } // namespace


  void
  write_explorer(const LearnedKernel &kernel,
                 const DatasetReader *reader,
                 const std::string   &output,
                 const MPI_Comm       communicator)
  {
    collectively(communicator, [&]() {
      if (std::string(explorer_template).empty())
        throw Error("This build has no explorer, because ",
                    explorer_obstacle,
                    ": install Node.js and npm ('scripts/packages'), let npm "
                    "reach its packages, and configure and build again.");
      // Every rank has the whole kernel; a page is work for one.
      if (Utilities::MPI::this_mpi_process(communicator) == 0)
        write_page(make_page(kernel, reader), output);
    });
  }


  int
  command_explore(const CommandOptions &options, const MPI_Comm communicator)
  {
    LearnedKernel                  kernel;
    std::unique_ptr<DatasetReader> reader;
    collectively(communicator, [&]() {
      kernel = LearnedKernel::load(options.kernel);
      if (options.data.empty())
        return;
      reader = std::make_unique<DatasetReader>(options.data);
      check_same_mesh(kernel, options.kernel, *reader);
    });
    write_explorer(kernel, reader.get(), options.output, communicator);
    return 0;
  }
} // namespace Evergreen
