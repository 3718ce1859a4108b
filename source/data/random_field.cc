#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>
#include <evergreen/data/random_field.h>

#include <deal.II/base/parameter_handler.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace Evergreen
{
  void
  ForcingParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.enter_subsection("Forcing");
    prm.add_parameter(
      "Input",
      input,
      "What the random functions are: the 'forcing' in the domain, or, without "
      "one, 'boundary-values' where u is zero otherwise, or 'boundary-fluxes' "
      "on the rest of the boundary.",
      Selection("forcing|boundary-values|boundary-fluxes"));
    prm.add_parameter(
      "Model",
      model,
      "The random functions: 'band-limited' Fourier series with independent "
      "normal coefficients (Chebfun's randnfun), or a 'gaussian-process' "
      "sampled exactly at the nodes. Both have mean zero and variance one.",
      Selection("band-limited|gaussian-process"));
    prm.add_parameter("Wavelength",
                      wavelength,
                      "The shortest wavelength of the band-limited model, in "
                      "the units of the mesh: less than 1.2 times the domain's "
                      "longest side.",
                      Double(0.));
    prm.add_parameter("Covariance",
                      covariance,
                      "The covariance of the Gaussian process.",
                      Selection("squared-exponential|matern"));
    std::ostringstream lengths;
    lengths.precision(15);
    lengths << length;
    for (std::size_t i = 1; i < mixture.size(); ++i)
      lengths << ", " << mixture[i];
    prm.declare_entry("Length",
                      automatic_length ? "auto" : lengths.str(),
                      Anything(),
                      "The correlation length of the Gaussian process, in the "
                      "units of the mesh; or several, which samples have in "
                      "turn; or 'auto' for those that the twin of Twin/Mesh is "
                      "learned from: 4, 2 and 1.2 of its cells.");
    prm.add_action("Length",
                   [this](const std::string &value) { read_length(value); });
    prm.add_parameter("Smoothness",
                      smoothness,
                      "The smoothness of the Matern covariance: 0.5 "
                      "(continuous samples), 1.5 (differentiable once) or 2.5 "
                      "(twice).",
                      Double(0.5, 2.5));
    prm.add_parameter("Seed",
                      seed,
                      "The seed of the random numbers. Equal seeds give equal "
                      "samples on any number of processes.",
                      Integer(0));
    prm.add_parameter("Normalise",
                      normalise,
                      "Whether each forcing is scaled to the L2 norm one.",
                      Bool());
    prm.add_parameter("Noise",
                      noise,
                      "The level of the normal noise added to each solution, "
                      "relative to its norm: 0.01 means one per cent.",
                      Double(0.));
    prm.leave_subsection();
  }


  /** From 'auto', a number or a list of numbers. */
  void
  ForcingParameters::read_length(const std::string &value)
  {
    automatic_length = (value == "auto");
    mixture.clear();
    if (automatic_length)
      return;
    std::vector<double> lengths;
    std::istringstream  items(value);
    for (std::string item; std::getline(items, item, ',');)
      {
        std::istringstream number(item);
        lengths.emplace_back();
        if (!(number >> lengths.back()) || !(number >> std::ws).eof())
          throw UsageError("Forcing/Length = '",
                           value,
                           "': it must be auto, a positive number, or several "
                           "with commas between them.");
      }
    use_mixture(lengths);
  }


  void
  ForcingParameters::use_mixture(const std::vector<double> &lengths)
  {
    automatic_length = false;
    length           = lengths.empty() ? 0. : lengths.front();
    mixture          = lengths.size() > 1 ? lengths : std::vector<double>();
  }


  void
  ForcingParameters::check() const
  {
    const auto require = [](const bool possible, const auto &...words) {
      if (!possible)
        throw UsageError("Forcing/", words...);
    };
    const auto require_positive = [&](const char *key, const double value) {
      require(value > 0. && std::isfinite(value),
              key,
              " = ",
              value,
              ": it must be a positive number.");
    };
    require(model == "band-limited" || model == "gaussian-process",
            "Model = ",
            model,
            ": it must be band-limited or gaussian-process.");
    require(covariance == "squared-exponential" || covariance == "matern",
            "Covariance = ",
            covariance,
            ": it must be squared-exponential or matern.");
    require_positive("Wavelength", wavelength);
    require_positive("Length", length);
    for (const double other : mixture)
      require_positive("Length", other);
    require((mixture.empty() && !automatic_length) ||
              model == "gaussian-process",
            "Length: several are possible for Model = gaussian-process only.");
    require(smoothness == 0.5 || smoothness == 1.5 || smoothness == 2.5,
            "Smoothness = ",
            smoothness,
            ": it must be 0.5, 1.5 or 2.5.");
    require(noise >= 0. && std::isfinite(noise),
            "Noise = ",
            noise,
            ": it must be zero or a positive number.");
  }


  namespace
  {
    // Beyond this a wavelength is a mistake rather than a wish.
    constexpr double max_frequencies = 1e6;

    // exp(2 pi i k t) for all points t (fast) and k = 0 ... limit (slow), real
    // and imaginary parts apart.
    struct ExponentialTable
    {
      ExponentialTable(const int limit, const std::vector<double> &t)
        : n(t.size()), real((limit + 1) * n), imaginary((limit + 1) * n)
      {
        for (int k = 0; k <= limit; ++k)
          for (std::size_t i = 0; i < n; ++i)
            {
              const double angle   = 2. * M_PI * k * t[i];
              real[k * n + i]      = std::cos(angle);
              imaginary[k * n + i] = std::sin(angle);
            }
      }

      std::size_t         n;
      std::vector<double> real;
      std::vector<double> imaginary;
    };


    // Multiplies complex numbers by exp(2 pi i k t), point by point.
    void
    multiply_by(const ExponentialTable &table,
                const int               k,
                double                 *real,
                double                 *imaginary)
    {
      const std::size_t   offset = std::abs(k) * table.n;
      const double *const c      = table.real.data() + offset;
      const double *const s      = table.imaginary.data() + offset;
      const double        sign   = (k < 0) ? -1. : 1.;
      for (std::size_t i = 0; i < table.n; ++i)
        {
          const double a = real[i], b = imaginary[i];
          real[i]      = a * c[i] - b * sign * s[i];
          imaginary[i] = a * sign * s[i] + b * c[i];
        }
    }


    // The coefficients of this many bytes are made at a time.
    constexpr std::size_t coefficient_memory = std::size_t(64) << 20;
  } // namespace


  /**
   * The functions $1$, $\sqrt2 \cos(2\pi k\cdot(x-c)/L)$ and
   * $\sqrt2 \sin(2\pi k\cdot(x-c)/L)$ with integer frequencies $k$ such that
   * $\sum_i (k_i/m_i)^2 \le 1$, where $m_i$ is the largest whole number below
   * $L_i/\lambda$: all wavelengths are longer than $\lambda$. The periods $L_i$
   * are 1.2 times the sides of the points' bounding box, whose centre is $c$.
   * All are divided by the root of their number $M$, so that the squares add up
   * to one at every point: with independent standard normal coefficients the
   * series has variance one. This is the model of Chebfun's randnfun2.
   */
  class BandLimitedBasis
  {
  public:
    /**
     * Finds the frequencies. @p local_nodes index into @p points. A wavelength
     * that leaves only the constant function is a UsageError.
     */
    BandLimitedBasis(const double                    wavelength,
                     const unsigned int              dim,
                     const std::vector<double>      &points,
                     const std::vector<std::size_t> &local_nodes)
      : dim(dim), scaled_points(local_nodes.size() * dim)
    {
      std::array<double, 3> periods = {{0., 0., 0.}};
      for (unsigned int d = 0; d < dim; ++d)
        {
          double lower = points[d], upper = points[d];
          for (std::size_t i = d; i < points.size(); i += dim)
            {
              lower = std::min(lower, points[i]);
              upper = std::max(upper, points[i]);
            }
          periods[d]          = 1.2 * (upper - lower);
          const double centre = 0.5 * (lower + upper);
          const double scale  = (upper > lower) ? 1. / periods[d] : 0.;
          for (std::size_t i = 0; i < local_nodes.size(); ++i)
            scaled_points[i * dim + d] =
              (points[local_nodes[i] * dim + d] - centre) * scale;
        }
      find_frequencies(wavelength, periods);
    }

    /** The number $M$ of functions: all frequencies, of both signs. */
    std::size_t
    size() const
    {
      return 1 + 2 * frequencies.size();
    }

    /**
     * Evaluates all functions at the local nodes <tt>first ... first + count -
     * 1</tt> into a count x size() matrix, stored column by column.
     */
    void
    evaluate(const std::size_t first,
             const std::size_t count,
             double           *matrix) const
    {
      std::vector<ExponentialTable> tables;
      for (unsigned int d = 0; d < dim; ++d)
        {
          std::vector<double> t(count);
          for (std::size_t i = 0; i < count; ++i)
            t[i] = scaled_points[(first + i) * dim + d];
          tables.emplace_back(limit[d], t);
        }

      const double constant = 1. / std::sqrt(static_cast<double>(size()));
      std::fill_n(matrix, count, constant);
      tbb::parallel_for(std::size_t(0), frequencies.size(), [&](std::size_t p) {
        double *const real      = matrix + (1 + 2 * p) * count;
        double *const imaginary = real + count;
        std::fill_n(real, count, std::sqrt(2.) * constant);
        std::fill_n(imaginary, count, 0.);
        for (unsigned int d = 0; d < dim; ++d)
          multiply_by(tables[d], frequencies[p][d], real, imaginary);
      });
    }

  private:
    using Frequency = std::array<int, 3>;

    void
    find_frequencies(const double                 wavelength,
                     const std::array<double, 3> &periods)
    {
      // The largest whole number below L / lambda, whatever the rounding.
      std::array<double, 3> axes     = {{0., 0., 0.}};
      double                n_in_box = 1.;
      for (unsigned int d = 0; d < dim; ++d)
        {
          axes[d] =
            std::max(0.,
                     std::ceil(periods[d] / wavelength * (1. - 1e-12)) - 1.);
          n_in_box *= 2. * axes[d] + 1.;
        }
      if (!(n_in_box <= max_frequencies))
        throw UsageError("Forcing/Wavelength = ",
                         wavelength,
                         " asks for about ",
                         n_in_box,
                         " Fourier modes on this domain, more than ",
                         max_frequencies,
                         ": choose a longer wavelength.");
      for (unsigned int d = 0; d < dim; ++d)
        limit[d] = static_cast<int>(axes[d]);

      const auto square = [&](const unsigned int d, const int k) {
        const double ratio = (k == 0) ? 0. : k / axes[d];
        return ratio * ratio;
      };
      constexpr double edge = 1. + 1e-12;
      // The first component that is not zero is positive.
      for (int k0 = 0; k0 <= limit[0]; ++k0)
        for (int k1 = (k0 > 0) ? -limit[1] : 0; k1 <= limit[1]; ++k1)
          for (int k2 = (k0 > 0 || k1 > 0) ? -limit[2] : 1; k2 <= limit[2];
               ++k2)
            if (square(0, k0) + square(1, k1) + square(2, k2) <= edge)
              frequencies.push_back({{k0, k1, k2}});
      if (frequencies.empty())
        throw UsageError("Forcing/Wavelength = ",
                         wavelength,
                         " leaves only constant functions on this domain: "
                         "choose less than ",
                         *std::max_element(periods.begin(), periods.end()),
                         ", 1.2 times its longest side.");
    }

    unsigned int dim;

    // (x-c)/L at the local nodes.
    std::vector<double> scaled_points;

    // The largest frequency in each direction.
    Frequency limit = {{0, 0, 0}};

    // One of each pair k, -k, without zero.
    std::vector<Frequency> frequencies;
  };


  RandomField::RandomField(const ForcingParameters        &parameters,
                           const unsigned int              dim,
                           const std::vector<double>      &points,
                           const std::vector<std::size_t> &local_nodes,
                           const std::size_t               memory_limit)
    : seed(parameters.seed), n_local_nodes(local_nodes.size())
  {
    parameters.check();
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!std::isfinite(points[i]))
        throw Error("Node ", i / dim, " is not at a finite point.");
    if (parameters.model == "band-limited")
      {
        basis = std::make_shared<const BandLimitedBasis>(parameters.wavelength,
                                                         dim,
                                                         points,
                                                         local_nodes);
        const std::size_t row_bytes = basis->size() * sizeof(double);
        rows_per_block = std::max<std::size_t>(1, memory_limit / row_bytes);
        if (rows_per_block >= n_local_nodes)
          {
            matrix.resize(n_local_nodes * basis->size());
            basis->evaluate(0, n_local_nodes, matrix.data());
          }
        return;
      }
    if (parameters.automatic_length)
      throw UsageError(
        "Forcing/Length = auto: this program has no twin, whose "
        "mesh would tell the lengths; give numbers.");
    for (const double length : parameters.mixture)
      {
        ForcingParameters part = parameters;
        part.use_mixture({length});
        parts.emplace_back(part, dim, points, local_nodes, memory_limit);
      }
    if (!parts.empty())
      return;

    const bool matern = (parameters.covariance == "matern");
    if (!matern && dim > 1)
      if (const auto grid = TensorGrid::find(dim, points))
        {
          tensor_factor =
            std::make_shared<const TensorCovarianceFactor>(parameters.length,
                                                           *grid);
          for (const std::size_t node : local_nodes)
            grid_indices.push_back(grid->index_of_point[node]);
          return;
        }
    CovarianceFactor factor(
      matern ? matern_covariance(parameters.length, parameters.smoothness)
             : squared_exponential_covariance(parameters.length),
      matern,
      dim,
      points,
      local_nodes);
    matrix              = std::move(factor.matrix);
    coefficient_indices = std::move(factor.positions);
    n_normals           = 1 + *std::max_element(coefficient_indices.begin(),
                                      coefficient_indices.end());
  }


  std::size_t
  RandomField::n_coefficients() const
  {
    if (!parts.empty())
      return parts.front().n_coefficients();
    if (tensor_factor != nullptr)
      return tensor_factor->n_coefficients();
    return basis != nullptr ? basis->size() : coefficient_indices.size();
  }


  void
  RandomField::sample(const Random::Stream stream,
                      const std::uint64_t  first,
                      const std::size_t    count,
                      double              *values) const
  {
    if (!parts.empty())
      {
        sample_mixture(stream, first, count, values);
        return;
      }
    if (tensor_factor != nullptr)
      {
        sample_on_grid(stream, first, count, values);
        return;
      }
    const std::size_t n = n_coefficients();
    const std::size_t block =
      std::max<std::size_t>(1, coefficient_memory / (n * sizeof(double)));
    std::vector<double> coefficients(std::min(block, count) * n);
    for (std::size_t start = 0; start < count; start += block)
      {
        const std::size_t n_now = std::min(block, count - start);
        tbb::parallel_for(std::size_t(0), n_now, [&](const std::size_t j) {
          const auto draw = [&](const std::size_t n_numbers, double *numbers) {
            Random::normals(
              seed, stream, first + start + j, 0, n_numbers, numbers);
          };
          double *const xi = &coefficients[j * n];
          if (basis != nullptr)
            return draw(n, xi);
          std::vector<double> sequence(n_normals);
          draw(n_normals, sequence.data());
          for (std::size_t k = 0; k < n; ++k)
            xi[k] = sequence[coefficient_indices[k]];
        });
        multiply(n_now, coefficients.data(), values + start * n_local_nodes);
      }
  }


  void
  RandomField::sample_mixture(const Random::Stream stream,
                              const std::uint64_t  first,
                              const std::size_t    count,
                              double              *values) const
  {
    for (std::size_t j = 0; j < count; ++j)
      parts[(first + j) % parts.size()].sample(stream,
                                               first + j,
                                               1,
                                               values + j * n_local_nodes);
  }


  // Sample by sample, on all points of the grid.
  void
  RandomField::sample_on_grid(const Random::Stream stream,
                              const std::uint64_t  first,
                              const std::size_t    count,
                              double              *values) const
  {
    if (n_local_nodes == 0)
      return;
    const auto sample_some = [&](const tbb::blocked_range<std::size_t> &range) {
      std::vector<double> coefficients(n_coefficients());
      std::vector<double> on_grid(tensor_factor->n_points());
      for (std::size_t j = range.begin(); j < range.end(); ++j)
        {
          tensor_factor->draw(seed, stream, first + j, coefficients.data());
          tensor_factor->multiply(coefficients.data(), on_grid.data());
          for (std::size_t i = 0; i < n_local_nodes; ++i)
            values[j * n_local_nodes + i] = on_grid[grid_indices[i]];
        }
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), sample_some);
  }


  void
  RandomField::multiply(const std::size_t count,
                        const double     *coefficients,
                        double           *values) const
  {
    // In parts of some rows, each on one of our threads.
    const Blas::SingleThread one_thread;
    constexpr std::size_t    part    = 128;
    const auto               product = [&](const double     *rows,
                             const std::size_t first,
                             const std::size_t n_rows) {
      const int         n = static_cast<int>(n_coefficients());
      const std::size_t n_parts = (n_rows + part - 1) / part;
      tbb::parallel_for(std::size_t(0), n_parts, [&](const std::size_t p) {
        Blas::gemm('N',
                   'N',
                   static_cast<int>(std::min(part, n_rows - p * part)),
                   static_cast<int>(count),
                   n,
                   1.,
                   rows + p * part,
                   static_cast<int>(n_rows),
                   coefficients,
                   n,
                   0.,
                   values + first + p * part,
                   static_cast<int>(n_local_nodes));
      });
    };
    if (n_local_nodes == 0 || count == 0)
      return;
    if (!matrix.empty())
      {
        product(matrix.data(), 0, n_local_nodes);
        return;
      }

    std::vector<double> rows(rows_per_block * n_coefficients());
    for (std::size_t first = 0; first < n_local_nodes; first += rows_per_block)
      {
        const std::size_t n_rows =
          std::min(rows_per_block, n_local_nodes - first);
        basis->evaluate(first, n_rows, rows.data());
        product(rows.data(), first, n_rows);
      }
  }
} // namespace Evergreen
