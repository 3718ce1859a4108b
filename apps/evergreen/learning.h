// Learning from a dataset as commands do it: with a progress bar, and with the
// errors of the kernel while it grew.

#ifndef evergreen_app_learning_h
#define evergreen_app_learning_h

#include "dataset_space.h"

#include <evergreen/learning/learner.h>

namespace Evergreen
{
  /**
   * Learns the kernel of a dataset and shows the progress. The checkpoint is
   * beside @p target, where the kernel will be. Collective.
   */
  template <int dim>
  LearningResult
  learn_with_progress(const DatasetSpace<dim> &setting,
                      const DatasetReader     &reader,
                      const Configuration     &configuration,
                      const std::string       &target,
                      const bool               resume,
                      const std::string       &title);

  /**
   * Fills in the test and kernel errors of the history of @p result at the
   * numbers of neurons that it has coefficients for, the last included (or
   * @p only_the_last). Collective.
   */
  template <int dim>
  void
  complete_history(const DatasetSpace<dim> &setting,
                   const DatasetReader     &reader,
                   LearningResult          &result,
                   const bool               only_the_last = false);
} // namespace Evergreen

#endif
