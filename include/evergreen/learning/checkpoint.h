// What an interrupted learning run leaves behind.

#ifndef evergreen_learning_checkpoint_h
#define evergreen_learning_checkpoint_h

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * A directory of numbered records, each an HDF5 file that is written beside
   * its place and renamed into it: whatever kills the program, every record
   * is there as a whole or not at all. One process uses it.
   */
  class Checkpoint
  {
  public:
    /**
     * The checkpoint of the output file @p target. The @p identity describes
     * the run; records of another one are refused.
     */
    Checkpoint(const std::string &target, const std::string &identity);

    /** The directory. */
    const std::string &
    path() const
    {
      return directory_;
    }

    /** Whether an earlier run left records. */
    bool
    exists() const;

    /** Prepares an empty directory. */
    void
    begin();

    /** All records in their order. */
    std::vector<std::vector<double>>
    load();

    /** Adds a record. */
    void
    append(const std::vector<double> &record);

    /** Makes @p record the only one. */
    void
    replace(const std::vector<double> &record);

    /** Removes everything. */
    void
    remove();

  private:
    std::string directory_;
    std::string identity_;
    std::size_t n_records_ = 0;

    std::string
    record_path(const std::size_t number) const;
  };
} // namespace Evergreen

#endif
