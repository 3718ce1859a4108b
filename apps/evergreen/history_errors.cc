#include "history_errors.h"

#include <evergreen/kernel/errors.h>

#include <algorithm>

namespace Evergreen
{
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


  template void
  complete_history(const DatasetSpace<1> &,
                   const DatasetReader &,
                   LearningResult &,
                   const bool);
  template void
  complete_history(const DatasetSpace<2> &,
                   const DatasetReader &,
                   LearningResult &,
                   const bool);
  template void
  complete_history(const DatasetSpace<3> &,
                   const DatasetReader &,
                   LearningResult &,
                   const bool);
} // namespace Evergreen
