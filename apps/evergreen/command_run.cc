#include "commands.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/dictionary/backends.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace Evergreen
{
  namespace
  {
    /** The explorer's page, which is no reason for a run to fail. */
    void
    explore(const LearnedKernel &kernel,
            const DatasetReader &reader,
            const std::string   &output,
            const MPI_Comm       communicator)
    {
      try
        {
          write_explorer(kernel, &reader, output, communicator);
        }
      catch (const Error &error)
        {
          if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
            std::cout << "Note:    there is no explorer: " << error.what()
                      << std::endl;
        }
    }


    /** Everything on one mesh, with one space, one problem, one set of tests.
     */
    template <int dim>
    void
    run(const Configuration         &configuration,
        const CommandOptions        &options,
        const std::filesystem::path &directory,
        const MPI_Comm               communicator)
    {
      const bool is_root =
        dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
      const std::string       data   = (directory / "data.h5").string();
      const std::string       output = (directory / "kernel.h5").string();
      const DatasetSpace<dim> setting(configuration, communicator);
      if (!is_dataset_of(data, configuration.dataset_text, communicator))
        generate(setting, configuration, data, options.resume);
      else if (is_root)
        std::cout << "Dataset: " << data << " (from an earlier run)"
                  << std::endl;

      const auto     reader = open_dataset(data, communicator);
      LearningResult result =
        learn(setting, *reader, configuration, output, options.resume);
      const auto tests  = test_set_of(setting, *reader, result.kernel);
      const auto errors = complete_history(setting, tests, result);
      save_kernel(result, output, communicator);
      if (tests.n_samples() > 0)
        {
          const auto evaluation =
            evaluate(tests, *reader, result.kernel, errors);
          if (is_root)
            print_errors(evaluation);
        }
      if (options.pictures)
        {
          draw(setting, *reader, result.kernel, options.output);
          explore(result.kernel,
                  *reader,
                  (directory / "explorer.html").string(),
                  communicator);
        }
    }
  } // namespace


  int
  command_run(const CommandOptions &options, const MPI_Comm communicator)
  {
    const std::filesystem::path directory(options.output);
    const auto configuration = configuration_of(options, communicator);
    // Whatever cannot work should say so before the data are made.
    choose_backend(configuration.learning.backend, communicator);
    unsigned int dim = 0;
    collectively(communicator, [&]() {
      dim = configuration.domain.dimension();
      if (dealii::Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      make_directory(options.output);
      std::ofstream prm(directory / "run.prm");
      prm << configuration.dataset_text << configuration.method_text;
      if (!prm.flush())
        throw Error("Cannot write into the directory '", options.output, "'.");
    });
    with_dimension(dim, [&](const auto d) {
      run<d.value>(configuration, options, directory, communicator);
    });
    return 0;
  }
} // namespace Evergreen
