#include "console.h"
#include "steps.h"

#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  template <int dim>
  LearningResult
  learn_with_progress(const DatasetSpace<dim> &setting,
                      const DatasetReader     &reader,
                      const Configuration     &configuration,
                      const std::string       &target,
                      const bool               resume,
                      const std::string       &title)
  {
    const bool      pointwise = configuration.learning.method == "pw-oga";
    ProgressBar     bar(title,
                    dealii::Utilities::MPI::this_mpi_process(
                      setting.space().communicator()) == 0);
    LearningOptions options;
    options.target         = target;
    options.resume         = resume;
    options.parameter_text = reader.parameters() + configuration.method_text;
    options.on_progress    = [&](const GreedyProgress &progress) {
      bar.update(pointwise ? progress.n_slices_done : progress.n_neurons_done,
                 pointwise ? progress.n_slices : configuration.learning.neurons,
                 text("training error ", progress.train_error));
    };
    LearningParameters parameters = configuration.learning;
    if (parameters.frame_of_problem && parameters.family != "relu")
      parameters.frame = setting.frame();
    return learn_kernel(setting.space(),
                        load_samples(reader, Split::train, setting.space()),
                        parameters,
                        options);
  }


  template <int dim>
  LearningResult
  learn(const DatasetSpace<dim> &setting,
        const DatasetReader     &reader,
        const Configuration     &configuration,
        const std::string       &output,
        const bool               resume)
  {
    auto result = learn_with_progress(
      setting, reader, configuration, output, resume, "Learning");
    if (result.interrupted)
      throw Error("Interrupted; the work so far is kept beside '",
                  output,
                  "'. Continue with --resume.");
    return result;
  }


  template <int dim>
  TestSet<dim>
  test_set_of(const DatasetSpace<dim> &setting,
              const DatasetReader     &reader,
              const LearnedKernel     &kernel)
  {
    return read_test_set(
      setting.space(), reader, Split::test, kernel.response, kernel.quadrature);
  }


  template <int dim>
  KernelErrors
  complete_history(const DatasetSpace<dim> &setting,
                   const TestSet<dim>      &tests,
                   LearningResult          &result,
                   const bool               only_the_last)
  {
    LearningHistory    &history = result.kernel.history;
    const LearnedKernel kernel =
      only_the_last ? result.kernel.with_neurons(result.kernel.n_neurons())
                    : result.kernel;
    const auto errors =
      kernel_errors<dim>(kernel, setting.space(), &tests, setting.problem());
    for (std::size_t l = 0; l < kernel.expansions.levels.size(); ++l)
      {
        const auto place = std::find(history.neurons.begin(),
                                     history.neurons.end(),
                                     static_cast<std::int64_t>(
                                       kernel.expansions.levels[l].n_neurons)) -
                           history.neurons.begin();
        if (place == static_cast<std::ptrdiff_t>(history.neurons.size()))
          continue;
        history.test_error[place] = errors.eps_u[l];
        if (!errors.eps_G.empty())
          history.kernel_error[place] = errors.eps_G[l];
      }
    if (!history.neurons.empty())
      history.seconds.back() = result.seconds;
    return errors;
  }


  template <int dim>
  Evaluation
  evaluate(const TestSet<dim>  &tests,
           const DatasetReader &reader,
           const LearnedKernel &kernel,
           const KernelErrors  &errors)
  {
    Evaluation result;
    result.input   = input_of(reader);
    result.neurons = kernel.n_neurons();
    result.samples = tests.n_samples();
    result.eps_u   = errors.eps_u.back();
    result.eps_G   = errors.eps_G.empty()
                       ? std::numeric_limits<double>::quiet_NaN()
                       : errors.eps_G.back();
    result.least_squares_eps_u =
      tests.mean_relative_error(least_squares_predictions(
        reader, reader, kernel.response, tests.communicator()));
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template LearningResult learn_with_progress(const DatasetSpace<dim> &,       \
                                              const DatasetReader &,           \
                                              const Configuration &,           \
                                              const std::string &,             \
                                              const bool,                      \
                                              const std::string &);            \
  template LearningResult learn(const DatasetSpace<dim> &,                     \
                                const DatasetReader &,                         \
                                const Configuration &,                         \
                                const std::string &,                           \
                                const bool);                                   \
  template TestSet<dim>   test_set_of(const DatasetSpace<dim> &,               \
                                      const DatasetReader &,                   \
                                      const LearnedKernel &);                  \
  template KernelErrors   complete_history(const DatasetSpace<dim> &,          \
                                           const TestSet<dim> &,               \
                                           LearningResult &,                   \
                                           const bool);                        \
  template Evaluation     evaluate(const TestSet<dim> &,                       \
                                   const DatasetReader &,                      \
                                   const LearnedKernel &,                      \
                                   const KernelErrors &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
