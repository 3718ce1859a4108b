// How each kind of experiment is done: from a dataset to a measurement.

#ifndef evergreen_app_reproduce_procedures_h
#define evergreen_app_reproduce_procedures_h

#include "measurement.h"

#include <evergreen/configuration.h>

#include <mpi.h>

#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** The files that an experiment reads and writes. */
    struct ExperimentFiles
    {
      std::string              data;
      std::vector<std::string> tests;

      /** Where learning keeps its checkpoints. */
      std::string kernel;

      /** Whether errors with fewer neurons are wanted, too. */
      bool with_history = true;

      /** The directory for pictures of the kernel and of a solution, if any. */
      std::string report = "";
    };

    /**
     * Learns the kernel of a dataset and measures its errors. Continues from
     * checkpoints and removes them. An interruption is an Error. Collective.
     */
    Measurement
    measure_learning(const Configuration   &configuration,
                     const ExperimentFiles &files,
                     const std::string     &title,
                     const MPI_Comm         communicator);

    /** The errors of the minimum-norm least-squares map. Collective. */
    Measurement
    measure_least_squares(const ExperimentFiles &files,
                          const MPI_Comm         communicator);

    /** The singular values of the training forcings at the nodes. */
    Measurement
    measure_singular_values(const ExperimentFiles &files,
                            const MPI_Comm         communicator);
  } // namespace Reproduce
} // namespace Evergreen

#endif
