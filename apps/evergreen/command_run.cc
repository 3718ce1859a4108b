#include "commands.h"
#include "dataset_space.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
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
    const auto configuration = configuration_of(options, communicator);
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

    const std::string data   = (directory / "data.h5").string();
    const std::string kernel = (directory / "kernel.h5").string();
    if (!is_dataset_of(data, configuration.dataset_text, communicator))
      make_dataset(configuration, data, options.resume, false, 0, communicator);
    else if (speaks)
      std::cout << "Dataset: " << data << " (from an earlier run)" << std::endl;
    learn_dataset(configuration, data, kernel, options.resume, communicator);
    print_errors(kernel, data, false, communicator);
    if (options.pictures)
      draw_run(kernel, data, options.output, communicator);
    return 0;
  }
} // namespace Evergreen
