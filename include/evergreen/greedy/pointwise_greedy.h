// PW-OGA, the paper's Algorithm 4, for all slices of the kernel at once.

#ifndef evergreen_greedy_pointwise_greedy_h
#define evergreen_greedy_pointwise_greedy_h

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/dictionary/fundamental.h>
#include <evergreen/greedy/buffer.h>
#include <evergreen/greedy/pointwise_engine.h>
#include <evergreen/greedy/slice.h>

#include <memory>
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
   * The orthogonal greedy algorithm for point-wise kernel estimation. Every
   * slice $G(x_s, \cdot)$ is approximated for itself; all slices see the same
   * random dictionary in the same iteration. The coordinates of the
   * dictionaries do not depend on the slices, so they are made first, for as
   * many iterations as the memory allows (all, if possible), and the slices
   * then go through these iterations in groups whose bases stay in cache.
   *
   * The atoms found do not depend on the number of ranks and threads, the
   * memory, or the order of slices.
   *
   * A backend with a PointwiseEngine does all this on its device; others offer
   * an Evaluator, and the rest is done here.
   */
  class PointwiseGreedy
  {
  public:
    /**
     * @p rule holds this rank's quadrature points, @p coordinates its slices.
     * All arguments must outlive the object.
     */
    PointwiseGreedy(const QuadratureRule   &rule,
                    const Coordinates      &coordinates,
                    const Dictionary       &dictionary,
                    const GreedyParameters &parameters,
                    MPI_Comm                comm);

    /**
     * Offers every slice atoms of its own, besides the dictionary: those of
     * @p atoms at its response point, the points one after the other in
     * @p points. Both must outlive the object.
     */
    void
    add_slice_atoms(const SliceAtoms &atoms, const std::vector<double> &points);

    /**
     * Learns all slices of this rank that are not finished in @p fits, which
     * is empty or the outcome of an earlier, interrupted run. Collective.
     * Returns false if the observer stopped it.
     */
    bool
    run(std::vector<Fit> &fits, const GreedyObserver &observer = {});

    /** Where the time went. */
    const StepSeconds &
    seconds() const;

  private:
    /** Chooses the sizes below by the memory. Collective. */
    void
    plan(std::size_t n_unfinished);

    /** Makes the dictionaries [first, first + n). Collective. */
    void
    make_dictionaries(std::size_t first, std::size_t n);

    /** The part of it for n dictionaries from position @p begin. */
    void
    make_dictionaries_now(std::size_t begin, std::size_t n);

    /** Takes the slices in [begin, end) through the present dictionaries. */
    void
    advance(std::vector<Slice> &slices, std::size_t begin, std::size_t end);

    /** Makes the slices' own atoms for a group. Collective. */
    void
    make_own_atoms(const std::vector<std::size_t> &group);

    /** The coordinates of this rank's list of atoms. Collective. */
    void
    own_coordinates(const AtomList &atoms);

    /** One group of slices through all iterations. Collective. */
    void
    learn_group(const std::vector<std::size_t> &group, std::vector<Fit> &fits);

    /** @name The same with an engine, see pointwise_engine.cc. */
    /** @{ */
    void
    plan_on_engine(std::size_t n_unfinished);
    void
    make_dictionaries_on_engine(std::size_t begin, std::size_t n);
    void
    start_on_engine(const std::vector<std::size_t> &group);
    void
    learn_group_on_engine(const std::vector<std::size_t> &group,
                          std::vector<Fit>               &fits);
    /** @} */

    GreedyProgress
    progress(const std::vector<Fit> &fits) const;

    const QuadratureRule   *rule;
    const Coordinates      *coordinates;
    const Dictionary       *dictionary;
    const GreedyParameters *parameters;
    MPI_Comm                comm;

    /** One of them is there. */
    std::unique_ptr<PointwiseEngine> engine;
    std::unique_ptr<Evaluator>       evaluator;

    /** The largest number of neurons a slice can have. */
    std::size_t max_neurons = 0;

    /** How many dictionaries, and how many slices, are held at once. */
    std::size_t n_dictionaries = 0;
    std::size_t n_group        = 0;

    /** How many groups this run takes; the same on all ranks. */
    std::size_t n_groups = 0;

    /** How many slices a thread works on at once. */
    std::size_t n_task = 0;

    /** The present dictionaries, iterations [first, first + count). */
    std::size_t                 first = 0;
    std::size_t                 count = 0;
    Buffer<double>              h;
    Buffer<float>               h_single;
    std::vector<double>         norms;
    std::vector<DictionaryView> views;

    /** The atoms of single slices, and those of the present group. */
    const SliceAtoms           *slice_atoms     = nullptr;
    const std::vector<double>  *response_points = nullptr;
    std::vector<double>         own_h, own_norms;
    std::vector<DictionaryView> own_views;

    Buffer<double> bases;
    StepSeconds    step_seconds;
  };
} // namespace Evergreen

#endif
