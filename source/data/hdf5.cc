#include <evergreen/data/hdf5.h>

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

namespace Evergreen
{
  namespace Hdf5
  {
    namespace
    {
      static_assert(std::is_same_v<hid_t, std::int64_t>,
                    "HDF5 1.10 or newer is needed");


      // What the error stack of HDF5 holds, in the order from the cause to
      // the call of ours that failed.
      struct Reason
      {
        std::string innermost;
        std::string all;
        int         error_number = 0;
      };


      herr_t
      visit_error(unsigned int, const H5E_error2_t *entry, void *data)
      {
        Reason           &reason = *static_cast<Reason *>(data);
        const std::string text   = (entry->desc != nullptr) ? entry->desc : "";
        if (reason.innermost.empty())
          reason.innermost = text;
        reason.all += text + '\n';

        const std::string key      = "errno = ";
        const auto        position = text.find(key);
        if (reason.error_number == 0 && position != std::string::npos)
          reason.error_number = std::atoi(text.c_str() + position + key.size());
        return 0;
      }


      Reason
      last_reason()
      {
        Reason reason;
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit_error, &reason);
        H5Eclear2(H5E_DEFAULT);
        if (reason.error_number != 0)
          reason.innermost = std::strerror(reason.error_number);
        else if (reason.innermost.empty())
          reason.innermost = "HDF5 gives no reason";
        return reason;
      }


      // Throws "Cannot <parts>: <HDF5's reason>." if a call has failed.
      template <typename... Parts>
      void
      require(const bool success, const Parts &...parts)
      {
        if (!success)
          throw Error("Cannot ", parts..., ": ", last_reason().innermost, ".");
      }


      // Owns one HDF5 identifier other than a file.
      class Handle
      {
      public:
        using Closer = herr_t (*)(hid_t);

        Handle(const hid_t id_, const Closer closer_) : id(id_), closer(closer_)
        {}

        Handle(const Handle &) = delete;

        Handle &
        operator=(const Handle &) = delete;

        ~Handle()
        {
          if (id >= 0)
            closer(id);
        }

        operator hid_t() const
        {
          return id;
        }

      private:
        const hid_t  id;
        const Closer closer;
      };


      template <typename T>
      hid_t
      native_type()
      {
        if constexpr (std::is_same_v<T, double>)
          return H5T_NATIVE_DOUBLE;
        else if constexpr (std::is_same_v<T, float>)
          return H5T_NATIVE_FLOAT;
        else if constexpr (std::is_same_v<T, std::uint8_t>)
          return H5T_NATIVE_UINT8;
        else if constexpr (std::is_same_v<T, std::int32_t>)
          return H5T_NATIVE_INT32;
        else if constexpr (std::is_same_v<T, std::uint32_t>)
          return H5T_NATIVE_UINT32;
        else // in files, the numbers of nodes are signed, too
          return H5T_NATIVE_INT64;
      }


      std::string
      class_name(const hid_t type)
      {
        switch (H5Tget_class(type))
          {
            case H5T_INTEGER:
              return "integers";
            case H5T_FLOAT:
              return "floating-point numbers";
            case H5T_STRING:
              return "strings";
            default:
              return "elements of an unknown kind";
          }
      }


      // Integers may be read as real numbers, not the other way round.
      template <typename T>
      void
      check_numeric(const hid_t type, const std::string &what)
      {
        constexpr bool    real       = std::is_floating_point_v<T>;
        const H5T_class_t type_class = H5Tget_class(type);
        if (type_class != H5T_INTEGER && !(type_class == H5T_FLOAT && real))
          throw Error(what,
                      " holds ",
                      class_name(type),
                      "; ",
                      real ? "real numbers" : "integers",
                      " were expected.");
      }


      std::string
      in_file(const std::string &object, const std::string &path)
      {
        return text("'", object, "' in '", path, "'");
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


      // A dataset that is open.
      struct Dataset
      {
        Dataset(const hid_t        file,
                const std::string &dataset,
                const std::string &path)
          : what(in_file(dataset, path))
          , id(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose)
          , space((require(id >= 0, "open the dataset ", what),
                   H5Dget_space(id)),
                  H5Sclose)
        {
          const int rank = H5Sget_simple_extent_ndims(space);
          require(rank >= 0, "read the shape of ", what);
          std::vector<hsize_t> extents(rank);
          H5Sget_simple_extent_dims(space, extents.data(), nullptr);
          shape.assign(extents.begin(), extents.end());
        }

        // Selects whole rows, and returns how many numbers they have.
        std::size_t
        select_rows(const std::size_t first, const std::size_t count)
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
          require(H5Sselect_hyperslab(space,
                                      H5S_SELECT_SET,
                                      start.data(),
                                      nullptr,
                                      extent.data(),
                                      nullptr) >= 0,
                  "select rows of ",
                  what);
          return std::accumulate(extent.begin(),
                                 extent.end(),
                                 std::size_t(1),
                                 std::multiplies<>());
        }

        const std::string what;
        const Handle      id;
        const Handle      space;
        Shape             shape;
      };


