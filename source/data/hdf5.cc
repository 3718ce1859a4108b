#include "hdf5_internal.h"

#include <evergreen/base/error.h>
#include <evergreen/data/hdf5.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

namespace Evergreen
{
  namespace Hdf5
  {
    using namespace Internal;

    namespace
    {
      std::size_t
      row_size(const Shape &shape)
      {
        return std::accumulate(shape.begin() + (shape.empty() ? 0 : 1),
                               shape.end(),
                               std::size_t(1),
                               std::multiplies<>());
      }


      hid_t
      new_space(const Shape &shape)
      {
        const std::vector<hsize_t> extents(shape.begin(), shape.end());
        return H5Screate_simple(static_cast<int>(extents.size()),
                                extents.data(),
                                nullptr);
      }


      hid_t
      open_dataset(const hid_t        file,
                   const std::string &dataset,
                   const std::string &path)
      {
        const hid_t id = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
        if (id < 0)
          fail("open the dataset ", in_file(dataset, path));
        return id;
      }


      // Selects whole rows of a dataset in the file's dataspace.
      void
      select_rows(const hid_t        space,
                  const Shape       &shape,
                  const std::size_t  first,
                  const std::size_t  count,
                  const std::string &what)
      {
        if (shape.empty() || first > shape[0] || count > shape[0] - first)
          throw Error("The rows ",
                      first,
                      " to ",
                      first + count,
                      " are outside of ",
                      what,
                      ", which has ",
                      shape.empty() ? 0 : shape[0],
                      " rows.");
        std::vector<hsize_t> start(shape.size(), 0);
        std::vector<hsize_t> extent(shape.begin(), shape.end());
        start[0]  = first;
        extent[0] = count;
        if (H5Sselect_hyperslab(space,
                                H5S_SELECT_SET,
                                start.data(),
                                nullptr,
                                extent.data(),
                                nullptr) < 0)
          fail("select rows of ", what);
      }


      hid_t
      new_access_list()
      {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
        // Raw data go straight to the file: after a write that failed nothing
        // is left behind that could fail again when the file is closed.
        H5Pset_sieve_buf_size(list, 0);
        H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
        return list;
      }


      // Finds out by itself what HDF5 would report in its own terms.
      void
      check_readable(const std::string &path, const Access access)
      {
        struct stat status;
        if (stat(path.c_str(), &status) != 0)
          {
            if (errno == ENOENT)
              throw Error("The file '", path, "' does not exist.");
            throw Error(
              "Cannot open '", path, "': ", std::strerror(errno), ".");
          }
        if (S_ISDIR(status.st_mode))
          throw Error("Cannot open '", path, "': it is a directory.");
        if (status.st_size == 0)
          throw Error("'", path, "' is empty: it is not an HDF5 file.");

        const int file =
          open(path.c_str(), access == Access::read_only ? O_RDONLY : O_RDWR);
        if (file < 0)
          throw Error("Cannot open '", path, "': ", std::strerror(errno), ".");
        ::close(file);

        if (H5Fis_hdf5(path.c_str()) == 0)
          throw Error("'", path, "' is not an HDF5 file.");
      }
    } // namespace


    File::File(const std::string &path_, const std::int64_t id_)
      : file_path(path_), id(id_)
    {}


    File::File(File &&other) noexcept
      : file_path(std::move(other.file_path)), id(std::exchange(other.id, -1))
    {}


    File &
    File::operator=(File &&other) noexcept
    {
      std::swap(file_path, other.file_path);
      std::swap(id, other.id);
      return *this;
    }


    File::~File()
    {
      if (id >= 0)
        {
          H5Fclose(id);
          H5Eclear2(H5E_DEFAULT);
        }
    }


    File
    File::create(const std::string &path)
    {
      const Handle access(new_access_list(), H5Pclose);
      const hid_t  id =
        H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
      if (id < 0)
        fail("create '", path, "'");
      return File(path, id);
    }


