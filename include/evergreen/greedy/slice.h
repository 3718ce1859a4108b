// One slice on its way through the iterations: its residual, the orthonormal
// basis of its chosen atoms, and the choice of the next one.

#ifndef evergreen_greedy_slice_h
#define evergreen_greedy_slice_h

#include <evergreen/greedy/pointwise_engine.h>

#include <type_traits>
#include <vector>

namespace Evergreen
{
  /**
   * A search may leave out the last rows of the inner product, where little is
   * left of the atoms, and stop at a multiple of this number of rows.
   */
  constexpr std::size_t rows_per_level = 64;

  /** The number of levels of @p n_dot rows. */
  constexpr std::size_t
  n_levels(const std::size_t n_dot)
  {
    return (n_dot + rows_per_level - 1) / rows_per_level;
  }

  /**
   * The norms of what is left of a vector of @p n_dot entries from the rows 0,
   * rows_per_level, ... on: n_levels() numbers, @p stride apart.
   */
  void
  tail_norms(std::size_t   n_dot,
             const double *vector,
             double       *norms,
             std::size_t   stride);


  /**
   * The coordinates of one iteration's dictionary. The tail_norms() of atom j
   * are <tt>norms[j], norms[n_atoms + j]</tt>, ..., and their largest are
   * @p max_norms.
   */
  struct DictionaryView
  {
    std::size_t         n_atoms  = 0;
    const double       *h        = nullptr;
    const float        *h_single = nullptr;
    const double       *norms    = nullptr;
    std::vector<double> max_norms;
  };


  /**
   * The state of the orthogonal greedy algorithm for one slice. The memory of
   * the basis belongs to the caller, who knows how much there is.
   */
  class Slice
  {
  public:
    /**
     * Starts with room for the basis (n_rows times the number of neurons) at
     * @p basis. The problem and what @p slice points to must outlive the
     * object. The slice's own atoms are offered in every iteration.
     */
    void
    start(const PointwiseEngine::Problem    &problem,
          const PointwiseEngine::SliceStart &slice,
          double                            *basis);

    /** What was found so far; to be finished by the caller. */
    Fit fit;

    /** Whether the slice wants more atoms. */
    bool
    active() const;

    /** The residual in either precision. */
    template <typename Number>
    const Number *
    residual() const
    {
      if constexpr (std::is_same_v<Number, float>)
        return r_single.data();
      else
        return r.data();
    }

    /**
     * Whether a search in single precision tells the atoms apart, judged by
     * the last iteration: near the rank of the data the residual is all but
     * orthogonal to every atom, and rounding hides the correlations.
     */
    bool
    single_is_enough(const DictionaryView &dictionary) const;

    /**
     * How many levels of rows a search should look at so that few atoms are
     * left to choose from, judged by the last iteration.
     */
    std::size_t
    levels_to_search(const DictionaryView &dictionary) const;

    /**
     * Picks the best atom by the given correlations with the residual in the
     * first @p n_searched levels, orthogonalises it and updates the residual;
     * atoms in the span of the chosen ones are skipped. Ends the slice if there
     * is none.
     */
    template <typename Number>
    void
    advance(const DictionaryView &dictionary,
            const Number         *correlations,
            std::size_t           n_searched);

  private:
    /** What the best atom has most of, by the wanted selection. */
    double
    score(const DictionaryView &dictionary,
          std::size_t           j,
          double                correlation) const;

    /**
     * The atoms not tried yet that may be the best, given that the
     * correlations suffer from rounding and from the rows left out.
     */
    template <typename Number>
    std::vector<std::size_t>
    candidates(const DictionaryView    &dictionary,
               const Number            *correlations,
               std::size_t              n_searched,
               const std::vector<bool> &tried) const;

    /**
     * The best atom that was not tried yet, or n_atoms if none is left. The
     * correlations of candidates() are made again in double precision with all
     * rows, and of equals the first is taken: the choice is that of a full
     * search. Gives its score, too.
     */
    template <typename Number>
    std::size_t
    pick(const DictionaryView    &dictionary,
         const Number            *correlations,
         std::size_t              n_searched,
         const std::vector<bool> &tried,
         double                  &best_score);

    /** The scores of the slice's own atoms. */
    std::vector<double>
    own_scores() const;

    /** Adds an atom to the basis unless it is in its span. */
    bool
    append(const double *h, double norm);

    /** Stores the errors and looks whether to stop. */
    void
    record();

    const PointwiseEngine::Problem *problem = nullptr;
    PointwiseEngine::SliceStart     begin;
    double                         *basis = nullptr;
    DictionaryView                  own;
    double                          correlation = 0;
    std::vector<double>             norms;
    std::vector<double>             r;
    std::vector<float>              r_single;
  };
} // namespace Evergreen

#endif
