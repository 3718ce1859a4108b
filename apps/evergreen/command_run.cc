#include "commands.h"
#include "dataset_space.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/configuration.h>
#include <evergreen/dictionary/backends.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace Evergreen
{
  int
  command_run(const CommandOptions &options, const MPI_Comm communicator)
  {
    const bool speaks =
      dealii::Utilities::MPI::this_mpi_process(communicator) == 0;
    const std::filesystem::path directory(options.output);
    Configuration               configuration;
    collectively(communicator, [&]() {
      configuration =
        Configuration::read(options.configuration, options.overrides);
    });
    // Whatever cannot work should say so before the data are made.
    choose_backend(configuration.learning.backend, communicator);
    collectively(communicator, [&]() {
      if (!speaks)
        return;
      make_directory(options.output);
      std::ofstream prm(directory / "run.prm");
      prm << configuration.dataset_text << configuration.method_text;
      if (!prm.flush())
        throw Error("Cannot write into the directory '", options.output, "'.");
    });

    CommandOptions step = options;
    step.data           = (directory / "data.h5").string();
    step.kernel         = (directory / "kernel.h5").string();
    if (is_dataset_of(step.data, configuration, communicator))
      {
        if (speaks)
          std::cout << "Dataset: " << step.data << " (from an earlier run)"
                    << std::endl;
      }
    else
      {
        step.output = step.data;
        command_generate(step, communicator);
      }
    step.output = step.kernel;
    command_learn(step, communicator);
    const int status = command_evaluate(step, communicator);
    if (status == 0 && options.pictures)
      draw_run(step, options.output, communicator);
    return status;
  }
} // namespace Evergreen
