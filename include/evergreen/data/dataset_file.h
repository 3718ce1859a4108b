// The file of training and test pairs (f, u) on a mesh: reading it with every
// check that a file of unknown origin needs, and writing it so that neither a
// killed process nor a full disk loses a sample that was finished.

#ifndef evergreen_data_dataset_file_h
#define evergreen_data_dataset_file_h

#include <evergreen/data/hdf5.h>
#include <evergreen/fem/mesh_data.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  /** The two halves of a dataset. */
  enum class Split
  {
    train = 0,
    test  = 1
  };


  /** What became of a sample; the values are those of the status datasets. */
  enum class SampleStatus : std::uint8_t
  {
    missing = 0,
    solved  = 1,
    failed  = 2
  };

  /** The samples that have a status, in increasing order. */
  std::vector<std::size_t>
  samples_with(const std::vector<SampleStatus> &all, SampleStatus status);


  /** How a mesh and samples are laid out in an HDF5 file. */
  namespace DatasetFormat
  {
    /** The name of the format and the version that this library writes. */
    constexpr const char *name    = "evergreen-dataset";
    constexpr int         version = 1;

    /** The group of a split: /train or /test. */
    std::string
    group(Split split);

    /**
     * Writes the group /mesh: the datasets points, cells and boundary, the
     * attribute @p degree of /mesh and the attributes @p cell_type and
     * <tt>vertex_order = "vtk"</tt> of /mesh/cells. Kernel files use it too.
     */
    void
    write_mesh(Hdf5::File &file, const MeshData &mesh);

    /** The samples of a split by the marks in its dataset "status". */
    std::vector<SampleStatus>
    read_status(const Hdf5::File &file, Split split);

    /**
     * Reads the group /mesh and checks it. What can be deduced may be missing:
     * the type of the cells, the degree (1), and the second extent of
     * /mesh/points on the line. Boundary nodes may come in any order.
     */
    MeshData
    read_mesh(const Hdf5::File &file);
  } // namespace DatasetFormat


  /**
   * A dataset on disk, opened for reading.
   *
   * The constructor checks everything but the values of the samples, which are
   * checked when they are read: files may come from anywhere. A file without
   * the attribute @p format, written for example with h5py, is accepted if it
   * has the mesh and the arrays /train/f and /train/u; /test is optional.
   */
  class DatasetReader
  {
  public:
    /** Opens a file, or throws an Error with the exact reason. */
    explicit DatasetReader(const std::string &path);

    /** The name of the file. */
    const std::string &
    path() const
    {
      return file.path();
    }

    /** The mesh. */
    const MeshData &
    mesh() const
    {
      return mesh_data;
    }

    /** The space dimension. */
    unsigned int
    dim() const
    {
      return mesh_data.dim;
    }

    /** The parameters that made the file (.prm text), empty if unknown. */
    std::string
    parameters() const
    {
      return attribute("parameters");
    }

    /**
     * The value of a text attribute of the file, such as evergreen_version;
     * empty if there is none.
     */
    std::string
    attribute(const std::string &name) const;

    /** The number of samples, failed ones included. */
    std::size_t
    n_samples(const Split split) const
    {
      return status.at(split).size();
    }

    /** The samples whose solution failed; their rows of u are NaN. */
    std::vector<std::size_t>
    failed_samples(const Split split) const
    {
      return samples_with(status.at(split), SampleStatus::failed);
    }

    /** All other samples, in increasing order. */
    std::vector<std::size_t>
    valid_samples(const Split split) const
    {
      return samples_with(status.at(split), SampleStatus::solved);
    }

    /**
     * Reads the forcings <tt>first ... first + count - 1</tt>, one sample after
     * the other (count x n_nodes). A value that is not finite is an Error that
     * names the sample and the node, unless the sample is known to have failed.
     */
    void
    read_forcings(const Split       split,
                  const std::size_t first,
                  const std::size_t count,
                  double           *values) const
    {
      read_samples(split, "/f", first, count, values);
    }

    /** The same for the solutions. */
    void
    read_solutions(const Split       split,
                   const std::size_t first,
                   const std::size_t count,
                   double           *values) const
    {
      read_samples(split, "/u", first, count, values);
    }

  private:
    void
    check_header() const;

    void
    open_split(Split split);

    void
    read_samples(Split              split,
                 const std::string &name,
                 std::size_t        first,
                 std::size_t        count,
                 double            *values) const;

    Hdf5::File                                 file;
    MeshData                                   mesh_data;
    std::map<Split, std::vector<SampleStatus>> status;
  };


  /** What a dataset is made of, known before its first sample. */
  struct DatasetDescription
  {
    /** The mesh of all samples. */
    MeshData mesh;

    /** The parameters that make the file (.prm text). */
    std::string parameters;

    /** The number of training samples. */
    std::size_t n_train = 0;

    /** The number of test samples. */
    std::size_t n_test = 0;

    /**
     * Further text attributes of the file. Nothing in them may depend on the
     * time, the host or the number of ranks if the file is to be regenerated
     * bit for bit.
     */
    std::map<std::string, std::string> attributes = {};
  };


  /**
   * A dataset in the making.
   *
   * Samples go to <tt>TARGET.partial</tt>, which is complete but for the values
   * of the samples from the moment it has this name: its structure never
   * changes again, so a process that is killed leaves a readable file. A sample
   * is marked as done only after its values were handed to the operating
   * system. finish() renames the file to its target.
   *
   * @code
   *   DatasetWriter writer("data.h5", description);
   *   writer.write(Split::train, 0, n, f.data(), u.data());
   *   writer.finish();
   * @endcode
   *
   * An object of this class belongs to one process: in a parallel program one
   * rank writes.
   */
  class DatasetWriter
  {
  public:
    /**
     * Begins a new file. It is an Error if the directory is missing or not
     * writable, if the disk has too little space, or if samples of an earlier
     * run wait in the partial file. A complete file of the target's name is
     * replaced by finish() only.
     */
    DatasetWriter(const std::string        &target,
                  const DatasetDescription &description);

    /**
     * Continues a file that an earlier run left behind. It is an Error if there
     * is none, or if it was made from another mesh, other parameters, other
     * sizes or by another version.
     */
    static DatasetWriter
    resume(const std::string &target, const DatasetDescription &description);

    /** Where the samples are until finish() is called. */
    static std::string
    partial_path(const std::string &target)
    {
      return target + ".partial";
    }

    /**
     * Writes the samples <tt>first ... first + count - 1</tt> and marks them as
     * done. Both arrays are count x n_nodes, one sample after the other;
     * @p status has an entry a sample, or is nullptr if all were solved. The
     * solutions of failed samples are replaced by NaN.
     */
    void
    write(Split               split,
          std::size_t         first,
          std::size_t         count,
          const double       *forcings,
          const double       *solutions,
          const SampleStatus *status = nullptr);

    /** What is known of each sample. */
    const std::vector<SampleStatus> &
    status(const Split split) const
    {
      return sample_status.at(split);
    }

    /** The samples that still have to be computed, in increasing order. */
    std::vector<std::size_t>
    missing_samples(const Split split) const
    {
      return samples_with(status(split), SampleStatus::missing);
    }

    /** The number of samples that are done, in both splits. */
    std::size_t
    n_done() const;

    /** Moves the complete file to its target. Samples must not be missing. */
    void
    finish();

  private:
    DatasetWriter(const std::string &target, Hdf5::File &&file);

    std::string                                target;
    Hdf5::File                                 file;
    std::map<Split, std::vector<SampleStatus>> sample_status;
  };
} // namespace Evergreen

#endif
