// PW-OGA, the paper's Algorithm 4, for all slices of the kernel at once.

#ifndef evergreen_greedy_pointwise_greedy_h
#define evergreen_greedy_pointwise_greedy_h

#include <evergreen/dictionary/fundamental.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/pointwise_engine.h>

#include <mpi.h>

#include <vector>

namespace Evergreen
{
  /** The atoms that slices have for themselves, besides the dictionary. */
  struct OwnAtoms
  {
    /** Those of a response point; nullptr for none. */
    const SliceAtoms *atoms = nullptr;

    /** The response points, one after the other. */
    const std::vector<double> *points = nullptr;
  };

  /**
   * The orthogonal greedy algorithm for point-wise kernel estimation. Every
   * slice $G(x_s, \cdot)$ is approximated for itself; all slices see the same
   * random dictionary in the same iteration. The coordinates of the
   * dictionaries do not depend on the slices, so they are made first, for as
   * many iterations as the memory allows (all, if possible), and the slices
   * then go through these iterations in groups whose bases stay in cache. The
   * work is done by the backend's PointwiseEngine.
   *
   * The atoms found do not depend on the number of ranks and threads, the
   * memory, or the order of slices.
   *
   * All slices of this rank that are not finished in @p fits are learned, which
   * is empty or the outcome of an earlier, interrupted run. Where the time went
   * is written to @p seconds, if given. Collective. Returns false if the
   * observer stopped it.
   */
  bool
  approximate_slices(const GreedyProblem  &problem,
                     std::vector<Fit>     &fits,
                     const GreedyObserver &observer = {},
                     const OwnAtoms       &own      = {},
                     StepSeconds          *seconds  = nullptr);


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
