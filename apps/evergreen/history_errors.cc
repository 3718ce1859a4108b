#include "history_errors.h"

#include <evergreen/kernel/kernel_stages.h>

namespace Evergreen
{
  template <int dim>
  void
  complete_history(const DatasetSpace<dim> &setting,
                   const DatasetReader     &reader,
                   LearningResult          &result,
                   const bool               only_the_last)
  {
    const auto        &space   = setting.space;
    LearningHistory   &history = result.kernel.history;
    const TestSet<dim> tests(space,
                             reader,
                             Split::test,
                             result.kernel.response);
    const auto         rule =
      make_rule(space, quadrature_kind(result.kernel.quadrature));
    const auto problem = setting.make_problem_of(reader, false);
    std::vector<KernelStages::Stage> stages;
    std::vector<std::size_t>         places;
    for (std::size_t i = 0; i < history.neurons.size(); ++i)
      if (result.levels.count(history.neurons[i]) > 0 &&
          (!only_the_last || i + 1 == history.neurons.size()))
        {
          stages.push_back(result.stage(history.neurons[i]));
          places.push_back(i);
        }

    const StageErrors errors =
      stage_errors<dim>(KernelStages(result.kernel, std::move(stages)),
                        space,
                        rule,
                        &tests,
                        problem.get());
    for (std::size_t l = 0; l < places.size(); ++l)
      {
        history.test_error[places[l]] = errors.eps_u[l];
        if (problem)
          history.kernel_error[places[l]] = errors.eps_G[l];
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
