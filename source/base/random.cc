// The loops of this file are compiled with the compiler's vector mathematics
// (see CMakeLists.txt). Sine and cosine have loops of their own: together they
// would become one function that has no vector form.

#include <evergreen/base/random.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Evergreen
{
  namespace Random
  {
    namespace
    {
      constexpr std::size_t block = 256;

      using Block = std::array<double, block>;


      // Box-Muller for n pairs of uniform numbers.
      void
      transform(const std::size_t n, Block &radius, Block &angle, Block &sine)
      {
        for (std::size_t i = 0; i < n; ++i)
          radius[i] = std::sqrt(-2. * std::log(radius[i]));
        for (std::size_t i = 0; i < n; ++i)
          angle[i] *= 2. * M_PI;
        for (std::size_t i = 0; i < n; ++i)
          sine[i] = std::sin(angle[i]);
        for (std::size_t i = 0; i < n; ++i)
          angle[i] = std::cos(angle[i]);
      }
    } // namespace


    void
    normals(const std::uint64_t seed,
            const Stream        stream,
            const std::uint64_t sample,
            const std::uint64_t first,
            const std::size_t   n,
            double             *values)
    {
      Block             radius, angle, sine;
      const std::size_t n_pairs = (n + 1) / 2;
      for (std::size_t start = 0; start < n_pairs; start += block)
        {
          const std::size_t n_now = std::min(block, n_pairs - start);
          for (std::size_t i = 0; i < n_now; ++i)
            {
              const auto uniform =
                uniform_pair(seed, stream, sample, first / 2 + start + i);
              radius[i] = uniform[0];
              angle[i]  = uniform[1];
            }
          transform(n_now, radius, angle, sine);
          double *const     target  = values + 2 * start;
          const std::size_t n_whole = std::min(n_now, n / 2 - start);
          for (std::size_t i = 0; i < n_whole; ++i)
            {
              target[2 * i]     = radius[i] * angle[i];
              target[2 * i + 1] = radius[i] * sine[i];
            }
          if (n_whole < n_now)
            target[2 * n_whole] = radius[n_whole] * angle[n_whole];
        }
    }
  } // namespace Random
} // namespace Evergreen
