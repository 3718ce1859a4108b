#include <evergreen/base/error.h>
#include <evergreen/greedy/parameters.h>

namespace Evergreen
{
  void
  GreedyParameters::check() const
  {
    if (n_neurons == 0)
      throw UsageError("The number of neurons is 0: choose at least 1.");
    if (!(tolerance >= 0))
      throw UsageError("The tolerance is ", tolerance, ": choose 0 or more.");
    if (!(span_tolerance > 0 && span_tolerance < 1))
      throw UsageError("The span tolerance is ",
                       span_tolerance,
                       ": choose a number between 0 and 1.");
    if (slices_per_report == 0)
      throw UsageError(
        "The number of slices per report is 0: choose at "
        "least 1.");
  }
} // namespace Evergreen
