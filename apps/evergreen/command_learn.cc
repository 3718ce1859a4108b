#include "commands.h"
#include "configuration.h"
#include "console.h"
#include "dataset_space.h"

#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/learner.h>

#include <iostream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Test and kernel errors at some numbers of neurons. */
    template <int dim>
    void
    complete_history(const DatasetSpace<dim> &setting,
                     const DatasetReader     &reader,
                     LearningResult          &result)
    {
      const auto        &space   = setting.space;
      LearningHistory   &history = result.kernel.history;
      const TestSet<dim> tests(space,
                               reader,
                               Split::test,
                               result.kernel.response);
      const auto         rule =
        make_rule(space, result.kernel.quadrature == "monte-carlo");
      const auto                 problem = setting.make_problem_of(reader);
      std::vector<LearnedKernel> kernels;
      std::vector<std::size_t>   places;
      for (std::size_t i = 0; i < history.neurons.size(); ++i)
        if (result.levels.count(history.neurons[i]) > 0)
          {
            kernels.push_back(result.kernel_with(history.neurons[i]));
            places.push_back(i);
          }

      const auto test_errors   = tests.errors_of(kernels, rule);
      const auto kernel_errors = problem
                                   ? Evergreen::kernel_errors(kernels, *problem)
                                   : std::vector<double>();
      for (std::size_t l = 0; l < places.size(); ++l)
        {
          history.test_error[places[l]] = test_errors[l];
          if (problem)
            history.kernel_error[places[l]] = kernel_errors[l];
        }
      if (!history.neurons.empty())
        history.seconds.back() = result.seconds;
    }


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
      std::cout << "\nData:    rank " << result.rank << ", irreducible misfit "
                << result.misfit;
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
        result =
          learn_kernel(setting.space, reader, configuration.learning, learning);
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
