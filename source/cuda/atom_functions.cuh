// The values of atoms, as functions of a device's threads: ridge functions
// and radial profiles from the library's tables.

#ifndef evergreen_cuda_atom_functions_cuh
#define evergreen_cuda_atom_functions_cuh

#include <evergreen/dictionary/radial_table.h>

#include <cuda_runtime.h>

#include <cstdint>

namespace Evergreen
{
  namespace Cuda
  {
    /** Atoms on the device, as in AtomList. */
    struct AtomArrays
    {
      const int    *kinds;
      const double *weights;
      const double *biases;
      std::size_t   size;
      const double *tables; ///< of all profiles, by table_slot()
    };


    /** max(z, 0)^power. */
    template <typename Number>
    __device__ inline Number
    relu(const int power, Number z)
    {
      z = z > Number(0) ? z : Number(0);
      if (power == 1)
        return z;
      if (power == 2)
        return z * z;
      if (power == 3)
        return z * z * z;
      const Number square = z * z;
      return square * square;
    }


    /** The number of a profile's table: 11, 12, 13, 21, ... become 0, 1, ... */
    __host__ __device__ constexpr int
    table_slot(const int function)
    {
      return 4 * (function / 10 - 1) + function % 10 - 1;
    }


    /** The size of one table. */
    constexpr std::size_t table_size =
      RadialTable::n_pieces * RadialTable::n_terms;


    /**
     * The profile of z = kappa r for the numbers that are not in the tables: z
     * below about 1e-6, or 128 and more. The Bessel functions are then sums of
     * two terms, or of their asymptotic series.
     */
    __device__ inline double
    profile_outside(const int function, const double z)
    {
      constexpr double euler = 0.57721566490153286061;
      constexpr double pi    = 3.14159265358979323846;
      // The coefficients of z^-k, up to signs.
      constexpr double c1 = 0.125, c2 = 0.0703125, c3 = 0.0732421875,
                       c4 = 0.112152099609375, c5 = 0.22710800170898438,
                       c6 = 0.57250142097473145, c7 = 1.7277275025844574;
      const double x = 1. / z;
      const double q = 0.25 * z * z;
      switch (function)
        {
          case 11:
            return -log(z);
            case 12: {
              if (z < 1)
                return 2. / pi * ((log(0.5 * z) + euler) * (1. - q) + q);
              const double p = 1. - x * x * (c2 - x * x * (c4 - x * x * c6));
              const double r =
                -x * (c1 - x * x * (c3 - x * x * (c5 - x * x * c7)));
              const double s = sin(z), c = cos(z);
              return sqrt(x / pi) * (p * (s - c) + r * (s + c));
            }
            case 13: {
              if (z < 1)
                return -(log(0.5 * z) + euler) * (1. + q) + q;
              const double series =
                1. -
                x * (c1 -
                     x * (c2 -
                          x * (c3 - x * (c4 - x * (c5 - x * (c6 - x * c7))))));
              return sqrt(0.5 * pi * x) * exp(-z) * series;
            }
          case 14:
            return x * x;
          case 21:
            return x;
          case 22:
            return cos(z) * x;
          case 23:
            return exp(-z) * x;
          case 24:
            return x * x * x;
          case 31:
            return z;
          default:
            return sin(z);
        }
    }


    /**
     * \f$\psi_\kappa(r)\f$ of the profile with the given number, for the square
     * of the distance r. Of the profiles without wave number, all of which end
     * in 1 or 4, kappa counts as 1.
     */
    __device__ inline double
    radial_from_square(const double *tables,
                       const int     function,
                       const double  kappa,
                       const double  square)
    {
      const double k = (function % 10 == 1 || function % 10 == 4) ? 1. : kappa;
      const double s = k * k * square;
      const std::uint64_t bits =
        static_cast<std::uint64_t>(__double_as_longlong(s));
      const std::uint64_t piece =
        (bits >> RadialTable::shift) - RadialTable::first_piece;
      double value;
      if (piece < RadialTable::n_pieces)
        {
          constexpr std::uint64_t below =
            (std::uint64_t(1) << RadialTable::shift) - 1;
          constexpr std::uint64_t one = std::uint64_t(1023) << 52;
          const double            t   = (__longlong_as_double(
                              static_cast<long long>((bits & below) | one)) -
                            1.) *
                             (2 << RadialTable::n_bits) -
                           1.;
          const double *const a = tables + table_slot(function) * table_size +
                                  piece * RadialTable::n_terms;
          const double t2 = t * t;
          value           = (a[0] + a[1] * t) + (a[2] + a[3] * t) * t2 +
                  ((a[4] + a[5] * t) + (a[6] + a[7] * t) * t2) * (t2 * t2);
        }
      else
        value = profile_outside(function, fmax(sqrt(s), k * 1e-30));
      return (function == 22 || function == 23) ? k * value : value;
    }


    /** The square of the distance of two points. */
    template <int dim>
    __device__ inline double
    square_distance(const double *a, const double *b)
    {
      double square = 0;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        square += (a[d] - b[d]) * (a[d] - b[d]);
      return square;
    }
  } // namespace Cuda
} // namespace Evergreen

#endif