      // An attribute that is open and must have a single value.
      struct Attribute
      {
        Attribute(const hid_t        file,
                  const std::string &object,
                  const std::string &name,
                  const std::string &path)
          : what(text("the attribute '", name, "' of ", in_file(object, path)))
          , id(H5Aopen_by_name(
                 file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
               H5Aclose)
          , type((require(id >= 0, "open ", what), H5Aget_type(id)), H5Tclose)
        {
          const Handle space(H5Aget_space(id), H5Sclose);
          if (H5Sget_simple_extent_npoints(space) != 1)
            throw Error("In ", what, " there is not a single value.");
        }

        void
        read(const hid_t memory_type, void *value) const
        {
          require(H5Aread(id, memory_type, value) >= 0, "read ", what);
        }

        const std::string what;
        const Handle      id;
        const Handle      type;
      };


      // Adds an attribute whose value is at the given address.
      void
      add_attribute(const hid_t        file,
                    const std::string &object,
                    const std::string &name,
                    const std::string &path,
                    const hid_t        type,
                    const void        *value)
      {
        const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Handle created(H5Acreate_by_name(file,
                                               object.c_str(),
                                               name.c_str(),
                                               type,
                                               space,
                                               H5P_DEFAULT,
                                               H5P_DEFAULT,
                                               H5P_DEFAULT),
                             H5Aclose);
        require(created >= 0 && H5Awrite(created, type, value) >= 0,
                "write the attribute '",
                name,
                "' of ",
                in_file(object, path));
      }
    } // namespace


    File::File(const std::string &path_, const std::int64_t id_)
      : file_path(path_), id(id_)
    {}


    File::File(File &&other) noexcept
      : file_path(std::move(other.file_path)), id(std::exchange(other.id, -1))
    {}


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
      require(id >= 0, "create '", path, "'");
      return File(path, id);
    }


    File
    File::open(const std::string &path, const Access access)
    {
      const Handle       list(new_access_list(), H5Pclose);
      const unsigned int flags =
        (access == Access::read_only) ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
      const hid_t id = H5Fopen(path.c_str(), flags, list);
      if (id >= 0)
        return File(path, id);

      const Reason reason = last_reason();
      const auto   says   = [&](const char *words) {
        return reason.all.find(words) != std::string::npos;
      };
      if (says("truncated"))
        throw Error("'",
                    path,
                    "' is a truncated HDF5 file: ",
                    "a part of it is missing, make or copy it again.");
      if (says("unable to lock file"))
        throw InUseError("'",
                         path,
                         "' is in use by another process (",
                         reason.innermost,
                         ").");
      if (reason.error_number == ENOENT)
        throw Error("The file '", path, "' does not exist.");
      if (reason.error_number != 0)
        throw Error("Cannot open '", path, "': ", reason.innermost, ".");
      if (H5Fis_hdf5(path.c_str()) == 0)
        throw Error("'", path, "' is not an HDF5 file.");
      throw Error(
        "'", path, "' is a damaged HDF5 file: ", reason.innermost, ".");
    }


    void
    File::flush()
    {
      require(H5Fflush(id, H5F_SCOPE_GLOBAL) >= 0, "write to '", path(), "'");
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
      require(closing < 0 || H5Fclose(closing) >= 0, "finish '", path(), "'");
    }


    bool
    File::exists(const std::string &object) const
    {
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
      require(created >= 0, "create the group ", in_file(group, path()));
    }


    template <typename T>
    void
    File::create_dataset(const std::string &dataset, const Shape &shape)
    {
      const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_layout(list, H5D_CONTIGUOUS);
      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
      H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
      create_with<T>(dataset, shape, list);
    }


    template <typename T>
    void
    File::create_with(const std::string &dataset,
                      const Shape       &shape,
                      const hid_t        list)
    {
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
      require(created >= 0, "create the dataset ", in_file(dataset, path()));
    }


    template <typename T>
    void
    File::write(const std::string &dataset,
                const Shape       &extents,
                const T           *values)
    {
      create_dataset<T>(dataset, extents);
      write_rows(dataset, 0, extents.at(0), values);
    }


