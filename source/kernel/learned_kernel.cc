#include <evergreen/base/error.h>
#include <evergreen/base/version.h>
#include <evergreen/data/dataset_file.h>
#include <evergreen/data/hdf5.h>
#include <evergreen/kernel/learned_kernel.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace Evergreen
{
  namespace
  {
    constexpr const char *format_name    = "evergreen-kernel";
    constexpr int         format_version = 1;

    /** The members of a history and their names in files, in one place. */
    template <typename History, typename Action>
    void
    for_all_errors(History &history, const Action &action)
    {
      action("train_error", history.train_error);
      action("validation_error", history.validation_error);
      action("test_error", history.test_error);
      action("kernel_error", history.kernel_error);
      action("seconds", history.seconds);
    }


    /** The arrays of /atoms, padded to the longest expansion. */
    struct AtomArrays
    {
      std::size_t               n_expansions = 0;
      std::size_t               n_atoms      = 0;
      unsigned int              dim          = 0;
      std::vector<std::int64_t> count;
      std::vector<std::int32_t> family;
      std::vector<double>       weights, bias, coefficient;
    };


    AtomArrays
    pack(const LearnedKernel &kernel)
    {
      AtomArrays arrays;
      arrays.n_expansions = kernel.expansions.size();
      arrays.n_atoms      = kernel.n_neurons();
      arrays.dim =
        kernel.is_pointwise() ? kernel.mesh.dim : 2 * kernel.mesh.dim;
      const std::size_t n = arrays.n_expansions * arrays.n_atoms;
      arrays.family.resize(n, 0);
      arrays.weights.resize(n * arrays.dim, 0.);
      arrays.bias.resize(n, 0.);
      arrays.coefficient.resize(n, 0.);
      for (std::size_t s = 0; s < arrays.n_expansions; ++s)
        {
          const Expansion  &expansion = kernel.expansions[s];
          const std::size_t count     = expansion.coefficients.size();
          const std::size_t offset    = s * arrays.n_atoms;
          arrays.count.push_back(count);
          for (std::size_t i = 0; i < count; ++i)
            arrays.family[offset + i] =
              static_cast<std::int32_t>(expansion.atoms.kinds[i]);
          std::copy_n(expansion.atoms.weights.begin(),
                      count * arrays.dim,
                      arrays.weights.begin() + offset * arrays.dim);
          std::copy_n(expansion.atoms.biases.begin(),
                      count,
                      arrays.bias.begin() + offset);
          std::copy_n(expansion.coefficients.begin(),
                      count,
                      arrays.coefficient.begin() + offset);
        }
      return arrays;
    }


    void
    write_atoms(Hdf5::File &file, const LearnedKernel &kernel)
    {
      const AtomArrays arrays = pack(kernel);
      Hdf5::Shape      shape  = {arrays.n_expansions, arrays.n_atoms};
      if (!kernel.is_pointwise())
        shape.erase(shape.begin());
      Hdf5::Shape weights_shape = shape;
      weights_shape.push_back(arrays.dim);
      file.create_group("/atoms");
      file.write("/atoms/family", shape, arrays.family.data());
      file.write("/atoms/weights", weights_shape, arrays.weights.data());
      file.write("/atoms/bias", shape, arrays.bias.data());
      file.write("/atoms/coefficient", shape, arrays.coefficient.data());
      file.write("/atoms/count", {arrays.n_expansions}, arrays.count.data());
    }


    void
    write_file(Hdf5::File &file, const LearnedKernel &kernel)
    {
      file.write_attribute("/", "format", format_name);
      file.write_attribute("/", "version", format_version);
      file.write_attribute("/", "dim", static_cast<int>(kernel.mesh.dim));
      file.write_attribute("/", "method", kernel.method);
      file.write_attribute("/", "quadrature", kernel.quadrature);
      if (!kernel.backend.empty())
        file.write_attribute("/", "backend", kernel.backend);
      file.write_attribute("/", "parameters", kernel.parameters);
      file.write_attribute("/", "evergreen_version", EVERGREEN_VERSION);
      DatasetFormat::write_mesh(file, kernel.mesh);
      if (kernel.is_pointwise())
        {
          file.create_group("/response");
          file.write("/response/nodes",
                     {kernel.response.size()},
                     kernel.response.data());
        }
      write_atoms(file, kernel);
      if (kernel.is_symmetrised())
        {
          file.create_group("/symmetrised");
          file.write("/symmetrised/values",
                     {kernel.response.size(), kernel.response.size()},
                     kernel.table.data());
        }

      const LearningHistory &history = kernel.history;
      file.create_group("/history");
      file.write("/history/neurons",
                 {history.neurons.size()},
                 history.neurons.data());
      for_all_errors(
        history,
        [&](const std::string &name, const std::vector<double> &values) {
          file.write("/history/" + name, {values.size()}, values.data());
        });
    }


    /** Makes the expansions from the arrays of /atoms and checks them. */
    void
    unpack(const AtomArrays  &arrays,
           LearnedKernel     &kernel,
           const std::string &path)
    {
      for (std::size_t s = 0; s < arrays.n_expansions; ++s)
        {
          const std::int64_t count = arrays.count[s];
          if (count < 0 || count > static_cast<std::int64_t>(arrays.n_atoms))
            throw Error("'/atoms/count' in '",
                        path,
                        "' says that slice ",
                        s,
                        " has ",
                        count,
                        " atoms, but there is room for ",
                        arrays.n_atoms,
                        " only: the file is damaged.");
          Expansion expansion{AtomList(arrays.dim), {}};
          for (std::size_t i = s * arrays.n_atoms;
               i < s * arrays.n_atoms + count;
               ++i)
            {
              const int kind = arrays.family[i];
              if (!is_atom_kind(kind))
                throw Error("'/atoms/family' in '",
                            path,
                            "' has the unknown family ",
                            kind,
                            ": the file is damaged or from a newer version.");
              bool finite = std::isfinite(arrays.bias[i]) &&
                            std::isfinite(arrays.coefficient[i]);
              for (unsigned int d = 0; d < arrays.dim; ++d)
                finite =
                  finite && std::isfinite(arrays.weights[i * arrays.dim + d]);
              if (!finite)
                throw Error("Slice ",
                            s,
                            " in '",
                            path,
                            "' has atoms that are not finite: the file is "
                            "damaged.");
              expansion.atoms.push_back(static_cast<AtomKind>(kind),
                                        &arrays.weights[i * arrays.dim],
                                        arrays.bias[i]);
              expansion.coefficients.push_back(arrays.coefficient[i]);
            }
          kernel.expansions.push_back(std::move(expansion));
        }
    }


    void
    read_atoms(const Hdf5::File &file, LearnedKernel &kernel)
    {
      AtomArrays        arrays;
      const bool        pointwise = kernel.is_pointwise();
      const std::string meaning =
        pointwise ? "slices x atoms x dimension" : "atoms x dimension";
      const auto shape =
        file.shape("/atoms/weights", pointwise ? 3 : 2, meaning);
      arrays.dim          = pointwise ? kernel.mesh.dim : 2 * kernel.mesh.dim;
      arrays.n_expansions = pointwise ? shape[0] : 1;
      arrays.n_atoms      = pointwise ? shape[1] : shape[0];
      arrays.count        = file.read<std::int64_t>("/atoms/count");
      arrays.family       = file.read<std::int32_t>("/atoms/family");
      arrays.weights      = file.read<double>("/atoms/weights");
      arrays.bias         = file.read<double>("/atoms/bias");
      arrays.coefficient  = file.read<double>("/atoms/coefficient");

      const std::size_t n = arrays.n_expansions * arrays.n_atoms;
      if (shape.back() != arrays.dim || arrays.family.size() != n ||
          arrays.bias.size() != n || arrays.coefficient.size() != n ||
          arrays.count.size() != arrays.n_expansions ||
          (pointwise && kernel.response.size() != arrays.n_expansions))
        throw Error("The arrays in '/atoms' and '/response' of '",
                    file.path(),
                    "' do not fit together: the file is damaged.");
      unpack(arrays, kernel, file.path());
    }


    void
    read_table(const Hdf5::File &file, LearnedKernel &kernel)
    {
      if (!file.exists("/symmetrised"))
        return;
      kernel.table        = file.read<double>("/symmetrised/values");
      const std::size_t n = kernel.response.size();
      if (kernel.table.size() != n * n)
        throw Error("'/symmetrised/values' in '",
                    file.path(),
                    "' does not fit '/response/nodes': the file is damaged.");
      for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t <= s; ++t)
          if (!(kernel.table[s * n + t] == kernel.table[t * n + s]) ||
              !std::isfinite(kernel.table[s * n + t]))
            throw Error("'/symmetrised/values' in '",
                        file.path(),
                        "' is not a symmetric matrix of numbers: the file is "
                        "damaged.");
    }
  } // namespace


  std::size_t
  LearningHistory::add(const std::size_t n_neurons)
  {
    neurons.push_back(n_neurons);
    for_all_errors(*this, [](const std::string &, std::vector<double> &values) {
      values.push_back(std::numeric_limits<double>::quiet_NaN());
    });
    return neurons.size() - 1;
  }


  std::size_t
  LearnedKernel::n_neurons() const
  {
    std::size_t n = 0;
    for (const auto &expansion : expansions)
      n = std::max(n, expansion.coefficients.size());
    return n;
  }


  AtomList
  LearnedKernel::slice_atoms(const std::size_t    s,
                             std::vector<double> &factors) const
  {
    if (is_pointwise())
      {
        factors.assign(expansions[s].atoms.size(), 1.);
        return expansions[s].atoms;
      }
    const AtomList &whole = expansions.front().atoms;
    const double   *x     = &mesh.points[response[s] * mesh.dim];
    AtomList        result(mesh.dim);
    factors.clear();
    for (std::size_t i = 0; i < whole.size(); ++i)
      {
        std::vector<double> factor;
        result.push_back(restrict_to_points(whole, i, 1, x, factor), 0);
        factors.push_back(factor[0]);
      }
    return result;
  }


  Expansion
  LearnedKernel::slice(const std::size_t s) const
  {
    std::vector<double> factors;
    Expansion           result{slice_atoms(s, factors),
                     expansions[is_pointwise() ? s : 0].coefficients};
    for (std::size_t i = 0; i < result.coefficients.size(); ++i)
      result.coefficients[i] *= factors[i];
    return result;
  }


  void
  LearnedKernel::save(const std::string &path) const
  {
    const std::string temporary = path + ".new";
    try
      {
        auto file = Hdf5::File::create(temporary);
        write_file(file, *this);
        file.close();
      }
    catch (...)
      {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw;
      }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error)
      throw Error("Cannot write '", path, "': ", error.message(), ".");
  }


  LearnedKernel
  LearnedKernel::load(const std::string &path)
  {
    const auto file = Hdf5::File::open(path, Hdf5::Access::read_only);
    if (!file.has_attribute("/", "format") ||
        file.string_attribute("/", "format") != format_name)
      throw Error("'", path, "' is not a kernel file of Evergreen.");
    if (file.integer_attribute("/", "version") != format_version)
      throw Error("'",
                  path,
                  "' has version ",
                  file.integer_attribute("/", "version"),
                  " of the kernel format; this program reads version ",
                  format_version,
                  ".");

    LearnedKernel kernel;
    kernel.method     = file.string_attribute("/", "method");
    kernel.quadrature = file.string_attribute("/", "quadrature");
    kernel.parameters = file.string_attribute("/", "parameters");
    if (file.has_attribute("/", "backend"))
      kernel.backend = file.string_attribute("/", "backend");
    kernel.mesh = DatasetFormat::read_mesh(file);
    if (kernel.method != "pw-oga" && kernel.method != "oga")
      throw Error("'", path, "' has the unknown method '", kernel.method, "'.");

    if (kernel.is_pointwise())
      kernel.response = file.read<std::int64_t>("/response/nodes");
    else
      kernel.response = free_nodes(kernel.mesh);
    for (std::size_t s = 0; s < kernel.response.size(); ++s)
      if (kernel.response[s] < 0 ||
          kernel.response[s] >=
            static_cast<std::int64_t>(kernel.mesh.n_nodes()) ||
          (s > 0 && kernel.response[s] <= kernel.response[s - 1]))
        throw Error("'/response/nodes' in '",
                    path,
                    "' are not increasing node numbers: the file is damaged.");
    read_atoms(file, kernel);
    read_table(file, kernel);

    kernel.history.neurons = file.read<std::int64_t>("/history/neurons");
    for_all_errors(kernel.history,
                   [&](const std::string &name, std::vector<double> &values) {
                     values = file.read<double>("/history/" + name);
                   });
    return kernel;
  }
} // namespace Evergreen
