// From reduced pairs to a twin: rows by ridge least squares; neighbours and
// ridge by the errors of answers to samples that are left out.

#ifndef evergreen_twin_twin_learner_h
#define evergreen_twin_twin_learner_h

#include <evergreen/twin/learned_twin.h>
#include <evergreen/twin/twin_data.h>
#include <evergreen/twin/twin_parameters.h>

#include <mpi.h>

#include <functional>

namespace Evergreen
{
  /** Sees every choice that was tried. */
  using TwinObserver = std::function<void(const TwinChoice &)>;

  /**
   * Learns a twin. Every rank has the same @p data and learns a share of the
   * rows; the result is the same on all. Throws an Error if there are too few
   * samples, or the operator is not local. Collective.
   */
  LearnedTwin
  learn_twin(const TwinData       &data,
             const TwinParameters &parameters,
             MPI_Comm              communicator,
             const TwinObserver   &observer = {});
} // namespace Evergreen

#endif
