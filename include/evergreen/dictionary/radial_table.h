// The tables behind radial_values(), for backends that evaluate radial atoms
// themselves.

#ifndef evergreen_dictionary_radial_table_h
#define evergreen_dictionary_radial_table_h

#include <evergreen/dictionary/radial.h>

#include <cstdint>
#include <vector>

namespace Evergreen
{
  /**
   * A profile for \f$\kappa=1\f$ as piecewise polynomials of \f$s=z^2\f$, which
   * spares a root. Each octave of s has the same number of pieces, so that a
   * singularity at zero is equally far from all of them in relation to their
   * size, and the piece of a number is read off from the leading bits of its
   * floating point form: it is <tt>(bits >> shift) - first_piece</tt>, and s is
   * in the table if that is below n_pieces. The bits that were shifted out are
   * the position t in [-1, 1] in the piece.
   */
  struct RadialTable
  {
    static constexpr int         first_octave = -40;
    static constexpr int         end_octave   = 14;
    static constexpr int         n_bits       = 7; ///< 128 pieces an octave
    static constexpr int         n_terms      = 8; ///< a cache line a piece
    static constexpr std::size_t n_pieces =
      std::size_t(end_octave - first_octave) << n_bits;
    static constexpr int           shift = 52 - n_bits;
    static constexpr std::uint64_t first_piece =
      std::uint64_t(1023 + first_octave) << n_bits;

    /** The table of a profile. */
    explicit RadialTable(RadialFunction function);

    /** The powers of t, n_terms for each piece. */
    std::vector<double> coefficients;

  private:
    void
    fit(RadialFunction function, std::size_t piece);
  };

  /** The table of a profile; all are made at the first call. */
  const RadialTable &
  radial_table(RadialFunction function);
} // namespace Evergreen

#endif
