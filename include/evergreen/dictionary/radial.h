// Fundamental solutions as functions of the distance from a centre: the
// profiles of the radial atoms, fast and to about 1e-13.

#ifndef evergreen_dictionary_radial_h
#define evergreen_dictionary_radial_h

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * The profiles \f$\psi_\kappa(r)\f$ of radial atoms. The numbers are written
   * to files.
   */
  enum class RadialFunction : int
  {
    logarithm   = 11, ///< -log r
    neumann     = 12, ///< Y0(kappa r)
    macdonald   = 13, ///< K0(kappa r)
    poisson_2d  = 14, ///< 1 / r^2, Poisson kernel of a disk for y on the circle
    inverse     = 21, ///< 1 / r
    cosine      = 22, ///< cos(kappa r) / r
    exponential = 23, ///< exp(-kappa r) / r
    poisson_3d  = 24, ///< 1 / r^3, the same for a ball
    modulus     = 31, ///< r
    sine        = 32 ///< sin(kappa r)
  };

  /** All of them. */
  const std::vector<RadialFunction> &
  all_radial_functions();

  /** A name for messages, such as "Y0(kappa r)". */
  std::string
  radial_name(RadialFunction function);

  /**
   * Whether the profile belongs to data on the boundary: those with y in the
   * domain cannot be integrated over its singularity.
   */
  bool
  is_for_boundary(RadialFunction function);

  /** Whether the profile depends on kappa. */
  bool
  has_wave_number(RadialFunction function);

  /**
   * The value at the distance @p r by the mathematical library. Distances below
   * 1e-30 count as 1e-30, so that the value is finite.
   */
  double
  radial_value(RadialFunction function, double kappa, double r);

  /**
   * <tt>values[q]</tt> \f$=\psi_\kappa(|y_q-c|)\f$ for @p n points in @p dim
   * coordinates, at most three; coordinate d of point q is
   * <tt>coordinates[d][q]</tt>. By tables of piecewise polynomials whose error
   * is below 1e-12 relative to the value (for the oscillating functions,
   * relative to their envelope).
   */
  void
  radial_values(RadialFunction       function,
                double               kappa,
                unsigned int         dim,
                const double        *centre,
                std::size_t          n,
                const double *const *coordinates,
                double              *values);
} // namespace Evergreen

#endif
