// The near-field corrections of many atoms as one sparse matrix, for backends
// whose device knows nothing of cells.

#ifndef evergreen_dictionary_near_corrections_h
#define evergreen_dictionary_near_corrections_h

#include <evergreen/dictionary/atoms.h>
#include <evergreen/dictionary/quadrature_rule.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * What NearField::correct() adds to the action B g of atoms: entry e adds
   * <tt>values[e]</tt> to row <tt>rows[e]</tt> of atom <tt>atoms[e]</tt>. No
   * two entries have the same row and atom.
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
