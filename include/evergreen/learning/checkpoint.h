// What an interrupted learning run leaves behind.

#ifndef evergreen_learning_checkpoint_h
#define evergreen_learning_checkpoint_h

#include <evergreen/greedy/fit.h>

#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  /** The fit of one slice, and its coefficients with fewer neurons. */
  struct SliceFit
  {
    std::size_t                                node = 0;
    Fit                                        fit;
    std::map<std::size_t, std::vector<double>> levels;

    /** For dealii::Utilities::pack(). */
    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &node &fit.reason &fit.chosen &fit.factor &fit.projection &fit
        .train_squares &fit.validation_squares &fit.coefficients &levels;
    }
  };


  /**
   * A directory of numbered records of fits, each an HDF5 file that is written
   * beside its place and renamed into it: whatever kills the program, every
   * record is there as a whole or not at all. Rank 0 keeps it for all ranks;
   * all functions but remove() are collective.
   */
  class Checkpoint
  {
  public:
    /**
     * The checkpoint of the output file @p target; without one nothing is
     * kept. The @p identity describes the run. Records of an earlier run are
     * an Error unless this one is to @p resume it and has the same identity.
     */
    Checkpoint(const std::string &target,
               const std::string &identity,
               const bool         resume,
               const MPI_Comm     communicator);

    /** The fits that were there, on all ranks. */
    std::vector<SliceFit> found;

    /** Adds a record of the fits of all ranks, if there are any. */
    void
    append(const std::vector<SliceFit> &local);

    /** Makes this fit, which all ranks have, the only record. */
    void
    replace(const SliceFit &fit);

    /** Removes the checkpoint of a target, if there is one. */
    static void
    remove(const std::string &target);

  private:
    std::string directory_; // empty if nothing is kept
    std::string identity_;
    MPI_Comm    communicator_;
    bool        is_keeper_;
    std::size_t n_records_ = 0;

    std::string
    record_path(const std::size_t number) const;

    std::vector<SliceFit>
    load();

    void
    write(const std::vector<SliceFit> &record);
  };
} // namespace Evergreen

#endif
