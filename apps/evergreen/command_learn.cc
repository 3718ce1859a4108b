#include "commands.h"
#include "console.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>

#include <iostream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    const char *
    reason_text(const StopReason reason)
    {
      switch (reason)
        {
          case StopReason::neurons:
            return "reached the number of neurons";
          case StopReason::tolerance:
            return "reached the tolerance";
          case StopReason::rank:
            return "used up the rank of the data";
          case StopReason::validation:
            return "stopped by validation";
          default:
            return "unfinished";
        }
    }


    void
    print_result(const LearningResult &result, const std::string &output)
    {
      std::cout << "Learned: ";
      if (result.kernel.is_pointwise())
        std::cout << result.kernel.response.size() << " slices of up to ";
      std::cout << result.kernel.n_neurons() << " neurons in "
                << duration_text(result.seconds);
      for (const auto &[reason, count] : result.reasons)
        std::cout << "; " << count << " " << reason_text(reason);
      if (result.n_resumed > 0)
        std::cout << " (" << result.n_resumed
                  << (result.kernel.is_pointwise() ? " slices" : " neurons")
                  << " from an earlier run)";
      std::cout << "\nData:    rank " << result.rank;
      if (result.neuron_limit > 0)
        std::cout << " (no more than " << result.neuron_limit
                  << " neurons: Greedy/Rank share)";
      std::cout << ", irreducible misfit " << result.misfit;
      if (result.n_validation > 0)
        std::cout << ", " << result.n_validation
                  << " samples held out for validation";
      std::cout << "\nAtoms:   " << result.dictionary.description();
      if (!result.kernel.frame.is_trivial())
        std::cout << " of " << result.kernel.frame.description();
      if (!result.trials.empty())
        std::cout << " (the best of " << result.trials.size()
                  << " kinds tried on a few slices)";
      std::cout << "\nBackend: " << result.backend.description() << "\n";
      print_history(result.kernel.history);
      std::cout << "Kernel:  " << output << std::endl;
    }
  } // namespace


  void
  save_kernel(const LearningResult &result,
              const std::string    &output,
              const MPI_Comm        communicator)
  {
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      result.kernel.save(output);
      remove_checkpoints(output);
      print_result(result, output);
    });
  }


  Configuration
  configuration_of(const CommandOptions &options, const MPI_Comm communicator)
  {
    Configuration configuration;
    collectively(communicator, [&]() {
      configuration =
        Configuration::read(options.configuration, options.overrides);
    });
    return configuration;
  }


  int
  command_learn(const CommandOptions &options, const MPI_Comm communicator)
  {
    const auto configuration = configuration_of(options, communicator);
    choose_backend(configuration.learning.backend, communicator);
    const auto reader = open_dataset(options.data, communicator);
    with_dimension(reader->dim(), [&](const auto dim) {
      const DatasetSpace<dim.value> setting(*reader, communicator);

      LearningResult result =
        learn(setting, *reader, configuration, options.output, options.resume);
      complete_history(setting,
                       test_set_of(setting, *reader, result.kernel),
                       result);
      save_kernel(result, options.output, communicator);
    });
    return 0;
  }
} // namespace Evergreen