    template <typename T>
    void
    File::write_compressed(const std::string &dataset,
                           const Shape       &extents,
                           const T           *values)
    {
      // Parts of files that are smaller than this are not worth the effort.
      constexpr std::size_t n_least = 1024, n_rows_of_chunk = 65536;
      constexpr unsigned    level = 6;
      if (extents.at(0) < n_least)
        {
          write(dataset, extents, values);
          return;
        }
      std::vector<hsize_t> chunk(extents.begin(), extents.end());
      chunk[0] = std::min<hsize_t>(chunk[0], n_rows_of_chunk);
      const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      require(H5Pset_chunk(list,
                           static_cast<int>(chunk.size()),
                           chunk.data()) >= 0 &&
                H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, level) >= 0 &&
                H5Pset_fletcher32(list) >= 0,
              "compress the dataset ",
              in_file(dataset, path()));
      create_with<T>(dataset, extents, list);
      write_rows(dataset, 0, extents.at(0), values);
    }


    template <typename T>
    void
    File::write_rows(const std::string &dataset,
                     const std::size_t  first,
                     const std::size_t  count,
                     const T           *values)
    {
      Dataset           target(id, dataset, path());
      const std::size_t n = target.select_rows(first, count);
      if (n == 0)
        return;
      const Handle memory(new_space({n}), H5Sclose);
      require(H5Dwrite(target.id,
                       native_type<T>(),
                       memory,
                       target.space,
                       H5P_DEFAULT,
                       values) >= 0,
              "write '",
              dataset,
              "' to '",
              path(),
              "'");
    }


    Shape
    File::shape(const std::string &dataset) const
    {
      return Dataset(id, dataset, path()).shape;
    }


    Shape
    File::shape(const std::string &dataset,
                const unsigned int rank,
                const std::string &meaning) const
    {
      const Shape extents = shape(dataset);
      if (extents.size() != rank)
        throw Error(in_file(dataset, path()),
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
        throw Error(in_file(dataset, path()),
                    " is a single value; an array was expected.");
      std::vector<T> values(std::accumulate(
        extents.begin(), extents.end(), std::size_t(1), std::multiplies<>()));
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
      Dataset source(id, dataset, path());
      check_numeric<T>(Handle(H5Dget_type(source.id), H5Tclose), source.what);
      const std::size_t n = source.select_rows(first, count);
      if (n == 0)
        return;
      const Handle memory(new_space({n}), H5Sclose);
      require(H5Dread(source.id,
                      native_type<T>(),
                      memory,
                      source.space,
                      H5P_DEFAULT,
                      values) >= 0,
              "read ",
              source.what);
    }


    bool
    File::has_attribute(const std::string &object,
                        const std::string &name) const
    {
      const htri_t found =
        H5Aexists_by_name(id, object.c_str(), name.c_str(), H5P_DEFAULT);
      H5Eclear2(H5E_DEFAULT);
      return found > 0;
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const std::string &value)
    {
      const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
      H5Tset_size(type, H5T_VARIABLE);
      H5Tset_cset(type, H5T_CSET_UTF8);
      const char *const pointer = value.c_str();
      add_attribute(id, object, name, path(), type, &pointer);
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const std::int64_t value)
    {
      add_attribute(id, object, name, path(), H5T_NATIVE_INT64, &value);
    }


    std::string
    File::string_attribute(const std::string &object,
                           const std::string &name) const
    {
      const Attribute attribute(id, object, name, path());
      const hid_t     type = attribute.type;
      if (H5Tget_class(type) != H5T_STRING)
        throw Error("In ",
                    attribute.what,
                    " there are ",
                    class_name(type),
                    "; text was expected.");
      if (H5Tis_variable_str(type) > 0)
        {
          char *pointer = nullptr;
          attribute.read(type, &pointer);
          const std::string value = pointer != nullptr ? pointer : "";
          H5free_memory(pointer);
          return value;
        }
      std::string value(H5Tget_size(type) + 1, '\0');
      attribute.read(type, value.data());
      value.resize(std::strlen(value.c_str()));
      if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
        value.erase(value.find_last_not_of(' ') + 1);
      return value;
    }


    std::int64_t
    File::integer_attribute(const std::string &object,
                            const std::string &name) const
    {
      const Attribute attribute(id, object, name, path());
      check_numeric<std::int64_t>(attribute.type, attribute.what);
      std::int64_t value = 0;
      attribute.read(H5T_NATIVE_INT64, &value);
      return value;
    }


    // The element types that the header promises.
#define EVERGREEN_INSTANTIATE(T)                                               \
  template void File::create_dataset<T>(const std::string &, const Shape &);   \
  template void File::write<T>(const std::string &, const Shape &, const T *); \
  template void File::write_compressed<T>(const std::string &,                 \
                                          const Shape &,                       \
                                          const T *);                          \
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
    EVERGREEN_INSTANTIATE(std::uint8_t)
    EVERGREEN_INSTANTIATE(std::int32_t)
    EVERGREEN_INSTANTIATE(std::uint32_t)
    EVERGREEN_INSTANTIATE(std::int64_t)
    EVERGREEN_INSTANTIATE(std::size_t)
#undef EVERGREEN_INSTANTIATE
  } // namespace Hdf5
} // namespace Evergreen
