#include <evergreen/base/error.h>
#include <evergreen/data/dataset_file.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    constexpr std::size_t
    index(const Split split)
    {
      return static_cast<std::size_t>(split);
    }
  } // namespace


  DatasetReader::DatasetReader(const std::string &path)
    : file(Hdf5::File::open(path, Hdf5::Access::read_only))
  {
    check_header();
    mesh_data = DatasetFormat::read_mesh(file);
    if (file.has_attribute("/", "dim") &&
        file.integer_attribute("/", "dim") != mesh_data.dim)
      throw Error("'",
                  path,
                  "' has dim = ",
                  file.integer_attribute("/", "dim"),
                  ", but the points of its mesh have ",
                  mesh_data.dim,
                  " coordinates.");
    parameter_text = attribute("parameters");

    read_split_sizes(Split::train);
    if (sizes[index(Split::train)] == 0)
      throw Error("'/train/f' in '", path, "' has no samples.");
    if (file.exists("/test/f") || file.exists("/test/u"))
      read_split_sizes(Split::test);
    for (const Split split : {Split::train, Split::test})
      read_status(split);
  }


  void
  DatasetReader::check_header() const
  {
    if (!file.has_attribute("/", "format"))
      return;
    const std::string format = file.string_attribute("/", "format");
    if (format != DatasetFormat::name)
      throw Error("'",
                  path(),
                  "' is not a dataset: its format is '",
                  format,
                  "', '",
                  DatasetFormat::name,
                  "' was expected.");
    if (!file.has_attribute("/", "version"))
      throw Error("'", path(), "' has a format but no attribute 'version'.");
    const std::int64_t version = file.integer_attribute("/", "version");
    if (version != DatasetFormat::version)
      throw Error("'",
                  path(),
                  "' is a dataset of version ",
                  version,
                  "; this program reads version ",
                  DatasetFormat::version,
                  ".");
    if (!file.has_attribute("/", "dim"))
      throw Error("'", path(), "' has a format but no attribute 'dim'.");
  }


  void
  DatasetReader::read_split_sizes(const Split split)
  {
    std::array<std::size_t, 2> rows;
    const std::string          group = DatasetFormat::group(split);
    for (unsigned int i = 0; i < 2; ++i)
      {
        const std::string dataset = group + (i == 0 ? "/f" : "/u");
        if (!file.exists(dataset))
          throw Error("'", path(), "' has no '", dataset, "'.");
        const Hdf5::Shape shape = file.shape(dataset, 2, "samples x nodes");
        if (shape[1] != mesh_data.n_nodes())
          throw Error("'",
                      dataset,
                      "' in '",
                      path(),
                      "' has ",
                      shape[1],
                      " columns; the mesh has ",
                      mesh_data.n_nodes(),
                      " nodes",
                      shape[0] == mesh_data.n_nodes()
                        ? " (one sample a row: is it transposed?)."
                        : ".");
        rows[i] = shape[0];
      }
    if (rows[0] != rows[1])
      throw Error("'",
                  path(),
                  "' has ",
                  rows[0],
                  " rows in '",
                  group,
                  "/f' and ",
                  rows[1],
                  " in '",
                  group,
                  "/u'; they must be equal.");
    sizes[index(split)] = rows[0];
  }


  void
  DatasetReader::read_status(const Split split)
  {
    const std::size_t n = n_samples(split);
    status[index(split)].assign(n, SampleStatus::solved);
    const std::string dataset = DatasetFormat::group(split) + "/status";
    if (!file.exists(dataset))
      return;
    if (file.shape(dataset, 1, "one entry a sample")[0] != n)
      throw Error("'",
                  dataset,
                  "' in '",
                  path(),
                  "' has ",
                  file.shape(dataset)[0],
                  " entries for ",
                  n,
                  " samples.");

    const auto values = file.read<std::uint8_t>(dataset);
    for (std::size_t i = 0; i < n; ++i)
      if (values[i] <= static_cast<std::uint8_t>(SampleStatus::failed))
        status[index(split)][i] = static_cast<SampleStatus>(values[i]);
      else
        throw Error("'",
                    dataset,
                    "' in '",
                    path(),
                    "' is ",
                    int(values[i]),
                    " for sample ",
                    i,
                    "; 0 (missing), 1 (solved) or 2 (failed) was expected.");
    const auto missing = std::count(values.begin(), values.end(), 0);
    if (missing > 0)
      throw Error("'",
                  path(),
                  "' is unfinished: ",
                  missing,
                  " of ",
                  n,
                  " samples in '",
                  DatasetFormat::group(split),
                  "' are missing; resume its generation (evergreen generate "
                  "--resume).");
  }


  const std::string &
  DatasetReader::path() const
  {
    return file.path();
  }


  unsigned int
  DatasetReader::dim() const
  {
    return mesh_data.dim;
  }


  const MeshData &
  DatasetReader::mesh() const
  {
    return mesh_data;
  }


  const std::string &
  DatasetReader::parameters() const
  {
    return parameter_text;
  }


  std::string
  DatasetReader::attribute(const std::string &name) const
  {
    return file.has_attribute("/", name) ? file.string_attribute("/", name)
                                         : std::string();
  }


  std::size_t
  DatasetReader::n_samples(const Split split) const
  {
    return sizes[index(split)];
  }


  std::vector<std::size_t>
  DatasetReader::failed_samples(const Split split) const
  {
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < n_samples(split); ++i)
      if (status[index(split)][i] == SampleStatus::failed)
        samples.push_back(i);
    return samples;
  }


  std::vector<std::size_t>
  DatasetReader::valid_samples(const Split split) const
  {
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < n_samples(split); ++i)
      if (status[index(split)][i] != SampleStatus::failed)
        samples.push_back(i);
    return samples;
  }


  void
  DatasetReader::read_forcings(const Split       split,
                               const std::size_t first,
                               const std::size_t count,
                               double           *values) const
  {
    read_samples(split, "/f", first, count, values);
  }


  void
  DatasetReader::read_solutions(const Split       split,
                                const std::size_t first,
                                const std::size_t count,
                                double           *values) const
  {
    read_samples(split, "/u", first, count, values);
  }


  void
  DatasetReader::read_samples(const Split        split,
                              const std::string &name,
                              const std::size_t  first,
                              const std::size_t  count,
                              double            *values) const
  {
    if (count == 0)
      return;
    const std::string dataset = DatasetFormat::group(split) + name;
    file.read_rows(dataset, first, count, values);

    const std::size_t m = mesh_data.n_nodes();
    for (std::size_t j = 0; j < count; ++j)
      {
        if (status[index(split)][first + j] == SampleStatus::failed)
          continue;
        const double *const row = values + j * m;
        const double *const bad =
          std::find_if(row, row + m, [](const double value) {
            return !std::isfinite(value);
          });
        if (bad != row + m)
          throw Error("'",
                      dataset,
                      "' in '",
                      path(),
                      "' holds ",
                      std::isnan(*bad) ? "NaN" : "an infinite value",
                      " in sample ",
                      first + j,
                      " at node ",
                      bad - row,
                      ".");
      }
  }
} // namespace Evergreen
