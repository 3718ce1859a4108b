// Many normal random numbers at a time; used by random fields only.

#ifndef evergreen_source_data_normal_numbers_h
#define evergreen_source_data_normal_numbers_h

#include <evergreen/base/random.h>

#include <cstddef>
#include <cstdint>

namespace Evergreen
{
  namespace Internal
  {
    /**
     * Computes the numbers of Random::normals() up to rounding, several times
     * as fast: drawing them would take longer than solving with a small mesh.
     */
    void
    fast_normals(std::uint64_t  seed,
                 Random::Stream stream,
                 std::uint64_t  sample,
                 std::uint64_t  first,
                 std::size_t    n,
                 double        *values);
  } // namespace Internal
} // namespace Evergreen

#endif
