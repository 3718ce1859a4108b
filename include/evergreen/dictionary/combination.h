// Linear combinations of atoms at many points: what a learned kernel is.

#ifndef evergreen_dictionary_combination_h
#define evergreen_dictionary_combination_h

#include <evergreen/dictionary/atoms.h>

#include <cstddef>

namespace Evergreen
{
  /**
   * Adds \f$\sum_i\alpha_i g_i(y_q)\f$ to <tt>values[q]</tt> for
   * <tt>q = 0 ... n_points - 1</tt>. The sum takes the first @p n_atoms atoms
   * of the list, which are functions of at most three variables; coordinate d
   * of point q is <tt>coordinates[d][q]</tt>.
   */
  void
  add_combination(const AtomList      &atoms,
                  const double        *coefficients,
                  const std::size_t    n_atoms,
                  const std::size_t    n_points,
                  const double *const *coordinates,
                  double              *values);
} // namespace Evergreen

#endif
