// What the sources of the HDF5 layer share and nobody else sees: identifiers
// that close themselves, error messages, and the mapping of types.

#ifndef evergreen_data_hdf5_internal_h
#define evergreen_data_hdf5_internal_h

#include <evergreen/base/error.h>

#include <hdf5.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace Evergreen
{
  namespace Hdf5
  {
    namespace Internal
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


      inline herr_t
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


      inline Reason
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


      // Throws "Cannot <parts>: <HDF5's reason>."
      template <typename... Parts>
      [[noreturn]] void
      fail(const Parts &...parts)
      {
        const Reason reason = last_reason();
        throw Error("Cannot ", parts..., ": ", reason.innermost, ".");
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
        else if constexpr (std::is_same_v<T, std::int8_t>)
          return H5T_NATIVE_INT8;
        else if constexpr (std::is_same_v<T, std::uint8_t>)
          return H5T_NATIVE_UINT8;
        else if constexpr (std::is_same_v<T, std::int32_t>)
          return H5T_NATIVE_INT32;
        else if constexpr (std::is_same_v<T, std::uint32_t>)
          return H5T_NATIVE_UINT32;
        else if constexpr (std::is_same_v<T, std::int64_t>)
          return H5T_NATIVE_INT64;
        else
          return H5T_NATIVE_UINT64;
      }


      inline hid_t
      new_string_type()
      {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
        return type;
      }


      inline const char *
      class_name(const H5T_class_t type_class)
      {
        switch (type_class)
          {
            case H5T_INTEGER:
              return "integers";
            case H5T_FLOAT:
              return "floating-point numbers";
            case H5T_STRING:
              return "strings";
            case H5T_COMPOUND:
              return "compound elements (such as complex numbers)";
            case H5T_ENUM:
              return "enumerated values (such as booleans)";
            default:
              return "elements of an unknown kind";
          }
      }


      // Integers may be read as real numbers, not the other way round.
      template <typename T>
      void
      check_numeric(const hid_t type, const std::string &what)
      {
        const H5T_class_t type_class = H5Tget_class(type);
        if (type_class != H5T_INTEGER &&
            !(type_class == H5T_FLOAT && std::is_floating_point_v<T>))
          throw Error(what,
                      " holds ",
                      class_name(type_class),
                      "; ",
                      std::is_floating_point_v<T> ? "real numbers" : "integers",
                      " were expected.");
      }


      // The strings of an attribute or dataset of which read_into(type, buffer)
      // reads all.
      template <typename Reader>
      std::vector<std::string>
      strings_of(const hid_t        type,
                 const hid_t        space,
                 const std::string &what,
                 const Reader      &read_into)
      {
        if (H5Tget_class(type) != H5T_STRING)
          throw Error(what,
                      " holds ",
                      class_name(H5Tget_class(type)),
                      "; text was expected.");
        const auto n =
          static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
        std::vector<std::string> values;
        if (H5Tis_variable_str(type) > 0)
          {
            std::vector<char *> pointers(n, nullptr);
            if (read_into(type, pointers.data()) < 0)
              fail("read ", what);
            for (const char *const pointer : pointers)
              values.emplace_back(pointer != nullptr ? pointer : "");
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
            return values;
          }

        const std::size_t size = H5Tget_size(type);
        std::vector<char> buffer(n * size + 1, '\0');
        if (read_into(type, buffer.data()) < 0)
          fail("read ", what);
        const bool padded = (H5Tget_strpad(type) == H5T_STR_SPACEPAD);
        for (std::size_t i = 0; i < n; ++i)
          {
            const char *const start = buffer.data() + i * size;
            std::string       value(start, strnlen(start, size));
            if (padded)
              value.erase(value.find_last_not_of(' ') + 1);
            values.push_back(value);
          }
        return values;
      }


      inline std::string
      in_file(const std::string &object, const std::string &path)
      {
        return text("'", object, "' in '", path, "'");
      }
    } // namespace Internal
  } // namespace Hdf5
} // namespace Evergreen

#endif
