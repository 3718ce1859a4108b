#include "commands.h"
#include "console.h"
#include "dataset_space.h"
#include "history_errors.h"

#include <evergreen/base/error.h>
#include <evergreen/configuration.h>
#include <evergreen/learning/learner.h>

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
      if (!result.trials.empty())
        std::cout << " (the best of " << result.trials.size()
                  << " kinds tried on a few slices)";
      std::cout << "\nBackend: " << result.backend.description() << "\n";
      print_history(result.kernel.history);
      std::cout << "Kernel:  " << output << std::endl;
    }


    template <int dim>
    int
    learn(const DatasetReader  &reader,
          const Configuration  &configuration,
          const CommandOptions &options,
          const MPI_Comm        communicator)
    {
      const bool speaks = Utilities::MPI::this_mpi_process(communicator) == 0;
      const DatasetSpace<dim> setting(reader, communicator);
      LearningResult          result;
      {
        ProgressBar     bar("Learning", speaks);
        LearningOptions learning;
        learning.target = options.output;
        learning.resume = options.resume;
        learning.parameter_text =
          reader.parameters() + configuration.method_text;
        learning.on_progress = [&](const GreedyProgress &progress) {
          const bool pointwise = configuration.learning.method == "pw-oga";
          bar.update(pointwise ? progress.n_slices_done
                               : progress.n_neurons_done,
                     pointwise ? progress.n_slices
                               : configuration.learning.neurons,
                     text("training error ", progress.train_error));
        };
        result = learn_kernel(setting.space,
                              load_samples(reader, Split::train, setting.space),
                              configuration.learning,
                              learning);
      }
      if (result.interrupted)
        throw Error("Interrupted; the work so far is kept beside '",
                    options.output,
                    "'. Continue with --resume.");
      complete_history(setting, reader, result);
      collectively(communicator, [&]() {
        if (!speaks)
          return;
        result.kernel.save(options.output);
        remove_checkpoints(options.output);
        print_result(result, options.output);
      });
      return 0;
    }
  } // namespace


  int
  command_learn(const CommandOptions &options, const MPI_Comm communicator)
  {
    Configuration configuration;
    collectively(communicator, [&]() {
      configuration =
        Configuration::read(options.configuration, options.overrides);
    });
    choose_backend(configuration.learning.backend, communicator);
    const auto reader = open_dataset(options.data, communicator);
    return with_dimension(reader->dim(), [&](const auto dim) {
      return learn<dim.value>(*reader, configuration, options, communicator);
    });
  }
} // namespace Evergreen
