// The outcome of one greedy approximation: which atoms, with which
// coefficients, and how the error fell.

#ifndef evergreen_greedy_fit_h
#define evergreen_greedy_fit_h

#include <evergreen/dictionary/dictionary.h>
#include <evergreen/greedy/parameters.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /** Why a greedy approximation ended. The numbers are written to files. */
  enum class StopReason : int
  {
    unfinished = 0,
    neurons    = 1,
    tolerance  = 2,
    rank       = 3,
    validation = 4
  };


  /**
   * One greedy approximation, of one slice or of the full kernel. All members
   * are plain data that a caller may store and give back to go on.
   *
   * Atom number i was drawn in iteration i of the dictionary at position
   * <tt>chosen[i]</tt>; positions beyond the dictionary's size count the atoms
   * that the slice has for itself. With the orthonormal basis $q_i$ of the
   * atoms $h_j = \sum_{i \le j} T_{ij} q_i$, <tt>factor</tt> holds the columns
   * of T one after the other (1, 2, 3, ... entries), and <tt>projection</tt>
   * the numbers $q_i \cdot t$. Squares of errors are stored for 0, 1, 2, ...
   * neurons.
   */
  struct Fit
  {
    StopReason                reason = StopReason::unfinished;
    std::vector<unsigned int> chosen;
    std::vector<double>       factor;
    std::vector<double>       projection;
    std::vector<double>       train_squares;
    std::vector<double>       validation_squares;

    /**
     * The coefficients of the first n_kept atoms, the answer; n_kept is
     * chosen.size() or, with held-out samples, where their error was smallest.
     */
    std::vector<double> coefficients;

    /** The number of atoms of the answer. */
    std::size_t
    n_kept() const
    {
      return coefficients.size();
    }

    /**
     * The coefficients of the best approximation with the first @p n atoms
     * (all, if there are fewer), from the kept factors.
     */
    std::vector<double>
    coefficients_of(std::size_t n) const;

    /** The first @p n chosen atoms, of a slice with @p own atoms. */
    AtomList
    atoms(const Dictionary &dictionary,
          std::size_t       n,
          const AtomList   &own = AtomList()) const;

    /**
     * Looks whether to stop after the newest neuron, and sets the reason if
     * so: @p rank neurons cannot be exceeded, and @p square_norm is that of
     * the target, to which the tolerance is relative.
     */
    void
    check_stop(const GreedyParameters &parameters,
               std::size_t             rank,
               double                  square_norm);

    /** Computes the answer and drops what the parameters do not keep. */
    void
    finish(const GreedyParameters &parameters);
  };
} // namespace Evergreen

#endif
