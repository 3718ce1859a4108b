#include <evergreen/base/error.h>
#include <evergreen/dictionary/radial_table.h>
#include <evergreen/dictionary/simd.h>

#include <boost/math/special_functions/bessel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace Evergreen
{
  namespace
  {
    constexpr double smallest_distance = 1e-30;

    // Boost's default promotes to long double, which is slower and not needed.
    using Policy = boost::math::policies::policy<
      boost::math::policies::promote_double<false>>;


    /** The profile for kappa = 1, as a function of z = kappa r. */
    double
    profile(const RadialFunction function, const double z)
    {
      switch (function)
        {
          case RadialFunction::logarithm:
            return -std::log(z);
          case RadialFunction::neumann:
            return boost::math::cyl_neumann(0, z, Policy());
          case RadialFunction::macdonald:
            // Beyond, the value is below the smallest number.
            return z > 700 ? 0. : boost::math::cyl_bessel_k(0, z, Policy());
          case RadialFunction::poisson_2d:
            return 1. / (z * z);
          case RadialFunction::inverse:
            return 1. / z;
          case RadialFunction::cosine:
            return std::cos(z) / z;
          case RadialFunction::exponential:
            return std::exp(-z) / z;
          case RadialFunction::poisson_3d:
            return 1. / (z * z * z);
          case RadialFunction::modulus:
            return z;
          case RadialFunction::sine:
            return std::sin(z);
        }
      throw Error("There is no radial function with the number ",
                  static_cast<int>(function),
                  ".");
    }


    /** psi_kappa(r) = amplitude(kappa) profile(kappa r). */
    double
    amplitude(const RadialFunction function, const double kappa)
    {
      return (function == RadialFunction::cosine ||
              function == RadialFunction::exponential)
               ? kappa
               : 1.;
    }


    /** The same point by point, for numbers that are not in the table. */
    void
    evaluate_slowly(const RadialFunction function,
                    const double         kappa,
                    const unsigned int   dim,
                    const double        *centre,
                    const std::size_t    n,
                    const double *const *y,
                    double              *values)
    {
      for (std::size_t q = 0; q < n; ++q)
        {
          double square = 0;
          for (unsigned int d = 0; d < dim; ++d)
            square += (y[d][q] - centre[d]) * (y[d][q] - centre[d]);
          values[q] = radial_value(function, kappa, std::sqrt(square));
        }
    }


    /** Points are worked on in pieces, of which few are not in the table. */
    constexpr std::size_t points_per_piece = 256;
  } // namespace


  RadialTable::RadialTable(const RadialFunction function)
    : coefficients(n_pieces * n_terms)
  {
    for (std::size_t piece = 0; piece < n_pieces; ++piece)
      fit(function, piece);
  }


  // Interpolation at Chebyshev points, as powers of t in [-1, 1].
  void
  RadialTable::fit(const RadialFunction function, const std::size_t piece)
  {
    const int    octave = first_octave + static_cast<int>(piece >> n_bits);
    const double low =
      1. + double(piece % (std::size_t(1) << n_bits)) / (1 << n_bits);
    std::array<double, n_terms> t, value;
    for (int i = 0; i < n_terms; ++i)
      {
        t[i]           = std::cos(M_PI * (i + 0.5) / n_terms);
        const double s = std::ldexp(low + (t[i] + 1) / (2 << n_bits), octave);
        value[i]       = profile(function, std::sqrt(s));
      }
    // Newton's divided differences, then expanded into powers.
    for (int k = 1; k < n_terms; ++k)
      for (int i = n_terms - 1; i >= k; --i)
        value[i] = (value[i] - value[i - 1]) / (t[i] - t[i - k]);
    std::array<double, n_terms> power = {};
    for (int k = n_terms - 1; k >= 0; --k)
      {
        for (int i = n_terms - 1; i > 0; --i)
          power[i] = power[i - 1] - t[k] * power[i];
        power[0] = value[k] - t[k] * power[0];
      }
    std::copy(power.begin(),
              power.end(),
              coefficients.begin() + piece * n_terms);
  }


  const RadialTable &
  radial_table(const RadialFunction function)
  {
    static const std::map<RadialFunction, RadialTable> tables = []() {
      std::map<RadialFunction, RadialTable> result;
      for (const RadialFunction f : all_radial_functions())
        result.emplace(f, RadialTable(f));
      return result;
    }();
    const auto found = tables.find(function);
    if (found == tables.end())
      throw Error("There is no radial function with the number ",
                  static_cast<int>(function),
                  ".");
    return found->second;
  }


  const std::vector<RadialFunction> &
  all_radial_functions()
  {
    static const std::vector<RadialFunction> all = {RadialFunction::logarithm,
                                                    RadialFunction::neumann,
                                                    RadialFunction::macdonald,
                                                    RadialFunction::poisson_2d,
                                                    RadialFunction::inverse,
                                                    RadialFunction::cosine,
                                                    RadialFunction::exponential,
                                                    RadialFunction::poisson_3d,
                                                    RadialFunction::modulus,
                                                    RadialFunction::sine};
    return all;
  }


  std::string
  radial_name(const RadialFunction function)
  {
    static const std::map<RadialFunction, std::string> names = {
      {RadialFunction::logarithm, "log r"},
      {RadialFunction::neumann, "Y0(kappa r)"},
      {RadialFunction::macdonald, "K0(kappa r)"},
      {RadialFunction::poisson_2d, "1/r^2"},
      {RadialFunction::inverse, "1/r"},
      {RadialFunction::cosine, "cos(kappa r)/r"},
      {RadialFunction::exponential, "exp(-kappa r)/r"},
      {RadialFunction::poisson_3d, "1/r^3"},
      {RadialFunction::modulus, "|r|"},
      {RadialFunction::sine, "sin(kappa r)"}};
    return names.at(function);
  }


  bool
  is_for_boundary(const RadialFunction function)
  {
    return function == RadialFunction::poisson_2d ||
           function == RadialFunction::poisson_3d;
  }


  bool
  has_wave_number(const RadialFunction function)
  {
    return !is_for_boundary(function) &&
           function != RadialFunction::logarithm &&
           function != RadialFunction::inverse &&
           function != RadialFunction::modulus;
  }


  double
  radial_value(const RadialFunction function,
               const double         kappa,
               const double         r)
  {
    const double distance = std::max(r, smallest_distance);
    if (!has_wave_number(function))
      return profile(function, distance);
    return amplitude(function, kappa) * profile(function, kappa * distance);
  }


  void
  radial_values(const RadialFunction function,
                const double         wave_number,
                const unsigned int   dim,
                const double        *centre,
                const std::size_t    n,
                const double *const *coordinates,
                double              *values)
  {
    const double kappa = has_wave_number(function) ? wave_number : 1.;
    const auto   evaluate =
      [&,
       table   = radial_table(function).coefficients.data(),
       look_up = Simd::loops().look_up_radial](const std::size_t    count,
                                               const double *const *y,
                                               double              *to) {
        return look_up(table,
                       amplitude(function, kappa),
                       kappa * kappa,
                       dim,
                       centre,
                       count,
                       y,
                       to);
      };
    for (std::size_t begin = 0; begin < n; begin += points_per_piece)
      {
        const std::size_t count = std::min(points_per_piece, n - begin);
        const std::size_t whole = count / 4 * 4;
        const double     *y[3], *rest[3];
        double            padded[3][4], last[4];
        for (unsigned int d = 0; d < dim; ++d)
          {
            y[d]    = coordinates[d] + begin;
            rest[d] = padded[d];
            for (std::size_t q = 0; q < 4; ++q)
              padded[d][q] = y[d][std::min(whole + q, count - 1)];
          }
        const bool fine = evaluate(whole, y, values + begin) &&
                          (whole == count || evaluate(4, rest, last));
        std::copy(last, last + (count - whole), values + begin + whole);
        if (!fine)
          evaluate_slowly(
            function, kappa, dim, centre, count, y, values + begin);
      }
  }
} // namespace Evergreen