    File
    File::open(const std::string &path, const Access access)
    {
      const Handle list(new_access_list(), H5Pclose);
      check_readable(path, access);
      const unsigned int flags =
        (access == Access::read_only) ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
      const hid_t id = H5Fopen(path.c_str(), flags, list);
      if (id >= 0)
        return File(path, id);

      const Reason reason = last_reason();
      if (reason.all.find("truncated") != std::string::npos)
        throw Error("'",
                    path,
                    "' is a truncated HDF5 file: ",
                    "a part of it is missing, make or copy it again.");
      if (reason.all.find("unable to lock file") != std::string::npos)
        throw InUseError("'",
                         path,
                         "' is in use by another process (",
                         reason.innermost,
                         ").");
      if (reason.error_number != 0)
        throw Error("Cannot open '", path, "': ", reason.innermost, ".");
      throw Error(
        "'", path, "' is a damaged HDF5 file: ", reason.innermost, ".");
    }


    const std::string &
    File::path() const
    {
      return file_path;
    }


    void
    File::flush()
    {
      if (H5Fflush(id, H5F_SCOPE_GLOBAL) < 0)
        fail("write to '", file_path, "'");
    }


    void
    File::begin_writeback()
    {
      void *descriptor = nullptr;
      if (H5Fget_vfd_handle(id, H5P_DEFAULT, &descriptor) >= 0)
        sync_file_range(*static_cast<int *>(descriptor),
                        0,
                        0,
                        SYNC_FILE_RANGE_WRITE);
      H5Eclear2(H5E_DEFAULT);
    }


    void
    File::close()
    {
      const hid_t closing = std::exchange(id, -1);
      if (closing >= 0 && H5Fclose(closing) < 0)
        fail("finish '", file_path, "'");
    }


    bool
    File::exists(const std::string &object) const
    {
      if (object == "/")
        return true;
      // HDF5 wants every group on the way to be asked for first.
      for (auto end = object.find('/', 1);; end = object.find('/', end + 1))
        {
          const std::string part = object.substr(0, end);
          if (H5Lexists(id, part.c_str(), H5P_DEFAULT) <= 0 ||
              H5Oexists_by_name(id, part.c_str(), H5P_DEFAULT) <= 0)
            {
              H5Eclear2(H5E_DEFAULT);
              return false;
            }
          if (end == std::string::npos)
            return true;
        }
    }


