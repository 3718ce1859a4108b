// The errors of a learned kernel while it grew: on test samples, and of the
// kernel itself where the equation is known.

#ifndef evergreen_app_history_errors_h
#define evergreen_app_history_errors_h

#include "dataset_space.h"

#include <evergreen/learning/learner.h>

namespace Evergreen
{
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
