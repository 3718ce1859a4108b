// Linear combinations of atoms that share one pool: what a learned kernel is.

#ifndef evergreen_kernel_expansions_h
#define evergreen_kernel_expansions_h

#include <evergreen/dictionary/evaluator.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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


  /** The coefficients of a level that belong to a part of the pool. */
  class ExpansionBlock
  {
  public:
    /** Of the atoms [first, last). */
    ExpansionBlock(const Expansions        &expansions,
                   const Expansions::Level &level,
                   const std::size_t        first,
                   const std::size_t        last);

    /**
     * Adds the sum over the atoms of expansion @p s: coefficients times rows of
     * @p in, of which atom a has the one that starts at
     * <tt>in[(a - first) stride]</tt>.
     */
    void
    add(const std::size_t s,
        const std::size_t width,
        const double     *in,
        const std::size_t stride,
        double           *out) const;

  private:
    std::vector<std::size_t>   starts_ = {0};
    std::vector<std::uint32_t> atoms_;
    std::vector<double>        coefficients_;
  };


  /**
   * An evaluator whose coordinates are the actions B g of atoms. The rule must
   * outlive it.
   */
  std::unique_ptr<Evaluator>
  action_evaluator(const QuadratureRule &rule);


  /** Told the actions B g of the atoms [first, last), one after the other. */
  using ActionVisitor = std::function<
    void(std::size_t first, std::size_t last, const double *actions)>;

  /**
   * The actions of all atoms of a pool, some at a time, by an
   * action_evaluator() of a rule with @p n_rows rows.
   */
  void
  visit_actions(const AtomList      &pool,
                const Evaluator     &evaluator,
                const std::size_t    n_rows,
                const ActionVisitor &visit);
} // namespace Evergreen

#endif
