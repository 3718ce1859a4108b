// OGA for the whole kernel, the paper's Algorithm 3: atoms in (x, y).

#ifndef evergreen_greedy_kernel_greedy_h
#define evergreen_greedy_kernel_greedy_h

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/distributed_basis.h>
#include <evergreen/greedy/fit.h>

#include <memory>
#include <vector>

namespace Evergreen
{
  /**
   * The orthogonal greedy algorithm for kernels $G(x, y)$ in the norm
   * $\sum_i w_i \frac 1N \sum_j (G(x_i, \cdot) * f_j)^2$ over the response
   * points $x_i$ with weights $w_i$. An atom has the coordinates
   * $W_x^{1/2} \hat G C^T$. The search
   * $\sum_{iq} g(x_i, y_q) P_{iq}$, $P = W_x^{1/2} R C B$, evaluates atoms on
   * the fly and never stores them; R is the residual.
   *
   * On several ranks each searches at its own quadrature points, and holds the
   * rows of the residual and of the basis of its own response points.
   */
  class KernelGreedy
  {
  public:
    /**
     * @p response_points are this rank's $x_i$ (one after the other) and
     * @p response_weights their $w_i$, in the order of the slices of
     * @p coordinates. All arguments must outlive the object. Collective.
     */
    KernelGreedy(const QuadratureRule      &rule,
                 const Coordinates         &coordinates,
                 const std::vector<double> &response_points,
                 const std::vector<double> &response_weights,
                 const Dictionary          &dictionary,
                 const GreedyParameters    &parameters,
                 MPI_Comm                   comm);

    /**
     * Learns the kernel. An unfinished @p fit of an earlier run is taken up
     * where it ended: its atoms are projected again, without search. The
     * observer is called after every neuron. Collective; returns false if the
     * observer stopped it.
     */
    bool
    run(Fit &fit, const GreedyObserver &observer = {});

  private:
    /** Throws if the sizes do not match or the basis does not fit. */
    void
    check(const QuadratureRule      &rule,
          const std::vector<double> &response_points,
          const std::vector<double> &response_weights) const;

    /** Collects the response points of all ranks, and their extent. */
    void
    gather_points(const std::vector<double> &response_points);

    /** Collects the residuals of all ranks, $W_x^{1/2} R$. */
    void
    gather_residual();

    /** The rows of P of @p n response points, at this rank's quadrature. */
    void
    compute_weights(std::size_t first, std::size_t n, double *p) const;

    /**
     * The correlations of all atoms with the residual, in one precision, and
     * $\sum_{iq} |P_{iq}|$, against which rounding is measured.
     */
    std::vector<double>
    correlations(const AtomList &atoms,
                 SearchPrecision precision,
                 double         &sum_of_weights) const;

    /**
     * The norms of the atoms, estimated at a few response points; for
     * normalised selection.
     */
    std::vector<double>
    estimated_norms(const AtomList &atoms) const;

    /** The best atom by score that is not tried yet, or atoms.size(). */
    std::size_t
    pick(const AtomList            &atoms,
         const std::vector<double> &scores,
         const std::vector<double> &norms,
         double                     sum_of_weights,
         const std::vector<bool>   &tried) const;

    /** This rank's coordinates of an atom: inner rows, then extra ones. */
    std::vector<double>
    project(const AtomList &atoms, std::size_t index) const;

    /** Puts the coordinates of this rank's slices into one vector. */
    std::vector<double>
    assemble(const std::vector<double> &columns) const;

    /** Adds an atom to the approximation unless it is in the span. */
    bool
    append(const AtomList &atoms, std::size_t index, Fit &fit);

    /** Finds one more atom; ends the fit if there is none. */
    void
    iterate(Fit &fit);

    /** The square of the residual's norm, without the penalty. */
    double
    data_square() const;

    void
    record(Fit &fit) const;

    const QuadratureRule   *rule;
    const Coordinates      *coordinates;
    const Dictionary       *dictionary;
    const GreedyParameters *parameters;
    MPI_Comm                comm;

    std::unique_ptr<Evaluator> evaluator;

    /** Response points of all ranks, and how many each rank has. */
    std::vector<double> points;
    std::vector<int>    n_points_of_rank;
    std::size_t         n_points = 0;

    /** The largest absolute value of a coordinate of any point. */
    double extent = 0;

    /** Roots of the weights of this rank's response points. */
    std::vector<double> root_weights;

    double              square_norm = 0;
    double              misfit      = 0;
    std::vector<double> residual;
    std::vector<double> weighted_residual;

    std::unique_ptr<DistributedBasis> basis;
  };
} // namespace Evergreen

#endif
