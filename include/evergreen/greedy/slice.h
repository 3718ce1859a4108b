// One slice on its way through the iterations: its residual, the orthonormal
// basis of its chosen atoms, and the choice of the next one.

#ifndef evergreen_greedy_slice_h
#define evergreen_greedy_slice_h

#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/fit.h>

#include <vector>

namespace Evergreen
{
  /** The coordinates of one iteration's dictionary. */
  struct DictionaryView
  {
    std::size_t   n_atoms  = 0;
    const double *h        = nullptr;
    const float  *h_single = nullptr;
    const double *norms    = nullptr;
    double        max_norm = 0;
  };


  /**
   * The state of the orthogonal greedy algorithm for one slice. The memory of
   * the basis belongs to the caller, who knows how much there is.
   */
  class Slice
  {
  public:
    /**
     * Starts at slice @p index of the coordinates, with room for the basis
     * (n_rows() times the number of neurons) at @p basis. Everything that is
     * found goes to @p fit. The atoms of @p own are offered in every iteration.
     */
    void
    start(const Coordinates      &coordinates,
          const GreedyParameters &parameters,
          std::size_t             index,
          double                 *basis,
          const DictionaryView   &own,
          Fit                    &fit);

    /** Whether the slice wants more atoms. */
    bool
    active() const;

    /** The residual in both precisions, the single one only if searched in. */
    const double *
    residual() const;
    const float *
    residual_single() const;

    /**
     * Picks the best atom by the given correlations with the residual,
     * orthogonalises it and updates the residual; atoms in the span of the
     * chosen ones are skipped. Ends the slice if there is none.
     */
    template <typename Number>
    void
    advance(const DictionaryView &dictionary, const Number *correlations);

  private:
    /**
     * The best atom that was not tried yet, or n_atoms if none is left. Where
     * rounding could decide, the correlations are made again in double
     * precision, and of equals the first is taken. Gives its score, too.
     */
    template <typename Number>
    std::size_t
    pick(const DictionaryView    &dictionary,
         const Number            *correlations,
         const std::vector<bool> &tried,
         double                  &score) const;

    /** What an atom counts in the selection, given its correlation. */
    double
    score_of(double correlation, double norm) const;

    /** The scores of the slice's own atoms. */
    std::vector<double>
    own_scores() const;

    /** Adds an atom to the basis unless it is in its span. */
    bool
    append(const double *h, double norm);

    /** Stores the errors and looks whether to stop. */
    void
    record();

    const Coordinates      *coordinates = nullptr;
    const GreedyParameters *parameters  = nullptr;
    Fit                    *fit         = nullptr;
    double                 *basis       = nullptr;
    std::size_t             index       = 0;
    double                  norm        = 0;
    DictionaryView          own;
    std::vector<double>     r;
    std::vector<float>      r_single;
  };
} // namespace Evergreen

#endif
