#include <evergreen/base/error.h>
#include <evergreen/base/version.h>
#include <evergreen/data/dataset_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>

namespace Evergreen
{
  namespace
  {
    std::size_t
    size_of(const DatasetDescription &description, const Split split)
    {
      return split == Split::train ? description.n_train : description.n_test;
    }


    std::string
    readable_size(const double bytes)
    {
      std::ostringstream out;
      out.precision(3);
      if (bytes >= 0x1p30)
        out << bytes / 0x1p30 << " GiB";
      else
        out << bytes / 0x1p20 << " MiB";
      return out.str();
    }


    std::string
    directory_of(const std::string &path)
    {
      const auto parent = std::filesystem::path(path).parent_path();
      return parent.empty() ? "." : parent.string();
    }


    // A little more than what the file will take.
    double
    file_size(const DatasetDescription &description)
    {
      const double n_samples =
        static_cast<double>(description.n_train) + description.n_test;
      const MeshData &mesh = description.mesh;
      return 0x1p16 + description.parameters.size() +
             8. * (mesh.points.size() + mesh.cells.size() +
                   mesh.boundary.size() + mesh.materials.size() +
                   mesh.faces.size() + mesh.face_ids.size()) +
             n_samples * (16. * mesh.n_nodes() + 1.);
    }


    // Whether the file can be written at all, before any work is done for it.
    void
    check_place(const std::string &target, const double size)
    {
      const auto refuse = [&](const auto &...words) {
        throw Error("Cannot write '", target, "': ", words..., ".");
      };
      const std::string directory = directory_of(target);
      std::error_code   error;
      if (!std::filesystem::is_directory(directory, error))
        refuse("the directory '", directory, "' does not exist");
      if (std::filesystem::is_directory(target, error))
        refuse("it is a directory");
      const auto space = std::filesystem::space(directory, error);
      if (!error && static_cast<double>(space.available) < size)
        refuse("it needs ",
               readable_size(size),
               ", but the disk of '",
               directory,
               "' has ",
               readable_size(static_cast<double>(space.available)),
               " left");
    }


    std::size_t
    count_done(const std::vector<SampleStatus> &status)
    {
      return status.size() -
             std::count(status.begin(), status.end(), SampleStatus::missing);
    }


    // Opens a partial file; an error says what to do about it.
    Hdf5::File
    open_partial(const std::string &path, const Hdf5::Access access)
    {
      try
        {
          return Hdf5::File::open(path, access);
        }
      catch (const Hdf5::InUseError &)
        {
          throw;
        }
      catch (const Error &error)
        {
          throw Error("The unfinished dataset of an earlier run is unusable: ",
                      error.what(),
                      " Remove it to start again.");
        }
    }


    // Samples of an earlier run are not thrown away without being asked.
    void
    check_no_partial(const std::string &target)
    {
      const std::string path = DatasetWriter::partial_path(target);
      std::error_code   error;
      if (!std::filesystem::exists(path, error))
        return;
      const Hdf5::File file  = open_partial(path, Hdf5::Access::read_only);
      const auto       train = DatasetFormat::read_status(file, Split::train);
      const auto       test  = DatasetFormat::read_status(file, Split::test);
      throw Error("'",
                  path,
                  "' holds ",
                  count_done(train) + count_done(test),
                  " of ",
                  train.size() + test.size(),
                  " samples of an earlier run: continue it with --resume, or "
                  "remove it to start again.");
    }


    void
    write_structure(Hdf5::File &file, const DatasetDescription &description)
    {
      file.write_attribute("/", "format", DatasetFormat::name);
      file.write_attribute("/", "version", DatasetFormat::version);
      file.write_attribute("/", "dim", description.mesh.dim);
      file.write_attribute("/", "parameters", description.parameters);
      file.write_attribute("/", "evergreen_version", EVERGREEN_VERSION);
      for (const auto &[name, value] : description.attributes)
        file.write_attribute("/", name, value);

      DatasetFormat::write_mesh(file, description.mesh);
      for (const Split split : {Split::train, Split::test})
        {
          const std::string               group = DatasetFormat::group(split);
          const std::size_t               n     = size_of(description, split);
          const std::vector<std::uint8_t> missing(n, 0);
          file.create_group(group);
          file.write(group + "/status", {n}, missing.data());
          for (const char *const name : {"/f", "/u"})
            file.create_dataset<double>(group + name,
                                        {n, description.mesh.n_nodes()});
        }
    }


