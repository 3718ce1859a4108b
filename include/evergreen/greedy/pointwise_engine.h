// What a backend does for PW-OGA: whole groups of slices through all
// iterations, so that nothing leaves a device in between.

#ifndef evergreen_greedy_pointwise_engine_h
#define evergreen_greedy_pointwise_engine_h

#include <evergreen/dictionary/dictionary.h>
#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/greedy/fit.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Where the time of a run went, summed over the threads of this rank. */
  struct StepSeconds
  {
    double dictionaries = 0;
    double search       = 0;
    double projection   = 0;
  };


  /**
   * The inner part of approximate_slices(). The caller chooses groups of slices
   * and iterations, sums coordinates over the ranks if there are several, and
   * finishes the fits; the engine holds dictionaries, bases and residuals and
   * does all iterations of a group by itself. All engines pick the same atoms.
   *
   * The order of calls: reinit(), plan(), reserve(); then, for every group of
   * slices, start(), for every batch of iterations make_dictionaries(),
   * finish_dictionaries() and advance(), and outcomes(). Dictionaries stay
   * valid for the next group.
   */
  class PointwiseEngine
  {
  public:
    /** What all slices share; everything pointed to must outlive the engine. */
    struct Problem
    {
      /** This rank's rule, and the matrix C as Evaluator::reinit() takes it. */
      const QuadratureRule      *rule = nullptr;
      const std::vector<double> *c    = nullptr;

      const Dictionary       *dictionary = nullptr;
      const GreedyParameters *parameters = nullptr;

      /** The rows of a coordinate vector, see Coordinates. */
      std::size_t n_rows         = 0;
      std::size_t n_dot          = 0;
      std::size_t n_data         = 0;
      std::size_t rank           = 0;
      bool        has_validation = false;

      /** The largest number of atoms that a slice has for itself. */
      std::size_t max_own_atoms = 0;

      /** The number of coordinates of a dictionary. */
      std::size_t
      dictionary_numbers() const
      {
        return dictionary->size() * n_rows;
      }

      /** The largest number of neurons a slice can have. */
      std::size_t
      max_neurons() const
      {
        return std::min<std::size_t>(parameters->n_neurons, rank);
      }
    };

    /** How much is held at once. */
    struct Plan
    {
      std::size_t n_dictionaries = 0;
      std::size_t n_slices       = 0;
    };

    /** Where a slice begins. */
    struct SliceStart
    {
      const double *target      = nullptr; ///< n_rows numbers
      double        misfit      = 0; ///< see Coordinates::misfit()
      double        square_norm = 0; ///< see Coordinates::square_norm()

      /** The coordinates of its own atoms, one after the other; norms. */
      std::size_t   n_own     = 0;
      const double *own_h     = nullptr;
      const double *own_norms = nullptr;
    };

    virtual ~PointwiseEngine() = default;

    /** Takes a problem, and brings what does not change to a device. */
    virtual void
    reinit(const Problem &problem) = 0;

    /** The coordinates of any atoms on this rank, n_rows for each. */
    virtual void
    coordinates(const AtomList &atoms, double *h) = 0;

    /**
     * What the memory that the parameters allow, and what is free on a device,
     * can hold for @p n_slices slices.
     */
    virtual Plan
    plan(std::size_t n_slices) const = 0;

    /** Makes room; plans may differ from plan() if ranks agree on another. */
    virtual void
    reserve(const Plan &plan) = 0;

    /**
     * Draws, evaluates and projects the dictionaries of the iterations
     * [first, first + n) and puts this rank's part of their coordinates at
     * [position, position + n).
     */
    virtual void
    make_dictionaries(std::size_t position,
                      std::size_t first,
                      std::size_t n) = 0;

    /**
     * These coordinates in memory where the caller may complete them, until
     * finish_dictionaries().
     */
    virtual double *
    coordinates_on_host(std::size_t position, std::size_t n) = 0;

    /**
     * Makes use of the coordinates at [position, position + n). If they had to
     * be completed, they are at @p complete, which is nullptr otherwise.
     */
    virtual void
    finish_dictionaries(std::size_t   position,
                        std::size_t   n,
                        const double *complete) = 0;

    /** Begins a group of slices. */
    virtual void
    start(const std::vector<SliceStart> &slices) = 0;

    /**
     * Takes the group through the dictionaries at [0, n). Returns whether a
     * slice wants more.
     */
    virtual bool
    advance(std::size_t n) = 0;

    /** What was found for the slices of the group: fits to be finished. */
    virtual std::vector<Fit>
    outcomes() = 0;

    /** Where the time went, as far as it is known. */
    virtual StepSeconds
    seconds() const
    {
      return {};
    }

  protected:
    /**
     * Shares out the memory: all dictionaries and at most slices_per_report
     * slices, if possible; else most of it is for slices, because every group
     * of them makes the dictionaries again.
     */
    static Plan
    share(const Problem &problem,
          std::size_t    memory,
          std::size_t    dictionary_bytes,
          std::size_t    slice_bytes,
          std::size_t    n_slices);
  };


  /**
   * The engine of a backend, see make_evaluator(): that of its module, or else
   * one that works with threads on its evaluator's coordinates.
   */
  std::unique_ptr<PointwiseEngine>
  make_pointwise_engine(const std::string &backend);
} // namespace Evergreen

#endif
