// Linear combinations of atoms that share one pool: what a learned kernel is.

#ifndef evergreen_kernel_expansions_h
#define evergreen_kernel_expansions_h

#include <evergreen/dictionary/atoms.h>
#include <evergreen/fem/quadrature_rule.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace Evergreen
{
  /** A linear combination of atoms. */
  struct Expansion
  {
    AtomList            atoms;
    std::vector<double> coefficients;

    /** The value at a point. */
    double
    value(const double *y) const;
  };


  /**
   * Expansions in the atoms of one pool. Expansion s is a list of numbers in
   * the pool, <tt>atoms[starts[s]], ..., atoms[starts[s + 1] - 1]</tt>, with
   * coefficients for several numbers of neurons.
   */
  struct Expansions
  {
    /**
     * The coefficients with at most so many neurons: those of the first
     * n_neurons atoms (or as many as it has) of every list, list by list.
     */
    struct Level
    {
      std::size_t         n_neurons = 0;
      std::vector<double> coefficients;
    };

    AtomList                   pool;
    std::vector<std::size_t>   starts = {0};
    std::vector<std::uint32_t> atoms;

    /** By increasing numbers of neurons; the last are the expansions' own. */
    std::vector<Level> levels;

    /** The number of expansions. */
    std::size_t
    size() const;

    /** How many atoms expansion @p s has on a level. */
    std::size_t
    n_atoms(const std::size_t s, const Level &level) const;

    /** Where the coefficients of every expansion start on a level. */
    std::vector<std::size_t>
    starts_on(const Level &level) const;

    /** Expansion @p s on the last level, alone. */
    Expansion
    operator[](const std::size_t s) const;

    /** Some of the expansions, and of the pool the atoms that they have. */
    Expansions
    subset(const std::vector<std::size_t> &wanted) const;

    /**
     * Expansions in (x, y) as functions of y at points x, one after the other
     * for every expansion: a pool of restricted atoms, of which those that are
     * products do not depend on x.
     */
    Expansions
    restricted(const std::size_t n_points, const double *x) const;
  };


  /**
   * Told the values of expansion @p s at the points [first, first + n): those
   * on level l are <tt>values[l n], ..., values[l n + n - 1]</tt>. Called by
   * several threads at once, for different s.
   */
  using ValueVisitor = std::function<void(const std::size_t s,
                                          const std::size_t first,
                                          const std::size_t n,
                                          const double     *values)>;

  /**
   * The values of all expansions on all levels at the points of a rule, a few
   * points at a time. Radial atoms, which are expensive, are evaluated once for
   * all expansions, and the others for each.
   */
  void
  visit_values(const Expansions     &expansions,
               const QuadratureRule &rule,
               const ValueVisitor   &visit);
} // namespace Evergreen

#endif