    // Calls an operation of the operating system on an open file.
    template <typename Operation>
    void
    apply_to_file(const std::string &path,
                  const int          flags,
                  const Operation   &operation)
    {
      const int file = open(path.c_str(), flags);
      if (file < 0)
        throw Error("Cannot open '", path, "': ", std::strerror(errno), ".");
      const int error = operation(file) == 0 ? 0 : errno;
      close(file);
      if (error != 0)
        throw Error("Cannot write '", path, "': ", std::strerror(error), ".");
    }


    // Takes the disk space now where the file system can, so that the disk
    // cannot run full during a long run.
    void
    reserve_space(const std::string &path)
    {
      apply_to_file(path, O_RDWR, [&](const int file) {
        const auto size = std::filesystem::file_size(path);
        if (fallocate(file, 0, 0, static_cast<off_t>(size)) != 0 &&
            (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
          return -1;
        return 0;
      });
    }


    // Makes the partial file under another name first: it must not be seen
    // before it is complete.
    Hdf5::File
    new_partial(const std::string        &target,
                const DatasetDescription &description)
    {
      description.mesh.check(text("The mesh for '", target, "'"));
      check_no_partial(target);
      check_place(target, file_size(description));

      const std::string partial = DatasetWriter::partial_path(target);
      const std::string unnamed = partial + ".new";
      try
        {
          auto file = Hdf5::File::create(unnamed);
          write_structure(file, description);
          file.flush();
          file.close();
          reserve_space(unnamed);
          std::filesystem::rename(unnamed, partial);
        }
      catch (const std::exception &error)
        {
          std::error_code ignored;
          std::filesystem::remove(unnamed, ignored);
          throw Error("Cannot begin '",
                      target,
                      "' (",
                      readable_size(file_size(description)),
                      "): ",
                      error.what());
        }
      return Hdf5::File::open(partial, Hdf5::Access::read_write);
    }


    // The first line in which two texts differ, as part of an error message;
    // empty if there is none.
    std::string
    first_difference(const std::string &there, const std::string &now)
    {
      std::istringstream old_lines(there), new_lines(now);
      for (std::size_t number = 1;; ++number)
        {
          std::string old_line, new_line;
          const bool  old_end = !std::getline(old_lines, old_line);
          const bool  new_end = !std::getline(new_lines, new_line);
          if (old_end && new_end)
            return "";
          if (old_end != new_end || old_line != new_line)
            {
              const auto quoted = [](const bool end, const std::string &line) {
                const auto start =
                  std::min(line.find_first_not_of(' '), line.size());
                return end ? std::string("missing")
                           : "'" + line.substr(start) + "'";
              };
              return text("line ",
                          number,
                          " is ",
                          quoted(old_end, old_line),
                          " there and ",
                          quoted(new_end, new_line),
                          " now");
            }
        }
    }


    // Equal up to rounding: the points may be computed by other processes.
    bool
    same_points(const std::vector<double> &a, const std::vector<double> &b)
    {
      double size = 0.;
      for (const double value : a)
        size = std::max(size, std::abs(value));
      return a.size() == b.size() &&
             std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
               return std::abs(x - y) <= 1e-12 * size;
             });
    }


