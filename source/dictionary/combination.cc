#include <evergreen/dictionary/combination.h>

#include <algorithm>
#include <cmath>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#  define EVERGREEN_CLONES                                                     \
    __attribute__((target_clones("default", "avx2,fma", "avx512f")))
#else
#  define EVERGREEN_CLONES
#endif

namespace Evergreen
{
  namespace
  {
    /** Points are worked on in pieces that stay in the first cache. */
    constexpr std::size_t piece = 512;

    /** z[q] += w y[q] */
    EVERGREEN_CLONES void
    add_scaled(const std::size_t n, const double w, const double *y, double *z)
    {
      for (std::size_t q = 0; q < n; ++q)
        z[q] += w * y[q];
    }


    /** values[q] += alpha max(z[q], 0)^power */
    EVERGREEN_CLONES void
    add_ridge(const std::size_t  n,
              const unsigned int power,
              const double       alpha,
              const double      *z,
              double            *values)
    {
      switch (power)
        {
          case 1:
            for (std::size_t q = 0; q < n; ++q)
              values[q] += alpha * (z[q] > 0. ? z[q] : 0.);
            break;
          case 2:
            for (std::size_t q = 0; q < n; ++q)
              values[q] += alpha * (z[q] > 0. ? z[q] * z[q] : 0.);
            break;
          case 3:
            for (std::size_t q = 0; q < n; ++q)
              values[q] += alpha * (z[q] > 0. ? z[q] * z[q] * z[q] : 0.);
            break;
          default:
            for (std::size_t q = 0; q < n; ++q)
              values[q] +=
                alpha * (z[q] > 0. ? (z[q] * z[q]) * (z[q] * z[q]) : 0.);
        }
    }
  } // namespace


  void
  add_combination(const AtomList      &atoms,
                  const double        *coefficients,
                  const std::size_t    n_atoms,
                  const std::size_t    n_points,
                  const double *const *coordinates,
                  double              *values)
  {
    double z[piece];
    for (std::size_t begin = 0; begin < n_points; begin += piece)
      {
        const std::size_t n = std::min(piece, n_points - begin);
        for (std::size_t i = 0; i < n_atoms; ++i)
          {
            std::fill_n(z, n, atoms.biases[i]);
            for (unsigned int d = 0; d < atoms.dim; ++d)
              add_scaled(n,
                         atoms.weights[i * atoms.dim + d],
                         coordinates[d] + begin,
                         z);
            add_ridge(n,
                      relu_power(atoms.kinds[i]),
                      coefficients[i],
                      z,
                      values + begin);
          }
      }
  }
} // namespace Evergreen
