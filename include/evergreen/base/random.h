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
      medium           = 12,
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

    /** The standard normal number at position @p index of its sequence. */
    inline double
    normal(const std::uint64_t seed,
           const Stream        stream,
           const std::uint64_t sample,
           const std::uint64_t index)
    {
      // Box-Muller, which makes two of two uniform ones.
      const auto   u      = uniform_pair(seed, stream, sample, index / 2);
      const double radius = std::sqrt(-2. * std::log(u[0]));
      const double angle  = 2. * M_PI * u[1];
      return radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
    }

    /**
     * Fills @p values with the standard normal numbers
     * <tt>first ... first + n - 1</tt> of the sequence, up to rounding; many
     * at a time come several times as fast. @p first must be even.
     */
    void
    normals(std::uint64_t seed,
            Stream        stream,
            std::uint64_t sample,
            std::uint64_t first,
            std::size_t   n,
            double       *values);
  } // namespace Random
} // namespace Evergreen

#endif