    // Throws unless the partial file is of the dataset that is wanted now.
    void
    check_same(const Hdf5::File &file, const DatasetDescription &description)
    {
      const auto refuse = [&](const std::string &reason) {
        throw Error("Cannot resume '",
                    file.path(),
                    "': ",
                    reason,
                    ". Restore what it was made with, or remove it to start "
                    "again.");
      };
      if (!file.has_attribute("/", "format") ||
          file.string_attribute("/", "format") != DatasetFormat::name)
        refuse("it is not a dataset");

      const std::string difference =
        first_difference(file.string_attribute("/", "parameters"),
                         description.parameters);
      if (!difference.empty())
        refuse("its parameters differ: " + difference);
      for (const Split split : {Split::train, Split::test})
        {
          const std::string group = DatasetFormat::group(split);
          const std::size_t n     = file.shape(group + "/status")[0];
          if (n != size_of(description, split))
            refuse(text("it has ",
                        n,
                        " samples in '",
                        group,
                        "', ",
                        size_of(description, split),
                        " are wanted now"));
        }
      const std::string version =
        file.string_attribute("/", "evergreen_version");
      if (version != EVERGREEN_VERSION)
        refuse(text("it was begun by version ",
                    version,
                    ", this is ",
                    EVERGREEN_VERSION));

      const MeshData  there = DatasetFormat::read_mesh(file);
      const MeshData &now   = description.mesh;
      if (there.cell_type != now.cell_type || there.degree != now.degree ||
          there.cells != now.cells || there.boundary != now.boundary ||
          there.materials != now.materials || there.faces != now.faces ||
          there.face_ids != now.face_ids ||
          !same_points(there.points, now.points))
        refuse("it was made with another mesh");
    }
  } // namespace


  DatasetWriter::DatasetWriter(const std::string &target_, Hdf5::File &&file_)
    : target(target_), file(std::move(file_))
  {
    for (const Split split : {Split::train, Split::test})
      sample_status[split] = DatasetFormat::read_status(file, split);
  }


  DatasetWriter::DatasetWriter(const std::string        &target_,
                               const DatasetDescription &description)
    : DatasetWriter(target_, new_partial(target_, description))
  {}


  DatasetWriter
  DatasetWriter::resume(const std::string        &target,
                        const DatasetDescription &description)
  {
    const std::string path = partial_path(target);
    std::error_code   ignored;
    if (!std::filesystem::exists(path, ignored))
      throw Error("There is nothing to resume: '", path, "' does not exist.");
    auto file = open_partial(path, Hdf5::Access::read_write);
    check_same(file, description);
    return DatasetWriter(target, std::move(file));
  }


  void
  DatasetWriter::write(const Split         split,
                       const std::size_t   first,
                       const std::size_t   count,
                       const double       *forcings,
                       const double       *solutions,
                       const SampleStatus *status)
  {
    const std::string         group = DatasetFormat::group(split);
    std::vector<SampleStatus> marks(count, SampleStatus::solved);
    if (status != nullptr)
      std::copy_n(status, count, marks.begin());

    file.write_rows(group + "/f", first, count, forcings);
    file.write_rows(group + "/u", first, count, solutions);
    const std::vector<double> nothing(file.shape(group + "/u")[1],
                                      std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < count; ++j)
      if (marks[j] == SampleStatus::failed)
        file.write_rows(group + "/u", first + j, 1, nothing.data());
    file.flush();

    file.write_rows(group + "/status",
                    first,
                    count,
                    reinterpret_cast<const std::uint8_t *>(marks.data()));
    file.flush();
    file.begin_writeback();
    std::copy(marks.begin(), marks.end(), sample_status[split].begin() + first);
  }


  std::size_t
  DatasetWriter::n_done() const
  {
    return count_done(status(Split::train)) + count_done(status(Split::test));
  }


  void
  DatasetWriter::finish()
  {
    const std::size_t n =
      status(Split::train).size() + status(Split::test).size();
    if (n_done() != n)
      throw Error("Cannot finish '",
                  target,
                  "': ",
                  n - n_done(),
                  " of ",
                  n,
                  " samples are missing.");

    const std::string partial = partial_path(target);
    const auto        sync    = [](const int opened) { return fsync(opened); };
    file.close();
    apply_to_file(partial, O_RDWR, sync);
    if (std::rename(partial.c_str(), target.c_str()) != 0)
      throw Error("Cannot rename '",
                  partial,
                  "', which is complete, to '",
                  target,
                  "': ",
                  std::strerror(errno),
                  ".");
    apply_to_file(directory_of(target), O_RDONLY | O_DIRECTORY, sync);
  }
} // namespace Evergreen
