#include "procedures.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/report/run_report.h>
#include <evergreen/report/slope.h>

#include <cmath>

namespace Evergreen
{
  namespace Reproduce
  {
    using namespace dealii;

    namespace
    {
      /** Copies what was measured while the kernel grew. */
      void
      copy_history(const LearningHistory &history, Measurement &result)
      {
        for (std::size_t i = 0; i < history.neurons.size(); ++i)
          if (std::isfinite(history.test_error[i]))
            {
              result.history_neurons.push_back(history.neurons[i]);
              result.history_eps_u.push_back(history.test_error[i]);
              result.history_eps_G.push_back(history.kernel_error[i]);
            }
        if (!history.neurons.empty())
          {
            result.eps_u = history.test_error.back();
            result.eps_G = history.kernel_error.back();
          }
      }


      /** The errors on further test sets; @p eps_u is that on its own. */
      template <int dim>
      std::vector<double>
      errors_on_other_tests(const DatasetSpace<dim> &setting,
                            const LearnedKernel     &kernel,
                            const ExperimentFiles   &files,
                            const double             eps_u)
      {
        std::vector<double> errors;
        if (files.tests.empty())
          return errors;
        const auto last = kernel.with_neurons(kernel.n_neurons());
        for (const std::string &path : files.tests)
          if (path == files.data)
            errors.push_back(eps_u);
          else
            {
              const auto other =
                open_dataset(path, setting.space().communicator());
              check_same_mesh(kernel, files.kernel, *other);
              const auto tests = test_set_of(setting, *other, kernel);
              errors.push_back(
                kernel_errors<dim>(last, setting.space(), &tests, nullptr)
                  .eps_u.back());
            }
        return errors;
      }


      template <int dim>
      Measurement
      measure_learning(const DatasetReader   &reader,
                       const Configuration   &configuration,
                       const ExperimentFiles &files,
                       const std::string     &title,
                       const MPI_Comm         communicator)
      {
        const DatasetSpace<dim> setting(reader, communicator);
        LearningResult          learned = learn_with_progress(
          setting, reader, configuration, files.kernel, true, title);
        if (learned.interrupted)
          throw Error(
            "Interrupted; what was learned is kept. Give the same "
            "command again to continue.");

        const double start = MPI_Wtime();
        complete_history(setting,
                         test_set_of(setting, reader, learned.kernel),
                         learned,
                         !files.with_history);
        Measurement result;
        copy_history(learned.kernel.history, result);
        result.other_eps_u =
          errors_on_other_tests(setting, learned.kernel, files, result.eps_u);
        if (!files.report.empty())
          write_run_report<dim>(
            {setting.space(), reader, learned.kernel, setting.problem(), title},
            files.report);
        result.neurons      = learned.kernel.n_neurons();
        result.slices       = learned.kernel.response.size();
        result.rank         = learned.rank;
        result.n_training   = reader.valid_samples(Split::train).size();
        result.n_validation = learned.n_validation;
        result.n_test       = reader.valid_samples(Split::test).size();
        result.atoms        = learned.dictionary.description();
        if (learned.dictionary.family == "relu")
          result.theoretical_slope =
            theoretical_slope(configuration.learning.power,
                              learned.kernel.is_pointwise() ? dim : 2 * dim);
        result.seconds_learning   = learned.seconds;
        result.seconds_evaluation = MPI_Wtime() - start;
        result.was_resumed        = learned.n_resumed > 0;
        return result;
      }


      template <int dim>
      Measurement
      measure_least_squares(const DatasetReader   &reader,
                            const ExperimentFiles &files,
                            const MPI_Comm         communicator)
      {
        const double            start = MPI_Wtime();
        const DatasetSpace<dim> setting(reader, communicator);
        const auto              response = response_nodes(reader.mesh(), {});
        const auto              error_on = [&](const DatasetReader &other) {
          return read_test_set(setting.space(), other, Split::test, response)
            .mean_relative_error(
              least_squares_predictions(reader, other, response, communicator));
        };
        Measurement result;
        result.eps_u = error_on(reader);
        for (const std::string &path : files.tests)
          result.other_eps_u.push_back(
            path == files.data ? result.eps_u
                               : error_on(*open_dataset(path, communicator)));
        result.slices           = response.size();
        result.n_training       = reader.valid_samples(Split::train).size();
        result.n_test           = reader.valid_samples(Split::test).size();
        result.seconds_learning = MPI_Wtime() - start;
        return result;
      }
    } // namespace


    Measurement
    measure_learning(const Configuration   &configuration,
                     const ExperimentFiles &files,
                     const std::string     &title,
                     const MPI_Comm         communicator)
    {
      const auto reader = open_dataset(files.data, communicator);
      return with_dimension(reader->dim(), [&](const auto dim) {
        return measure_learning<dim.value>(
          *reader, configuration, files, title, communicator);
      });
    }


    Measurement
    measure_least_squares(const ExperimentFiles &files,
                          const MPI_Comm         communicator)
    {
      const auto reader = open_dataset(files.data, communicator);
      return with_dimension(reader->dim(), [&](const auto dim) {
        return measure_least_squares<dim.value>(*reader, files, communicator);
      });
    }


    Measurement
    measure_singular_values(const ExperimentFiles &files,
                            const MPI_Comm         communicator)
    {
      const double start  = MPI_Wtime();
      const auto   reader = open_dataset(files.data, communicator);
      Measurement  result;
      collectively(communicator, [&]() {
        if (Utilities::MPI::this_mpi_process(communicator) != 0)
          return;
        result.singular_values = forcing_singular_values(*reader);
      });
      result.singular_values =
        Utilities::MPI::broadcast(communicator, result.singular_values);
      result.n_training       = reader->valid_samples(Split::train).size();
      result.seconds_learning = MPI_Wtime() - start;
      return result;
    }
  } // namespace Reproduce
} // namespace Evergreen
