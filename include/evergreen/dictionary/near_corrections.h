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


  /** An entry of the corrections of many atoms: a number, and where it goes. */
  struct NearCorrection
  {
    unsigned int row;
    unsigned int atom;
    double       value;
  };

  /**
   * The corrections of the @p n atoms from @p first on, whose numbers count
   * from @p first, in order of the atoms and their rows; empty without a near
   * field. Works with several threads.
   */
  std::vector<NearCorrection>
  near_corrections(const QuadratureRule &rule,
                   const AtomList       &atoms,
                   std::size_t           first,
                   std::size_t           n);
} // namespace Evergreen

#endif
