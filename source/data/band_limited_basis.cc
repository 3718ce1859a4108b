#include <evergreen/base/error.h>
#include <evergreen/data/band_limited_basis.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
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
  } // namespace


  BandLimitedBasis::BandLimitedBasis(
    const double                    wavelength,
    const unsigned int              dim_,
    const std::vector<double>      &points,
    const std::vector<std::size_t> &local_nodes)
    : dim(dim_), scaled_points(local_nodes.size() * dim_)
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


  void
  BandLimitedBasis::find_frequencies(const double                 wavelength,
                                     const std::array<double, 3> &periods)
  {
    // The largest whole number below L / lambda, whatever the rounding.
    std::array<double, 3> axes     = {{0., 0., 0.}};
    double                n_in_box = 1.;
    for (unsigned int d = 0; d < dim; ++d)
      {
        axes[d] =
          std::max(0., std::ceil(periods[d] / wavelength * (1. - 1e-12)) - 1.);
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
        for (int k2 = (k0 > 0 || k1 > 0) ? -limit[2] : 1; k2 <= limit[2]; ++k2)
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


  std::size_t
  BandLimitedBasis::size() const
  {
    return 1 + 2 * frequencies.size();
  }


  void
  BandLimitedBasis::evaluate(const std::size_t first,
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
} // namespace Evergreen
