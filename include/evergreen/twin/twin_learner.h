// From reduced pairs to a twin: rows by ridge least squares; neighbours and
// ridge by the errors of answers to samples that are left out.

#ifndef evergreen_twin_twin_learner_h
#define evergreen_twin_twin_learner_h

#include <evergreen/twin/learned_twin.h>
#include <evergreen/twin/twin_data.h>

#include <mpi.h>

#include <functional>
#include <string>

namespace dealii
{
  class ParameterHandler;
}

namespace Evergreen
{
  /** The subsection "Twin" of the parameters. */
  struct TwinParameters
  {
    /** own, a number of coarsenings, or a mesh file. */
    std::string mesh = "2";

    /**
     * The largest relative error of answers, or 0 for what makes sense: on its
     * own mesh a twin finds the operator or nothing.
     */
    double tolerance = 0;

    /** Declares the keys of the subsection "Twin". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the key unless all values make sense. */
    void
    check() const;

    /** The number of coarsenings, or -1 if a file is meant. */
    int
    n_coarsenings() const;
  };


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
