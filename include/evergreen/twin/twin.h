// Learning a twin inside of a program that has a solver, and asking it there.

#ifndef evergreen_twin_twin_h
#define evergreen_twin_twin_h

#include <evergreen/base/compat.h>

#include <evergreen/data/samples.h>
#include <evergreen/fem/space.h>
#include <evergreen/twin/learned_twin.h>
#include <evergreen/twin/moment_map.h>
#include <evergreen/twin/twin_data.h>
#include <evergreen/twin/twin_learner.h>
#include <evergreen/twin/twin_operator.h>

#include <deal.II/base/function.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace Evergreen
{
  /** Values of functions of a space at the nodes of another mesh. */
  template <int dim>
  class NodeValues
  {
  public:
    /** At the nodes of the space itself. */
    explicit NodeValues(const Space<dim> &space);

    /** At some points (dim numbers each), which must be in the domain. */
    NodeValues(const Space<dim> &space, const std::vector<double> &points);

    /**
     * From columns of local nodal values of solutions to columns of values at
     * all points, on all ranks. Collective.
     */
    std::vector<double>
    apply(const double *columns, std::size_t n) const;

    /** The points at which solutions are not zero because of constraints. */
    const std::vector<std::size_t> &
    free() const
    {
      return free_;
    }

  private:
    const Space<dim>        &space_;
    CsrMatrix                matrix_; // for the values of this rank
    std::vector<std::size_t> free_;
  };


  /**
   * A twin in the making: takes pairs of forcings and solutions of somebody
   * else's solver, one after the other, and keeps only what it needs of them.
   *
   * @code
   *   Twin<dim> twin(space, coarse_space.mesh_data());
   *   for (...)
   *     twin.add(f, u);
   *   const LearnedTwin learned = twin.learn();
   * @endcode
   *
   * All functions are collective.
   */
  template <int dim>
  class Twin
  {
  public:
    /** On the mesh of the solver, whose space must live as long. */
    explicit Twin(const Space<dim>     &space,
                  const TwinParameters &parameters = TwinParameters());

    /**
     * On a coarse mesh of the same domain, which need not have to do with that
     * of the solver. Its elements are of degree one; where solutions are zero
     * is learned from the solver's constraints.
     */
    Twin(const Space<dim>     &space,
         const MeshData       &coarse_mesh,
         const TwinParameters &parameters = TwinParameters());

    /**
     * Adds a pair of deal.II's or Trilinos' distributed vectors with the
     * degrees of freedom of the space (or of serial ones in a program on one
     * rank).
     */
    template <typename Vector>
    void
    add(const Vector &forcing, const Vector &solution)
    {
      waiting_.add(forcing, solution);
      if (waiting_.n_samples == n_at_once)
        reduce();
    }

    /** Adds many pairs. */
    void
    add(const Samples &samples);

    /** Learns from all pairs so far; @p observer sees what is tried. */
    LearnedTwin
    learn(const TwinObserver &observer = {});

    /** What is kept of the pairs. */
    const TwinData &
    data();

  private:
    static constexpr std::size_t n_at_once = 16;

    const Space<dim>                &space_;
    TwinParameters                   parameters_;
    TwinData                         data_;
    std::unique_ptr<NodeValues<dim>> values_;
    std::unique_ptr<MomentMap<dim>>  moments_;
    Samples                          waiting_;

    void
    reduce(const double *forcings, const double *solutions, std::size_t n);
    void
    reduce();
  };


  /**
   * A learned twin for forcings of a finite element space: nodal values of
   * forcings -> moments -> values at the nodes of the twin. If f is known as a
   * formula or on the twin's own mesh, TwinOperator answers without touching
   * anything fine.
   */
  template <int dim>
  class TwinSolver
  {
  public:
    /** Forcings are functions of @p space, which must live as long. */
    TwinSolver(const LearnedTwin &twin, const Space<dim> &space);

    /**
     * From columns of local nodal values of forcings to columns of values at
     * the nodes of the twin, which all ranks get. Collective.
     */
    void
    apply(const double *forcings, double *answers, std::size_t n) const;

    /** The answer to one forcing. Collective. */
    template <typename Vector>
    std::vector<double>
    operator()(const Vector &forcing) const
    {
      const std::vector<double> local(forcing.begin(), forcing.end());
      check_size(local.size());
      std::vector<double> answer(operator_.n_nodes());
      apply(local.data(), answer.data(), 1);
      return answer;
    }

    /**
     * How much of each forcing the twin cannot see, as a share of its norm: if
     * it is larger than is_rough() allows, do not trust the answer. Collective.
     */
    std::vector<double>
    unseen_shares(const double *forcings, std::size_t n) const;

    const TwinOperator &
    coarse_operator() const
    {
      return operator_;
    }

  private:
    const Space<dim>                       &space_;
    TwinOperator                            operator_;
    std::unique_ptr<MomentMap<dim>>         moments_;
    mutable std::unique_ptr<MomentMap<dim>> finest_;

    void
    check_size(std::size_t n_local) const;
  };


  /** A deal.II function as TwinOperator takes it. */
  template <int dim>
  TwinOperator::Function
  as_plain_function(const dealii::Function<dim> &function);


  /**
   * Whether a forcing, of which the share @p unseen is not seen, is rougher
   * than those that the twin was learned from.
   */
  bool
  is_rough(const LearnedTwin &twin, double unseen);
} // namespace Evergreen

#endif