    void
    File::create_group(const std::string &group)
    {
      const Handle created(
        H5Gcreate2(id, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Gclose);
      if (created < 0)
        fail("create the group ", in_file(group, file_path));
    }


    template <typename T>
    void
    File::create_dataset(const std::string &dataset, const Shape &shape)
    {
      const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_layout(list, H5D_CONTIGUOUS);
      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
      H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
      H5Pset_obj_track_times(list, false);
      const Handle space(new_space(shape), H5Sclose);
      const Handle created(H5Dcreate2(id,
                                      dataset.c_str(),
                                      native_type<T>(),
                                      space,
                                      H5P_DEFAULT,
                                      list,
                                      H5P_DEFAULT),
                           H5Dclose);
      if (created < 0)
        fail("create the dataset ", in_file(dataset, file_path));
    }


    template <typename T>
    void
    File::write(const std::string &dataset,
                const Shape       &extents,
                const T           *values)
    {
      create_dataset<T>(dataset, extents);
      if (!extents.empty())
        write_rows(dataset, 0, extents[0], values);
    }


    template <typename T>
    void
    File::write_rows(const std::string &dataset,
                     const std::size_t  first,
                     const std::size_t  count,
                     const T           *values)
    {
      const Handle      handle(open_dataset(id, dataset, file_path), H5Dclose);
      const Handle      space(H5Dget_space(handle), H5Sclose);
      const Shape       extents = shape(dataset);
      const std::string what    = in_file(dataset, file_path);
      select_rows(space, extents, first, count, what);
      if (count == 0 || row_size(extents) == 0)
        return;
      const Handle memory(new_space({count * row_size(extents)}), H5Sclose);
      if (H5Dwrite(
            handle, native_type<T>(), memory, space, H5P_DEFAULT, values) < 0)
        fail("write '", dataset, "' to '", file_path, "'");
    }


    void
    File::write_strings(const std::string              &dataset,
                        const std::vector<std::string> &values)
    {
      std::vector<const char *> pointers;
      for (const std::string &value : values)
        pointers.push_back(value.c_str());
      const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_obj_track_times(list, false);
      const Handle type(new_string_type(), H5Tclose);
      const Handle space(new_space({values.size()}), H5Sclose);
      const Handle created(
        H5Dcreate2(
          id, dataset.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT),
        H5Dclose);
      if (created < 0 ||
          (!values.empty() &&
           H5Dwrite(
             created, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) <
             0))
        fail("write '", dataset, "' to '", file_path, "'");
    }


    Shape
    File::shape(const std::string &dataset) const
    {
      const Handle handle(open_dataset(id, dataset, file_path), H5Dclose);
      const Handle space(H5Dget_space(handle), H5Sclose);
      const int    rank = H5Sget_simple_extent_ndims(space);
      if (rank < 0)
        fail("read the shape of ", in_file(dataset, file_path));
      std::vector<hsize_t> extents(rank);
      H5Sget_simple_extent_dims(space, extents.data(), nullptr);
      return Shape(extents.begin(), extents.end());
    }


    Shape
    File::shape(const std::string &dataset,
                const unsigned int rank,
                const std::string &meaning) const
    {
      const Shape extents = shape(dataset);
      if (extents.size() != rank)
        throw Error(in_file(dataset, file_path),
                    " has ",
                    extents.size(),
                    extents.size() == 1 ? " dimension; " : " dimensions; ",
                    rank,
                    rank == 1 ? " was" : " were",
                    " expected (",
                    meaning,
                    ").");
      return extents;
    }


    template <typename T>
    std::vector<T>
    File::read(const std::string &dataset) const
    {
      const Shape extents = shape(dataset);
      if (extents.empty())
        throw Error(in_file(dataset, file_path),
                    " is a single value; an array was expected.");
      std::vector<T> values(extents[0] * row_size(extents));
      read_rows(dataset, 0, extents[0], values.data());
      return values;
    }


    template <typename T>
    void
    File::read_rows(const std::string &dataset,
                    const std::size_t  first,
                    const std::size_t  count,
                    T                 *values) const
    {
      const Handle      handle(open_dataset(id, dataset, file_path), H5Dclose);
      const Handle      space(H5Dget_space(handle), H5Sclose);
      const Handle      type(H5Dget_type(handle), H5Tclose);
      const Shape       extents = shape(dataset);
      const std::string what    = in_file(dataset, file_path);
      check_numeric<T>(type, what);
      select_rows(space, extents, first, count, what);
      if (count == 0 || row_size(extents) == 0)
        return;
      const Handle memory(new_space({count * row_size(extents)}), H5Sclose);
      if (H5Dread(
            handle, native_type<T>(), memory, space, H5P_DEFAULT, values) < 0)
        fail("read ", what);
    }


    std::vector<std::string>
    File::read_strings(const std::string &dataset) const
    {
      shape(dataset, 1, "one string an entry");
      const Handle handle(open_dataset(id, dataset, file_path), H5Dclose);
      const Handle space(H5Dget_space(handle), H5Sclose);
      const Handle type(H5Dget_type(handle), H5Tclose);
      return strings_of(type,
                        space,
                        in_file(dataset, file_path),
                        [&](const hid_t memory_type, void *buffer) {
                          return H5Dread(handle,
                                         memory_type,
                                         H5S_ALL,
                                         H5S_ALL,
                                         H5P_DEFAULT,
                                         buffer);
                        });
    }


    // The element types that the header promises.
#define EVERGREEN_INSTANTIATE(T)                                               \
  template void File::create_dataset<T>(const std::string &, const Shape &);   \
  template void File::write<T>(const std::string &, const Shape &, const T *); \
  template void File::write_rows<T>(const std::string &,                       \
                                    std::size_t,                               \
                                    std::size_t,                               \
                                    const T *);                                \
  template std::vector<T> File::read<T>(const std::string &) const;            \
  template void           File::read_rows<T>(const std::string &,              \
                                   std::size_t,                      \
                                   std::size_t,                      \
                                   T *) const;

    EVERGREEN_INSTANTIATE(double)
    EVERGREEN_INSTANTIATE(float)
    EVERGREEN_INSTANTIATE(std::int8_t)
    EVERGREEN_INSTANTIATE(std::uint8_t)
    EVERGREEN_INSTANTIATE(std::int32_t)
    EVERGREEN_INSTANTIATE(std::uint32_t)
    EVERGREEN_INSTANTIATE(std::int64_t)
    EVERGREEN_INSTANTIATE(std::uint64_t)
#undef EVERGREEN_INSTANTIATE
  } // namespace Hdf5
} // namespace Evergreen
