// The checkpoint of a run on several ranks: rank 0 keeps it for all.

#ifndef evergreen_source_learning_shared_checkpoint_h
#define evergreen_source_learning_shared_checkpoint_h

#include "packed_fit.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/learning/checkpoint.h>

#include <deal.II/base/mpi.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** The checkpoint on rank 0, with collective functions. */
  class SharedCheckpoint
  {
  public:
    SharedCheckpoint(const std::string &target,
                     const std::string &identity,
                     const bool         resume,
                     const MPI_Comm     communicator)
      : communicator(communicator)
      , is_root(dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
      , enabled(!target.empty())
      , checkpoint(target, identity)
    {
      std::vector<double> all;
      collectively(communicator, [&]() {
        if (!is_root || !enabled)
          return;
        if (!checkpoint.exists())
          checkpoint.begin();
        else if (!resume)
          throw Error("'",
                      checkpoint.path(),
                      "' holds the work of an interrupted run: continue it "
                      "with --resume, or remove it.");
        else
          for (const auto &record : checkpoint.load())
            all.insert(all.end(), record.begin(), record.end());
      });
      found = unpack(dealii::Utilities::MPI::broadcast(communicator, all));
    }

    /** The fits that were found, on all ranks. */
    std::vector<SliceFit> found;

    void
    append(const std::vector<double> &local)
    {
      const auto parts = dealii::Utilities::MPI::gather(communicator, local);
      collectively(communicator, [&]() {
        std::vector<double> record;
        for (const auto &part : parts)
          record.insert(record.end(), part.begin(), part.end());
        if (is_root && enabled && !record.empty())
          checkpoint.append(record);
      });
    }

    void
    replace(const std::vector<double> &record)
    {
      collectively(communicator, [&]() {
        if (is_root && enabled)
          checkpoint.replace(record);
      });
    }

  private:
    MPI_Comm   communicator;
    bool       is_root;
    bool       enabled;
    Checkpoint checkpoint;
  };
} // namespace Evergreen

#endif
