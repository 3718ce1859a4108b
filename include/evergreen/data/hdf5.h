// A small layer over the HDF5 C library that closes what it opens and throws
// Evergreen::Error for every failure, with one line that names the file, the
// object and HDF5's own reason. Dataset and kernel files are built on it.

#ifndef evergreen_data_hdf5_h
#define evergreen_data_hdf5_h

#include <evergreen/base/error.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /** What Evergreen needs of HDF5. */
  namespace Hdf5
  {
    /** The extents of a dataset; its size is the number of dimensions. */
    using Shape = std::vector<std::size_t>;

    /** What may be done with a file that exists. */
    enum class Access
    {
      read_only,
      read_write
    };


    /** Another process has the file open in a way that forbids ours. */
    class InUseError : public Error
    {
    public:
      using Error::Error;
    };


    /**
     * An open HDF5 file. Objects are named by their absolute path, such as
     * <tt>/train/u</tt>; attributes belong to an object, where <tt>/</tt> is
     * the file itself.
     *
     * Equal contents give equal bytes: nothing that depends on the time or the
     * host is stored. Datasets are contiguous and get their place in the file
     * when they are created, so that after flush() writing to them changes raw
     * data only and a killed process leaves a readable file.
     *
     * Elements @p T are double, float, uint8, (u)int32 and int64. HDF5
     * converts between them and what is stored, in either byte order; reading
     * floating-point numbers as integers is refused.
     *
     * @code
     *   auto file = Hdf5::File::create("data.h5");
     *   file.create_group("/mesh");
     *   file.write<double>("/mesh/points", {n_points, 2}, points.data());
     *   file.write_attribute("/", "dim", 2);
     *   file.close();
     * @endcode
     */
    class File
    {
    public:
      /** Creates an empty file; one that exists is overwritten. */
      static File
      create(const std::string &path);

      /**
       * Opens a file. The error tells a file that is missing from one that
       * cannot be read, that is not HDF5, that is truncated or that another
       * process is writing.
       */
      static File
      open(const std::string &path, Access access);

      /** An open file has one owner: it can be moved but not copied. */
      File(File &&other) noexcept;

      /** Closes the file; errors are lost, call close() to see them. */
      ~File();

      /** The name of the file, as error messages show it. */
      const std::string &
      path() const
      {
        return file_path;
      }

      /** Whether there is an object of this name. */
      bool
      exists(const std::string &object) const;

      /** Creates a group, whose parent must exist. */
      void
      create_group(const std::string &group);

      /** Creates a dataset and allocates its space, without filling it. */
      template <typename T>
      void
      create_dataset(const std::string &dataset, const Shape &shape);

      /** Creates a dataset and writes all of it. */
      template <typename T>
      void
      write(const std::string &dataset, const Shape &shape, const T *values);

      /**
       * The same in less space: compressed, with a checksum that is verified
       * when it is read.
       */
      template <typename T>
      void
      write_compressed(const std::string &dataset,
                       const Shape       &shape,
                       const T           *values);

      /**
       * Writes the rows <tt>first ... first + count - 1</tt> of a dataset that
       * exists, a row being all that shares one value of the first index.
       */
      template <typename T>
      void
      write_rows(const std::string &dataset,
                 std::size_t        first,
                 std::size_t        count,
                 const T           *values);

      /** The extents of a dataset. */
      Shape
      shape(const std::string &dataset) const;

      /**
       * The extents of a dataset that must have @p rank dimensions;
       * @p meaning, such as "samples x nodes", is for the error message.
       */
      Shape
      shape(const std::string &dataset,
            unsigned int       rank,
            const std::string &meaning) const;

      /** Reads a whole dataset. */
      template <typename T>
      std::vector<T>
      read(const std::string &dataset) const;

      /** Reads the rows <tt>first ... first + count - 1</tt>. */
      template <typename T>
      void
      read_rows(const std::string &dataset,
                std::size_t        first,
                std::size_t        count,
                T                 *values) const;

      /** Whether the object has an attribute of this name. */
      bool
      has_attribute(const std::string &object, const std::string &name) const;

      /** Adds an attribute to an object. */
      void
      write_attribute(const std::string &object,
                      const std::string &name,
                      const std::string &value);

      /** The same, for integers. */
      void
      write_attribute(const std::string &object,
                      const std::string &name,
                      std::int64_t       value);

      /** The value of a string attribute, fixed or variable. */
      std::string
      string_attribute(const std::string &object,
                       const std::string &name) const;

      /** The value of an integer attribute. */
      std::int64_t
      integer_attribute(const std::string &object,
                        const std::string &name) const;

      /** Hands everything written so far to the operating system. */
      void
      flush();

      /**
       * Lets the operating system begin to bring to the disk what it was handed
       * by flush(), without waiting for it: a later fsync() has less to do.
       */
      void
      begin_writeback();

      /** Closes the file; no other member may be called afterwards. */
      void
      close();

    private:
      File(const std::string &path, std::int64_t id);

      template <typename T>
      void
      create_with(const std::string &dataset,
                  const Shape       &shape,
                  const std::int64_t creation_list);

      std::string  file_path;
      std::int64_t id;
    };
  } // namespace Hdf5
} // namespace Evergreen

#endif
