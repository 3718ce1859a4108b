// What the near field of a quadrature rule adds to the action of atoms.

#ifndef evergreen_dictionary_near_corrections_h
#define evergreen_dictionary_near_corrections_h

#include <evergreen/dictionary/atoms.h>
#include <evergreen/fem/quadrature_rule.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * Corrects the action B g of atom @p index in <tt>action[row * stride]</tt>.
   * Does nothing for atoms without a singularity, or a rule without a near
   * field.
   */
  void
  add_near_field(const QuadratureRule &rule,
                 const AtomList       &atoms,
                 const std::size_t     index,
                 double               *action,
                 const std::size_t     stride = 1);


  /**
   * The corrections of many atoms as one sparse matrix: entry e adds
   * <tt>values[e]</tt> to row <tt>rows[e]</tt> of atom <tt>atoms[e]</tt>. The
   * entries are in order of the atoms and their rows.
   */
  struct NearCorrections
  {
    std::vector<unsigned int> rows;
    std::vector<unsigned int> atoms;
    std::vector<double>       values;
  };

  /**
   * The corrections of the @p n atoms from @p first on, whose numbers count
   * from @p first; empty without a near field. Works with several threads.
   */
  NearCorrections
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   std::size_t           first,
                   std::size_t           n);
} // namespace Evergreen

#endif
