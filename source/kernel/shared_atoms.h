// The random dictionaries are the same for all slices, so slices share many of
// their atoms. Radial atoms are expensive: those that several slices have are
// evaluated once for all of them.

#ifndef evergreen_source_kernel_shared_atoms_h
#define evergreen_source_kernel_shared_atoms_h

#include <evergreen/dictionary/atoms.h>
#include <evergreen/dictionary/near_corrections.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace Evergreen
{
  /** The radial atoms that two or more of some lists have. */
  class SharedAtoms
  {
  public:
    /** Finds them. The rule must outlive this object. */
    SharedAtoms(const std::vector<const AtomList *> &lists,
                const QuadratureRule                &rule);

    /** How many there are. */
    std::size_t
    size() const;

    /** Stands for an atom that only one list has. */
    static constexpr unsigned int not_shared =
      std::numeric_limits<unsigned int>::max();

    /** The number of every atom of a list among the shared ones. */
    const std::vector<unsigned int> &
    numbers(const std::size_t list) const;

    /**
     * Evaluates all of them at @p n_points points, in parallel; see
     * values_of().
     */
    void
    evaluate(const std::size_t n_points, const double *const *coordinates);

    /**
     * For every atom of a list its values at the points of the last
     * evaluate(), or null if it is not shared.
     */
    std::vector<const double *>
    values_of(const std::size_t list) const;

    /** Computes the near fields of all of them, in parallel. */
    void
    compute_corrections();

    /** The near fields, with the atoms numbered as the shared ones. */
    const NearCorrections &
    corrections() const;

  private:
    const QuadratureRule                  *rule;
    AtomList                               atoms;
    std::vector<std::vector<unsigned int>> numbers_;
    std::vector<double>                    values;
    std::size_t                            n_values = 0; // of each atom
    NearCorrections                        corrections_;
  };
} // namespace Evergreen

#endif
