// The file of a learned kernel; see doc/files.md.

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/version.h>
#include <evergreen/data/dataset_file.h>
#include <evergreen/data/hdf5.h>
#include <evergreen/kernel/learned_kernel.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Evergreen
{
  namespace
  {
    constexpr const char *format_name    = "evergreen-kernel";
    constexpr int         format_version = 2;


    /** The members of a history and their names in files, in one place. */
    template <typename History, typename Action>
    void
    for_all_errors(History &history, const Action &action)
    {
      action("/history/train_error", history.train_error);
      action("/history/validation_error", history.validation_error);
      action("/history/test_error", history.test_error);
      action("/history/kernel_error", history.kernel_error);
      action("/history/seconds", history.seconds);
    }


    /** The same for a frame. */
    template <typename Frame, typename Action>
    void
    for_all_parts(Frame &frame, const Action &action)
    {
      action("/frame/map", frame.map);
      action("/frame/inverse", frame.inverse);
      action("/frame/drift", frame.drift);
    }


    Error
    damage(const Hdf5::File &file, const std::string &what)
    {
      return Error(what, " in '", file.path(), "': the file is damaged.");
    }


    template <typename T>
    void
    write(Hdf5::File           &file,
          const std::string    &name,
          const std::vector<T> &values)
    {
      file.write_compressed(name, {values.size()}, values.data());
    }


    void
    write_expansions(Hdf5::File &file, const Expansions &expansions)
    {
      const AtomList           &pool  = expansions.pool;
      const Expansions::Level  &level = expansions.levels.back();
      std::vector<std::uint8_t> families;
      for (const AtomKind kind : pool.kinds)
        families.push_back(static_cast<std::uint8_t>(kind));
      file.create_group("/atoms");
      write(file, "/atoms/family", families);
      file.write_compressed("/atoms/weights",
                            {pool.size(), pool.dim},
                            pool.weights.data());
      write(file, "/atoms/bias", pool.biases);

      const auto                 starts = expansions.starts_on(level);
      std::vector<std::uint32_t> atoms;
      for (std::size_t s = 0; s < expansions.size(); ++s)
        atoms.insert(atoms.end(),
                     expansions.atoms.begin() + expansions.starts[s],
                     expansions.atoms.begin() + expansions.starts[s] +
                       expansions.n_atoms(s, level));
      file.create_group("/expansions");
      write(file, "/expansions/starts", starts);
      write(file, "/expansions/atoms", atoms);
      write(file, "/expansions/coefficients", level.coefficients);
    }


    void
    write_file(Hdf5::File &file, const LearnedKernel &kernel)
    {
      file.write_attribute("/", "format", format_name);
      file.write_attribute("/", "version", format_version);
      file.write_attribute("/", "dim", static_cast<int>(kernel.mesh.dim));
      file.write_attribute("/",
                           "method",
                           kernel.is_pointwise() ? "pw-oga" : "oga");
      file.write_attribute("/", "quadrature", kernel.quadrature);
      if (!kernel.backend.empty())
        file.write_attribute("/", "backend", kernel.backend);
      file.write_attribute("/", "parameters", kernel.parameters);
      file.write_attribute("/", "evergreen_version", EVERGREEN_VERSION);
      DatasetFormat::write_mesh(file, kernel.mesh);
      if (kernel.is_pointwise())
        {
          file.create_group("/response");
          write(file, "/response/nodes", kernel.response);
        }
      write_expansions(file, kernel.expansions);
      if (!kernel.frame.is_trivial())
        {
          file.create_group("/frame");
          for_all_parts(kernel.frame,
                        [&](const std::string         &name,
                            const std::vector<double> &values) {
                          write(file, name, values);
                        });
        }
      if (kernel.table)
        {
          file.create_group("/symmetrised");
          write(file, "/symmetrised/values", kernel.table->values());
        }
      file.create_group("/history");
      write(file, "/history/neurons", kernel.history.neurons);
      for_all_errors(kernel.history,
                     [&](const std::string         &name,
                         const std::vector<double> &values) {
                       write(file, name, values);
                     });
    }


    /** The frame of a kernel; without one in the file, a trivial one. */
    Frame
    read_frame(const Hdf5::File &file, const unsigned int dim)
    {
      Frame frame;
      if (!file.exists("/frame"))
        return frame;
      for_all_parts(frame,
                    [&](const std::string &name, std::vector<double> &values) {
                      values = file.read<double>(name);
                    });
      const std::size_t n = dim * dim;
      if ((!frame.map.empty() && frame.map.size() != n) ||
          frame.inverse.size() != frame.map.size() ||
          (!frame.drift.empty() && frame.drift.size() != dim))
        throw damage(file, "The arrays of '/frame' do not fit together");
      for_all_parts(
        frame, [&](const std::string &name, const std::vector<double> &values) {
          for (const double value : values)
            if (!std::isfinite(value))
              throw damage(file,
                           "'" + name + "' has a value that is not finite");
        });
      return frame;
    }


    /** What is in a file, of which some is checked here for all versions. */
    Expansions
    checked(const Hdf5::File &file, Expansions expansions)
    {
      const AtomList &pool         = expansions.pool;
      const auto     &coefficients = expansions.levels.back().coefficients;
      const auto      is_finite    = [](const std::vector<double> &values) {
        return std::all_of(values.begin(), values.end(), [](const double v) {
          return std::isfinite(v);
        });
      };
      for (const AtomKind kind : pool.kinds)
        if (!is_atom_kind(static_cast<int>(kind)))
          throw Error("'/atoms/family' in '",
                      file.path(),
                      "' has the unknown family ",
                      static_cast<int>(kind),
                      ": the file is damaged or from a newer version.");
      if (!is_finite(pool.weights) || !is_finite(pool.biases) ||
          !is_finite(coefficients))
        throw damage(file,
                     "There are atoms or coefficients that are not finite");
      std::size_t &n = expansions.levels.back().n_neurons;
      for (std::size_t s = 0; s < expansions.size(); ++s)
        n = std::max(n, expansions.starts[s + 1] - expansions.starts[s]);
      return expansions;
    }


    AtomList
    read_pool(const Hdf5::File &file, const unsigned int dim)
    {
      AtomList pool(dim);
      for (const auto family : file.read<std::int32_t>("/atoms/family"))
        pool.kinds.push_back(static_cast<AtomKind>(family));
      pool.weights = file.read<double>("/atoms/weights");
      pool.biases  = file.read<double>("/atoms/bias");
      if (pool.weights.size() != pool.size() * dim ||
          pool.biases.size() != pool.size())
        throw damage(file, "The arrays of '/atoms' do not fit together");
      return pool;
    }


    Expansions
    read_expansions(const Hdf5::File &file, const unsigned int dim)
    {
      Expansions result;
      result.pool       = read_pool(file, dim);
      const auto starts = file.read<std::int64_t>("/expansions/starts");
      result.starts.assign(starts.begin(), starts.end());
      result.atoms = file.read<std::uint32_t>("/expansions/atoms");
      result.levels.push_back(
        {0, file.read<double>("/expansions/coefficients")});
      if (starts.empty() || starts.front() != 0 ||
          !std::is_sorted(starts.begin(), starts.end()) ||
          result.starts.back() != result.atoms.size() ||
          result.levels.back().coefficients.size() != result.atoms.size())
        throw damage(file, "The arrays of '/expansions' do not fit together");
      for (const auto atom : result.atoms)
        if (atom >= result.pool.size())
          throw damage(file,
                       text("'/expansions/atoms' has the atom ",
                            atom,
                            ", but there are ",
                            result.pool.size(),
                            " only,"));
      return result;
    }


    /**
     * Version 1 has all atoms of every slice, padded to the longest. Those that
     * are equal become one atom of the pool.
     */
    Expansions
    read_version_1(const Hdf5::File &file, const unsigned int dim)
    {
      const AtomList    all          = read_pool(file, dim);
      const auto        count        = file.read<std::int64_t>("/atoms/count");
      const auto        coefficients = file.read<double>("/atoms/coefficient");
      const std::size_t room = count.empty() ? 0 : all.size() / count.size();
      if (count.empty() || coefficients.size() != all.size() ||
          all.size() != room * count.size())
        throw damage(file, "The arrays of '/atoms' do not fit together");
      Expansions result;
      result.pool = AtomList(dim);
      result.levels.emplace_back();
      std::map<std::vector<double>, std::uint32_t> numbers;
      for (std::size_t s = 0; s < count.size(); ++s)
        {
          if (count[s] < 0 || count[s] > static_cast<std::int64_t>(room))
            throw damage(file,
                         text("'/atoms/count' says that slice ",
                              s,
                              " has ",
                              count[s],
                              " atoms, where there is room for ",
                              room,
                              ","));
          for (std::size_t i = s * room; i < s * room + count[s]; ++i)
            {
              std::vector<double> key(&all.weights[i * dim],
                                      &all.weights[i * dim] + dim);
              key.push_back(all.biases[i]);
              key.push_back(static_cast<int>(all.kinds[i]));
              const auto [entry, is_new] =
                numbers.emplace(std::move(key), result.pool.size());
              if (is_new)
                result.pool.push_back(all, i);
              result.atoms.push_back(entry->second);
              result.levels.back().coefficients.push_back(coefficients[i]);
            }
          result.starts.push_back(result.atoms.size());
        }
      return result;
    }


    /** Version 1 has the whole matrix, of which the lower triangle is read. */
    void
    read_table(const Hdf5::File  &file,
               const std::int64_t version,
               LearnedKernel     &kernel)
    {
      if (!file.exists("/symmetrised"))
        return;
      auto              values = file.read<double>("/symmetrised/values");
      const std::size_t n      = kernel.response.size();
      if (version == 1 && values.size() == n * n)
        {
          std::size_t end = 0;
          for (std::size_t s = 0; s < n; ++s)
            for (std::size_t t = 0; t <= s; ++t)
              values[end++] = values[s * n + t];
          values.resize(end);
        }
      if (values.size() != n * (n + 1) / 2)
        throw damage(file,
                     "'/symmetrised/values' do not fit '/response/nodes'");
      for (const double value : values)
        if (!std::isfinite(value))
          throw damage(file, "'/symmetrised/values' are not all numbers");
      kernel.table.emplace(std::move(values));
    }


    void
    read_response(const Hdf5::File &file, LearnedKernel &kernel)
    {
      kernel.response  = file.read<std::size_t>("/response/nodes");
      const auto &node = kernel.response;
      const auto  n    = kernel.mesh.n_nodes();
      for (std::size_t s = 0; s < node.size(); ++s)
        if (node[s] >= n || (s > 0 && node[s] <= node[s - 1]))
          throw damage(file,
                       "'/response/nodes' are not increasing node numbers");
    }
  } // namespace


  void
  LearnedKernel::save(const std::string &path) const
  {
    replace_file(path, [&](const std::string &beside) {
      auto file = Hdf5::File::create(beside);
      write_file(file, *this);
      file.close();
    });
  }


  LearnedKernel
  LearnedKernel::load(const std::string &path)
  {
    const auto file = Hdf5::File::open(path, Hdf5::Access::read_only);
    if (!file.has_attribute("/", "format") ||
        file.string_attribute("/", "format") != format_name)
      throw Error("'", path, "' is not a kernel file of Evergreen.");
    const auto version = file.integer_attribute("/", "version");
    if (version < 1 || version > format_version)
      throw Error("'",
                  path,
                  "' has version ",
                  version,
                  " of the kernel format; this program reads versions 1 to ",
                  format_version,
                  ".");

    LearnedKernel kernel;
    kernel.quadrature = file.string_attribute("/", "quadrature");
    kernel.parameters = file.string_attribute("/", "parameters");
    if (file.has_attribute("/", "backend"))
      kernel.backend = file.string_attribute("/", "backend");
    kernel.mesh              = DatasetFormat::read_mesh(file);
    const std::string method = file.string_attribute("/", "method");
    if (method != "pw-oga" && method != "oga")
      throw Error("'", path, "' has the unknown method '", method, "'.");
    const bool pointwise = method == "pw-oga";
    if (pointwise)
      read_response(file, kernel);
    else
      kernel.response = free_nodes(kernel.mesh);
    kernel.expansions =
      checked(file,
              (version == 1 ? read_version_1 : read_expansions)(
                file, (pointwise ? 1 : 2) * kernel.mesh.dim));
    if (kernel.expansions.size() != (pointwise ? kernel.response.size() : 1))
      throw damage(file, "The numbers of slices do not fit '/response/nodes'");
    kernel.frame = read_frame(file, kernel.mesh.dim);
    read_table(file, version, kernel);

    kernel.history.neurons = file.read<std::int64_t>("/history/neurons");
    for_all_errors(kernel.history,
                   [&](const std::string &name, std::vector<double> &values) {
                     values = file.read<double>(name);
                   });
    return kernel;
  }
} // namespace Evergreen
