// PW-OGA, the paper's Algorithm 4, for all slices of the kernel at once.

#ifndef evergreen_greedy_pointwise_greedy_h
#define evergreen_greedy_pointwise_greedy_h

#include <evergreen/dictionary/fundamental.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/pointwise_engine.h>

#include <mpi.h>

#include <memory>
#include <vector>

namespace Evergreen
{
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
   * The work is done by the backend's PointwiseEngine.
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
    StepSeconds
    seconds() const;

  private:
    /** Chooses the sizes below by the memory. Collective. */
    void
    plan(std::size_t n_unfinished);

    /** Makes the dictionaries [first, first + n). Collective. */
    void
    make_dictionaries(std::size_t first, std::size_t n);

    /** Where the slices of a group begin. Collective. */
    std::vector<PointwiseEngine::SliceStart>
    start(const std::vector<std::size_t> &group);

    /** Makes the slices' own atoms for a group. Collective. */
    void
    make_own_atoms(const std::vector<std::size_t>           &group,
                   std::vector<PointwiseEngine::SliceStart> &starts);

    /** The coordinates of this rank's list of atoms. Collective. */
    void
    own_coordinates(const AtomList &atoms);

    /** One group of slices through all iterations. Collective. */
    void
    learn_group(const std::vector<std::size_t> &group, std::vector<Fit> &fits);

    GreedyProgress
    progress(const std::vector<Fit> &fits) const;

    PointwiseEngine::Problem         problem;
    const Coordinates               *coordinates;
    MPI_Comm                         comm;
    std::unique_ptr<PointwiseEngine> engine;

    /** How many dictionaries, and how many slices, are held at once. */
    PointwiseEngine::Plan held;

    /** How many groups this run takes; the same on all ranks. */
    std::size_t n_groups = 0;

    /** The present dictionaries, iterations [first, first + count). */
    std::size_t first = 0;
    std::size_t count = 0;

    /** The atoms of single slices, and those of the present group. */
    const SliceAtoms          *slice_atoms     = nullptr;
    const std::vector<double> *response_points = nullptr;
    std::vector<double>        own_h, own_norms;

    double dictionary_seconds = 0;
  };


  /** Relative errors after so many neurons. */
  struct HistoryPoint
  {
    std::size_t n_neurons        = 0;
    double      train_error      = 0;
    double      validation_error = 0;
  };

  /**
   * The relative errors of all finished slices of all ranks together, for 0,
   * 1, 2, ... neurons; a slice that stopped counts with its last error.
   * @p weights are the slices' weights in the outer norm (empty: all equal).
   * Collective.
   */
  std::vector<HistoryPoint>
  history(const std::vector<Fit>    &fits,
          const std::vector<double> &weights,
          MPI_Comm                   comm);


  /**
   * OGA for plain function approximation, the paper's Algorithm 2: approximates
   * a function, given by its values at quadrature points, in the
   * norm $\|g\|^2 = \sum_q w_q g(y_q)^2$ by atoms of the dictionary.
   *
   * @param points  The points, one after the other, with as many coordinates
   *                as the atoms have variables.
   * @param weights The positive weights $w_q$.
   * @param values  The values of the function.
   */
  Fit
  approximate_function(const std::vector<double> &points,
                       const std::vector<double> &weights,
                       const std::vector<double> &values,
                       const Dictionary          &dictionary,
                       const GreedyParameters    &parameters);
} // namespace Evergreen

#endif
