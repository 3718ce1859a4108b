// Families of fundamental-solution atoms: functions of the distance from a
// centre that is outside of the domain, or at the response point itself.

#ifndef evergreen_dictionary_fundamental_h
#define evergreen_dictionary_fundamental_h

#include <evergreen/dictionary/family.h>
#include <evergreen/dictionary/outside_points.h>

#include <iterator>
#include <memory>
#include <vector>

namespace Evergreen
{
  /**
   * A profile with wave numbers \f$\kappa\f$ from an interval. The wave number
   * is a parameter of the atom and not a constant, because finite elements
   * propagate waves with a wave number slightly different from that of the
   * equation.
   */
  struct FundamentalSolution
  {
    RadialFunction function = RadialFunction::logarithm;
    double         low      = 1; ///< the smallest wave number
    double         high     = 1; ///< the largest one

    /** The wave number that belongs to a number in (0, 1). */
    double
    wave_number(double uniform) const;

    /** Throws a UsageError unless the wave numbers make sense. */
    void
    check() const;
  };


  /**
   * Atoms whose centres, if they have any, are taken from a pool of points
   * outside of the domain, by their form:
   *
   * - centred, \f$\psi_\kappa(|y-c|)\f$, as in the method of fundamental
   *   solutions: they make up the regular part of a Green's function;
   * - difference, \f$\psi_\kappa(|x-y|)\f$, the singular part of a full
   *   kernel: they differ by their wave numbers only;
   * - product, \f$\psi_\kappa(|x-c|)\,\psi_\kappa(|y-d|)\f$, for a full kernel.
   */
  class FundamentalFamily : public AtomFamily
  {
  public:
    /**
     * @p dim is the dimension of the domain, and @p centres are points in so
     * many coordinates, one after the other.
     */
    FundamentalFamily(AtomForm                   form,
                      unsigned int               dim,
                      const FundamentalSolution &solution,
                      std::vector<double>        centres = {});

    void
    draw(const double *uniforms, AtomList &atoms) const override;

  private:
    AtomForm            form;
    unsigned int        space_dim;
    FundamentalSolution solution;
    std::vector<double> centres;
  };


  /**
   * The atoms that belong to one slice alone: those centred at its response
   * point, which have the slice's singularity, and one at the mirror image of
   * that point in the boundary, without which slices near the boundary are
   * hard to fit. In two and three dimensions there are functions besides that
   * decay within a cell or so, K0(r / l) and exp(-r / l) / r: the finite
   * elements that made the data smear the singularity over such a length.
   * The atoms do not change from iteration to iteration.
   */
  class SliceAtoms
  {
  public:
    /** How many wave numbers are offered, evenly spaced in the interval. */
    static constexpr unsigned int n_wave_numbers = 12;

    /** The decay lengths l of the local functions, in cells. */
    static constexpr double decay_lengths[] = {1., 0.5, 0.25};

    /** The largest number of atoms of a slice. */
    static constexpr unsigned int max_atoms =
      n_wave_numbers + 1 + std::size(decay_lengths);

    /**
     * Images nearer than @p min_distance to the boundary are left out. Without
     * a @p cell_size there are no local functions.
     */
    SliceAtoms(const FundamentalSolution      &solution,
               std::shared_ptr<const Boundary> boundary,
               double                          min_distance,
               double                          cell_size = 0);

    /** The atoms of the response point @p x. */
    AtomList
    at(const double *x) const;

  private:
    FundamentalSolution             solution;
    std::shared_ptr<const Boundary> boundary;
    double                          min_distance;
    double                          cell_size;
  };
} // namespace Evergreen

#endif
