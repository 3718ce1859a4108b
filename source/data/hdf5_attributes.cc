#include "hdf5_internal.h"

#include <evergreen/base/error.h>
#include <evergreen/data/hdf5.h>

namespace Evergreen
{
  namespace Hdf5
  {
    using namespace Internal;

    namespace
    {
      hid_t
      open_attribute(const hid_t        file,
                     const std::string &object,
                     const std::string &name,
                     const std::string &path)
      {
        const hid_t id = H5Aopen_by_name(
          file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        if (id < 0)
          fail("open the attribute '", name, "' of ", in_file(object, path));
        return id;
      }


      // Adds a scalar attribute whose value is at the given address.
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
        if (created < 0 || H5Awrite(created, type, value) < 0)
          fail("write the attribute '", name, "' of ", in_file(object, path));
      }


      template <typename T>
      T
      scalar_attribute(const hid_t        file,
                       const std::string &object,
                       const std::string &name,
                       const std::string &path)
      {
        const Handle handle(open_attribute(file, object, name, path), H5Aclose);
        const Handle space(H5Aget_space(handle), H5Sclose);
        const Handle type(H5Aget_type(handle), H5Tclose);
        const std::string what =
          text("The attribute '", name, "' of ", in_file(object, path));
        check_numeric<T>(type, what);
        if (H5Sget_simple_extent_npoints(space) != 1)
          throw Error(what, " is not a single number.");
        T value = 0;
        if (H5Aread(handle, native_type<T>(), &value) < 0)
          fail("read the attribute '", name, "' of ", in_file(object, path));
        return value;
      }
    } // namespace


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
      const Handle      type(new_string_type(), H5Tclose);
      const char *const pointer = value.c_str();
      add_attribute(id, object, name, file_path, type, &pointer);
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const char        *value)
    {
      write_attribute(object, name, std::string(value));
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const std::int64_t value)
    {
      add_attribute(id, object, name, file_path, H5T_NATIVE_INT64, &value);
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const int          value)
    {
      write_attribute(object, name, static_cast<std::int64_t>(value));
    }


    void
    File::write_attribute(const std::string &object,
                          const std::string &name,
                          const double       value)
    {
      add_attribute(id, object, name, file_path, H5T_NATIVE_DOUBLE, &value);
    }


    std::string
    File::string_attribute(const std::string &object,
                           const std::string &name) const
    {
      const Handle      handle(open_attribute(id, object, name, file_path),
                          H5Aclose);
      const Handle      space(H5Aget_space(handle), H5Sclose);
      const Handle      type(H5Aget_type(handle), H5Tclose);
      const std::string what =
        text("The attribute '", name, "' of ", in_file(object, file_path));
      const auto values =
        strings_of(type, space, what, [&](const hid_t type_, void *buffer) {
          return H5Aread(handle, type_, buffer);
        });
      if (values.size() != 1)
        throw Error(what, " is not a single text.");
      return values[0];
    }


    std::int64_t
    File::integer_attribute(const std::string &object,
                            const std::string &name) const
    {
      return scalar_attribute<std::int64_t>(id, object, name, file_path);
    }


    double
    File::real_attribute(const std::string &object,
                         const std::string &name) const
    {
      return scalar_attribute<double>(id, object, name, file_path);
    }
  } // namespace Hdf5
} // namespace Evergreen
