// The choices of a greedy run.

#ifndef evergreen_greedy_parameters_h
#define evergreen_greedy_parameters_h

#include <cstddef>
#include <functional>
#include <string>

namespace Evergreen
{
  /** Which atom is the best: the largest correlation, or per unit of norm. */
  enum class Selection
  {
    plain,
    normalised
  };

  /**
   * The precision of the search of approximate_kernel(), and of
   * approximate_slices() on a device; projections are always double, and so is
   * the choice among the atoms that rounding could have hidden.
   * approximate_slices() on processors has no use for it: its search is in
   * single precision as long as that tells the atoms apart.
   */
  enum class SearchPrecision
  {
    double_precision,
    single_precision,
    tensor_precision ///< single, with 10 bits in products where that is faster
  };


  /**
   * The parameters of approximate_slices(), approximate_kernel() and
   * approximate_function().
   */
  struct GreedyParameters
  {
    /** The largest number of neurons (per slice). */
    unsigned int n_neurons = 128;

    /** Stop at this relative training error. */
    double tolerance = 0;

    /**
     * With held-out samples: stop when the best validation error is this many
     * neurons old; 0 never stops. The best point is kept in either case.
     */
    unsigned int patience = 0;

    Selection       selection = Selection::plain;
    SearchPrecision precision = SearchPrecision::double_precision;

    /**
     * approximate_kernel() keeps its basis in single precision, see
     * DistributedBasis: half the memory, and less time. Atoms that leave less
     * than 1e-6 of their norm outside of the span of the chosen ones are then
     * skipped, and errors are right to about 1e-6 of the norm of the data.
     */
    bool single_basis = false;

    /** The backend, see make_evaluator(). */
    std::string backend = "cpu";

    /** The memory in bytes for dictionaries and bases on each rank. */
    std::size_t memory = std::size_t(4) << 30;

    /**
     * At most this many slices are worked on between two calls of the
     * observer, which is how much work a killed run can lose. More, if the
     * memory does not hold the dictionaries of all iterations, because every
     * such group of slices then makes them again.
     */
    std::size_t slices_per_report = 256;

    /** Slices one thread works on at once; 0 chooses by the cache's size. */
    std::size_t slices_per_task = 0;

    /**
     * Keep the triangular factors, from which the coefficients for any smaller
     * number of neurons follow.
     */
    bool keep_factors = true;

    /**
     * An atom whose part outside of the span of the chosen ones is smaller
     * than this, relative to its norm, is skipped for the next best.
     */
    double span_tolerance = 1e-11;

    /**
     * When so many atoms in a row are skipped, the dictionary is exhausted; 0
     * tries them all.
     */
    std::size_t max_skipped = 0;

    /** Throws UsageError for values that make no sense. */
    void
    check() const;
  };


  /** What an observer is told. */
  struct GreedyProgress
  {
    /** Slices finished and in all, on all ranks (1 for the full kernel). */
    std::size_t n_slices_done = 0;
    std::size_t n_slices      = 0;

    /** Neurons found so far: in the current slices, or in the full kernel. */
    std::size_t n_neurons_done = 0;

    /** Relative errors of what is finished; validation is 0 without. */
    double train_error      = 0;
    double validation_error = 0;
  };


  /**
   * Called now and then on every rank; the run goes on while all return true.
   * The caller may store the result it passed to run() at this moment.
   */
  using GreedyObserver = std::function<bool(const GreedyProgress &)>;
} // namespace Evergreen

#endif
