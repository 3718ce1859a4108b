#include <evergreen/base/error.h>
#include <evergreen/dictionary/clones.h>
#include <evergreen/dictionary/radial_table.h>

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
          case RadialFunction::inverse:
            return 1. / z;
          case RadialFunction::cosine:
            return std::cos(z) / z;
          case RadialFunction::exponential:
            return std::exp(-z) / z;
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


    // Four numbers at a time, in the compiler's vector language. A vector in
    // memory need not be aligned.
    typedef double        Numbers __attribute__((vector_size(32)));
    typedef std::uint64_t Bits __attribute__((vector_size(32)));
    typedef double        Memory
      __attribute__((vector_size(32), aligned(8), may_alias));


    /** The four rows of four numbers become columns. */
    EVERGREEN_INLINE void
    transpose(Numbers (&row)[4])
    {
      const Bits    low     = {0, 4, 2, 6};
      const Bits    high    = {1, 5, 3, 7};
      const Bits    first   = {0, 1, 4, 5};
      const Bits    second  = {2, 3, 6, 7};
      const Numbers even_01 = __builtin_shuffle(row[0], row[1], low);
      const Numbers odd_01  = __builtin_shuffle(row[0], row[1], high);
      const Numbers even_23 = __builtin_shuffle(row[2], row[3], low);
      const Numbers odd_23  = __builtin_shuffle(row[2], row[3], high);
      row[0]                = __builtin_shuffle(even_01, even_23, first);
      row[1]                = __builtin_shuffle(odd_01, odd_23, first);
      row[2]                = __builtin_shuffle(even_01, even_23, second);
      row[3]                = __builtin_shuffle(odd_01, odd_23, second);
    }


    /**
     * Replaces four numbers s by the values of the piecewise polynomials, and
     * collects in @p outside whether a number is not in the table.
     */
    EVERGREEN_INLINE void
    look_up(const double *coefficients, Numbers &s, Bits &outside)
    {
      constexpr std::uint64_t below =
        (std::uint64_t(1) << RadialTable::shift) - 1;
      constexpr std::uint64_t one  = std::uint64_t(1023) << 52;
      const Bits              bits = (Bits)s;
      Bits piece = (bits >> RadialTable::shift) - RadialTable::first_piece;
      const Bits is_out = (Bits)(piece >= RadialTable::n_pieces);
      outside |= is_out;
      piece &= ~is_out;
      const Numbers t =
        ((Numbers)((bits & below) | one) - 1.) * (2 << RadialTable::n_bits) -
        1.;

      // A piece's eight coefficients are two loads; transposed, the terms of
      // four numbers stand side by side.
      Numbers lower[4], upper[4];
#pragma GCC unroll 4
      for (int l = 0; l < 4; ++l)
        {
          const double *const a =
            coefficients + piece[l] * RadialTable::n_terms;
          lower[l] = *reinterpret_cast<const Memory *>(a);
          upper[l] = *reinterpret_cast<const Memory *>(a + 4);
        }
      transpose(lower);
      transpose(upper);
      const Numbers square = t * t;
      s = (lower[0] + lower[1] * t) + (lower[2] + lower[3] * t) * square +
          ((upper[0] + upper[1] * t) + (upper[2] + upper[3] * t) * square) *
            (square * square);
    }


    /** The squares of the distances of four points, times a factor. */
    template <unsigned int dim>
    EVERGREEN_INLINE void
    squares(const double *const *y,
            const double        *c,
            const double         scale,
            const std::size_t    q,
            Numbers             &s)
    {
      s = Numbers{};
#pragma GCC unroll 3
      for (unsigned int d = 0; d < dim; ++d)
        {
          const Numbers difference =
            *reinterpret_cast<const Memory *>(y[d] + q) - c[d];
          s += difference * difference;
        }
      s *= scale;
    }


    /** All points; n is a multiple of four. Returns whether all was well. */
    template <unsigned int dim>
    EVERGREEN_INLINE bool
    evaluate_fast(const double        *coefficients,
                  const double         factor,
                  const double         scale,
                  const double        *centre,
                  const std::size_t    n,
                  const double *const *y,
                  double              *values)
    {
      Bits outside = {};
      for (std::size_t q = 0; q < n; q += 4)
        {
          Numbers s;
          squares<dim>(y, centre, scale, q, s);
          look_up(coefficients, s, outside);
          *reinterpret_cast<Memory *>(values + q) = factor * s;
        }
      return (outside[0] | outside[1] | outside[2] | outside[3]) == 0;
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


    template <unsigned int dim>
    EVERGREEN_INLINE void
    evaluate(const RadialFunction function,
             const double        *coefficients,
             const double         kappa,
             const double        *centre,
             const std::size_t    n,
             const double *const *coordinates,
             double              *values)
    {
      const double factor = amplitude(function, kappa);
      const double scale  = kappa * kappa;
      for (std::size_t begin = 0; begin < n; begin += points_per_piece)
        {
          const std::size_t count = std::min(points_per_piece, n - begin);
          const std::size_t whole = count / 4 * 4;
          const double     *y[dim], *rest[dim];
          double            padded[dim][4], last[4];
          for (unsigned int d = 0; d < dim; ++d)
            {
              y[d]    = coordinates[d] + begin;
              rest[d] = padded[d];
              for (std::size_t q = 0; q < 4; ++q)
                padded[d][q] = y[d][std::min(whole + q, count - 1)];
            }
          const bool fine =
            evaluate_fast<dim>(
              coefficients, factor, scale, centre, whole, y, values + begin) &&
            evaluate_fast<dim>(
              coefficients, factor, scale, centre, 4, rest, last);
          std::copy(last, last + (count - whole), values + begin + whole);
          if (!fine)
            evaluate_slowly(
              function, kappa, dim, centre, count, y, values + begin);
        }
    }


    EVERGREEN_CLONES void
    evaluate(const RadialFunction function,
             const double        *coefficients,
             const double         kappa,
             const unsigned int   dim,
             const double        *centre,
             const std::size_t    n,
             const double *const *y,
             double              *values)
    {
      if (dim == 1)
        evaluate<1>(function, coefficients, kappa, centre, n, y, values);
      else if (dim == 2)
        evaluate<2>(function, coefficients, kappa, centre, n, y, values);
      else
        evaluate<3>(function, coefficients, kappa, centre, n, y, values);
    }
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
                                                    RadialFunction::inverse,
                                                    RadialFunction::cosine,
                                                    RadialFunction::exponential,
                                                    RadialFunction::modulus,
                                                    RadialFunction::sine};
    return all;
  }


  std::string
  radial_name(const RadialFunction function)
  {
    switch (function)
      {
        case RadialFunction::logarithm:
          return "log r";
        case RadialFunction::neumann:
          return "Y0(kappa r)";
        case RadialFunction::macdonald:
          return "K0(kappa r)";
        case RadialFunction::inverse:
          return "1/r";
        case RadialFunction::cosine:
          return "cos(kappa r)/r";
        case RadialFunction::exponential:
          return "exp(-kappa r)/r";
        case RadialFunction::modulus:
          return "|r|";
        case RadialFunction::sine:
          return "sin(kappa r)";
      }
    return "unknown";
  }


  bool
  has_wave_number(const RadialFunction function)
  {
    return function != RadialFunction::logarithm &&
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
                const double         kappa,
                const unsigned int   dim,
                const double        *centre,
                const std::size_t    n,
                const double *const *coordinates,
                double              *values)
  {
    evaluate(function,
             radial_table(function).coefficients.data(),
             has_wave_number(function) ? kappa : 1.,
             dim,
             centre,
             n,
             coordinates,
             values);
  }
} // namespace Evergreen
