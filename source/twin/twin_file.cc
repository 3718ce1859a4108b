// The file of a twin; see doc/twin.md.

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/version.h>
#include <evergreen/data/dataset_file.h>
#include <evergreen/data/hdf5.h>
#include <evergreen/twin/learned_twin.h>

#include <cmath>

namespace Evergreen
{
  namespace
  {
    constexpr const char *format_name    = "evergreen-twin";
    constexpr int         format_version = 1;


    void
    write_matrix(Hdf5::File        &file,
                 const std::string &group,
                 const CsrMatrix   &matrix)
    {
      file.create_group(group);
      const auto write = [&](const char *name, const auto &values) {
        file.write_compressed(group + name, {values.size()}, values.data());
      };
      write("/indptr", matrix.starts);
      write("/indices", matrix.columns);
      write("/data", matrix.values);
      file.write_attribute(group, "n_rows", matrix.n_rows());
      file.write_attribute(group, "n_columns", matrix.n_columns);
    }


    CsrMatrix
    read_matrix(const Hdf5::File &file, const std::string &group)
    {
      CsrMatrix  matrix;
      const auto starts = file.read<std::int64_t>(group + "/indptr");
      matrix.starts.assign(starts.begin(), starts.end());
      matrix.columns   = file.read<std::uint32_t>(group + "/indices");
      matrix.values    = file.read<double>(group + "/data");
      matrix.n_columns = file.integer_attribute(group, "n_columns");
      if (!matrix.is_valid())
        throw Error("The arrays of '",
                    group,
                    "' in '",
                    file.path(),
                    "' do not fit together: the file is damaged.");
      return matrix;
    }


    /** The numbers that are no integers, in one place for both ways. */
    template <typename Twin, typename Action>
    void
    for_all_numbers(Twin &twin, const Action &action)
    {
      action("/choice/ridge", twin.choice.ridge);
      action("/choice/error", twin.choice.error);
      action("/choice/typical_error", twin.choice.typical);
      action("/choice/unseen", twin.unseen);
    }


    void
    check(const LearnedTwin &twin, const std::string &path)
    {
      const std::size_t n = twin.free.size();
      bool is_fine = n > 0 && twin.a.n_rows() == n && twin.a.n_columns == n &&
                     twin.b.n_rows() == n &&
                     twin.free.back() < twin.mesh.n_nodes();
      for (std::size_t s = 1; s < n; ++s)
        is_fine = is_fine && twin.free[s - 1] < twin.free[s];
      if (!is_fine)
        throw Error("The nodes and the matrices in '",
                    path,
                    "' do not fit together: the file is damaged.");
      twin.mesh.check("'" + path + "'");
    }
  } // namespace


  void
  LearnedTwin::save(const std::string &path) const
  {
    replace_file(path, [&](const std::string &beside) {
      auto file = Hdf5::File::create(beside);
      file.write_attribute("/", "format", format_name);
      file.write_attribute("/", "version", format_version);
      file.write_attribute("/", "dim", static_cast<int>(mesh.dim));
      file.write_attribute("/", "parameters", parameters);
      file.write_attribute("/", "evergreen_version", EVERGREEN_VERSION);
      DatasetFormat::write_mesh(file, mesh);
      file.create_group("/free");
      file.write_compressed("/free/nodes", {free.size()}, free.data());
      write_matrix(file, "/A", a);
      write_matrix(file, "/B", b);

      file.create_group("/choice");
      const auto write = [&](const char *name, const std::int64_t value) {
        file.write_attribute("/choice", name, value);
      };
      file.write_attribute("/choice",
                           "width",
                           choice.width == MomentWidth::half ? "half" : "full");
      write("own_mesh", is_own);
      write("samples", n_samples);
      write("value_rings", choice.value_rings);
      write("moment_rings", choice.moment_rings);
      write("coefficients", choice.n_coefficients);
      write("pooled", choice.pooled);
      for_all_numbers(*this, [&](const char *name, const double value) {
        file.write<double>(name, {1}, &value);
      });
      file.close();
    });
  }


  LearnedTwin
  LearnedTwin::load(const std::string &path)
  {
    const auto file = Hdf5::File::open(path, Hdf5::Access::read_only);
    if (!file.has_attribute("/", "format") ||
        file.string_attribute("/", "format") != format_name)
      throw Error("'", path, "' is not a twin file of Evergreen.");
    if (const auto version = file.integer_attribute("/", "version");
        version != format_version)
      throw Error("'",
                  path,
                  "' has version ",
                  version,
                  " of the twin format; this program reads version ",
                  format_version,
                  ".");
    LearnedTwin twin;
    twin.parameters = file.string_attribute("/", "parameters");
    twin.mesh       = DatasetFormat::read_mesh(file);
    twin.free       = file.read<std::size_t>("/free/nodes");
    twin.a          = read_matrix(file, "/A");
    twin.b          = read_matrix(file, "/B");

    const auto read = [&](const char *name) {
      return file.integer_attribute("/choice", name);
    };
    const auto width = file.string_attribute("/choice", "width");
    if (width != "half" && width != "full")
      throw Error("'", path, "' has moments of the unknown width ", width, ".");
    twin.choice.width = width == "half" ? MomentWidth::half : MomentWidth::full;
    twin.is_own       = read("own_mesh") != 0;
    twin.n_samples    = read("samples");
    twin.choice.value_rings    = read("value_rings");
    twin.choice.moment_rings   = read("moment_rings");
    twin.choice.n_coefficients = read("coefficients");
    twin.choice.pooled         = read("pooled") != 0;
    for_all_numbers(twin, [&](const char *name, double &value) {
      const auto numbers = file.read<double>(name);
      if (numbers.size() != 1)
        throw Error("'", name, "' in '", path, "' is not one number.");
      value = numbers.front();
    });
    check(twin, path);
    return twin;
  }


  bool
  LearnedTwin::is_file(const std::string &path)
  {
    try
      {
        const auto file = Hdf5::File::open(path, Hdf5::Access::read_only);
        return file.has_attribute("/", "format") &&
               file.string_attribute("/", "format") == format_name;
      }
    catch (const Error &)
      {
        return false;
      }
  }
} // namespace Evergreen
