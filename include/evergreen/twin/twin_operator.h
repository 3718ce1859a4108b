// A twin at work on its own mesh: from moments of forcings to values at nodes.

#ifndef evergreen_twin_twin_operator_h
#define evergreen_twin_twin_operator_h

#include <evergreen/twin/coarse_solver.h>
#include <evergreen/twin/hat_functions.h>
#include <evergreen/twin/learned_twin.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace Evergreen
{
  /**
   * Answers of a twin for blocks of forcings given by moments. Nothing here
   * knows the mesh of the solver that it was learned from, so an answer costs
   * what a sparse system on the twin's mesh costs. Plain arrays, the same on
   * every rank.
   */
  class TwinOperator
  {
  public:
    explicit TwinOperator(
      const LearnedTwin &twin,
      CoarseSolver::Form form = CoarseSolver::Form::automatic);

    /**
     * From columns of moments \f$\hat f_k\f$ to columns of values at all nodes
     * of the twin. On several threads.
     */
    void
    apply(const double *moments, double *values, std::size_t n) const;

    /** A function of a point. */
    using Function = std::function<double(const double *)>;

    /**
     * The moments of a function, by a Gauss rule of @p n_points points in each
     * direction of each cell of the hats. An Error says if the function is not
     * finite, or the twin is one on the solver's own mesh.
     */
    std::vector<double>
    moments_of(const Function &forcing, unsigned int n_points = 4) const;

    /**
     * The share of a function's norm that the hats of half the width do not
     * see: |f - f_seen| / |f|; forcings for which it is larger than
     * twin().unseen are rougher than those of the training.
     */
    double
    unseen_share(const Function &forcing, unsigned int n_points = 4) const;

    /**
     * The moments of functions that are linear on the cells of the hats (the
     * coarse mesh refined once for moments of half width), by columns of their
     * values at hat_points().
     */
    std::vector<double>
    moments_of_values(const double *values, std::size_t n) const;

    /** The nodes of the hats, dim coordinates each. */
    const std::vector<double> &
    hat_points() const
    {
      return hats().mesh().points;
    }

    const LearnedTwin &
    twin() const
    {
      return twin_;
    }
    const CoarseSolver &
    solver() const
    {
      return solver_;
    }
    std::size_t
    n_nodes() const
    {
      return twin_.mesh.n_nodes();
    }

  private:
    LearnedTwin                   twin_;
    CoarseSolver                  solver_;
    std::unique_ptr<HatFunctions> hats_;
    std::vector<double>           integrals_;
    CsrMatrix                     divided_mass_;

    const HatFunctions &
    hats() const;
  };


  /** The mesh of the hats that a twin on a coarse mesh takes moments with. */
  MeshData
  mesh_of_hats(const LearnedTwin &twin);
} // namespace Evergreen

#endif
