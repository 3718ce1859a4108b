// Counter-based random numbers: the value at (seed, stream, sample, index) is a
// pure function of these four numbers, so it is the same on every rank, thread,
// block size and backend.

#ifndef evergreen_base_random_h
#define evergreen_base_random_h

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace Evergreen
{
  namespace Random
  {
    /** Independent sequences that share one seed. */
    enum class Stream : std::uint32_t
    {
      training_forcing = 1,
      test_forcing     = 2,
      noise            = 3,
      dictionary       = 4,
      validation       = 5,
      penalty          = 6,
      outside_points   = 7,
      test             = 100
    };

    /** Two uniform numbers in (0, 1) with 53 random bits each. */
    inline std::array<double, 2>
    uniform_pair(const std::uint64_t seed,
                 const Stream        stream,
                 const std::uint64_t sample,
                 const std::uint64_t pair_index)
    {
      const r123::Philox2x64::ctr_type counter = {{pair_index, sample}};
      // Streams are kept apart by a large odd multiple in the key.
      const r123::Philox2x64::key_type key = {
        {seed + static_cast<std::uint64_t>(stream) * 0xD1B54A32D192ED03ull}};
      const auto bits = r123::Philox2x64()(counter, key);
      const auto unit = [](const std::uint64_t b) {
        return (static_cast<double>(b >> 11) + 0.5) * 0x1.0p-53;
      };
      return {{unit(bits[0]), unit(bits[1])}};
    }

    /** The uniform number in (0, 1) at position @p index of its sequence. */
    inline double
    uniform(const std::uint64_t seed,
            const Stream        stream,
            const std::uint64_t sample,
            const std::uint64_t index)
    {
      return uniform_pair(seed, stream, sample, index / 2)[index % 2];
    }

    /** Two independent standard normal numbers (Box-Muller). */
    inline std::array<double, 2>
    normal_pair(const std::uint64_t seed,
                const Stream        stream,
                const std::uint64_t sample,
                const std::uint64_t pair_index)
    {
      const auto   u      = uniform_pair(seed, stream, sample, pair_index);
      const double radius = std::sqrt(-2. * std::log(u[0]));
      const double angle  = 2. * M_PI * u[1];
      return {{radius * std::cos(angle), radius * std::sin(angle)}};
    }

    /** The standard normal number at position @p index of its sequence. */
    inline double
    normal(const std::uint64_t seed,
           const Stream        stream,
           const std::uint64_t sample,
           const std::uint64_t index)
    {
      return normal_pair(seed, stream, sample, index / 2)[index % 2];
    }

    /**
     * Fills @p values with the standard normal numbers
     * <tt>first ... first + n - 1</tt> of the sequence. @p first must be even.
     */
    inline void
    normals(const std::uint64_t seed,
            const Stream        stream,
            const std::uint64_t sample,
            const std::uint64_t first,
            const std::size_t   n,
            double             *values)
    {
      for (std::size_t i = 0; i < n; i += 2)
        {
          const auto pair = normal_pair(seed, stream, sample, (first + i) / 2);
          values[i]       = pair[0];
          if (i + 1 < n)
            values[i + 1] = pair[1];
        }
    }
  } // namespace Random
} // namespace Evergreen

#endif
