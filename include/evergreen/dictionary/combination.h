// Linear combinations of atoms at many points: what a learned kernel is.

#ifndef evergreen_dictionary_combination_h
#define evergreen_dictionary_combination_h

#include <evergreen/dictionary/atoms.h>

#include <cstddef>
#include <functional>
#include <vector>

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


  /**
   * Told the values of several combinations at the points begin, begin + 1,
   * ..., begin + n - 1: those of combination l are
   * <tt>values[l * n] ... values[l * n + n - 1]</tt>. They may be changed.
   */
  using CombinationVisitor =
    std::function<void(std::size_t begin, std::size_t n, double *values)>;

  /**
   * Evaluates several combinations of the same atoms at once, a few points at a
   * time: combination l takes the first <tt>coefficients[l].size()</tt> atoms.
   * Every atom is evaluated once, which is what most of the time goes into.
   * Values of atoms that are known already can be given in @p known: for every
   * atom null or its values at all points.
   */
  void
  visit_combinations(const AtomList                         &atoms,
                     const std::vector<std::vector<double>> &coefficients,
                     const std::size_t                       n_points,
                     const double *const                    *coordinates,
                     const CombinationVisitor               &visit,
                     const std::vector<const double *>      &known = {});
} // namespace Evergreen

#endif
