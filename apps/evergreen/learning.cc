#include "console.h"
#include "learning.h"

#include <evergreen/base/error.h>
#include <evergreen/kernel/errors.h>

#include <algorithm>

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
                      setting.space.communicator()) == 0);
    LearningOptions options;
    options.target         = target;
    options.resume         = resume;
    options.parameter_text = reader.parameters() + configuration.method_text;
    options.on_progress    = [&](const GreedyProgress &progress) {
      bar.update(pointwise ? progress.n_slices_done : progress.n_neurons_done,
                 pointwise ? progress.n_slices : configuration.learning.neurons,
                 text("training error ", progress.train_error));
    };
    return learn_kernel(setting.space,
                        load_samples(reader, Split::train, setting.space),
                        configuration.learning,
                        options);
  }


  template <int dim>
  void
  complete_history(const DatasetSpace<dim> &setting,
                   const DatasetReader     &reader,
                   LearningResult          &result,
                   const bool               only_the_last)
  {
    const auto         &space   = setting.space;
    LearningHistory    &history = result.kernel.history;
    const LearnedKernel kernel =
      only_the_last ? result.kernel.with_neurons(result.kernel.n_neurons())
                    : result.kernel;
    const auto tests = read_test_set(
      space, reader, Split::test, kernel.response, kernel.quadrature);
    const auto problem = setting.make_problem_of(reader, false);
    const auto errors =
      kernel_errors<dim>(kernel, space, &tests, problem.get());
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
        if (problem)
          history.kernel_error[place] = errors.eps_G[l];
      }
    if (!history.neurons.empty())
      history.seconds.back() = result.seconds;
  }


#define INSTANTIATE(dim)                                                       \
  template LearningResult learn_with_progress(const DatasetSpace<dim> &,       \
                                              const DatasetReader &,           \
                                              const Configuration &,           \
                                              const std::string &,             \
                                              const bool,                      \
                                              const std::string &);            \
  template void           complete_history(const DatasetSpace<dim> &,          \
                                           const DatasetReader &,              \
                                           LearningResult &,                   \
                                           const bool);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
