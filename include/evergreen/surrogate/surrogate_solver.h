// A learned kernel as a solver for deal.II programs.

#ifndef evergreen_surrogate_surrogate_solver_h
#define evergreen_surrogate_surrogate_solver_h

#include <evergreen/base/compat.h>

#include <evergreen/data/samples.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/space.h>
#include <evergreen/kernel/kernel_matrix.h>
#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/surrogate/kernel_operator.h>

#include <deal.II/base/function.h>
#include <deal.II/base/index_set.h>
#include <deal.II/base/point.h>

#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  template <int dim>
  class SensorSolver;


  /**
   * The learned solution operator \f$u(x_s)=\int\tilde G(x_s,y)f(y)\,dy\f$ on a
   * finite element space: one product with the matrix
   * \f$K_{sk}=\int\tilde G(x_s,y)\varphi_k(y)\,dy\f$ maps the nodal values of a
   * forcing to those of its solution at free nodes; the constraints of the
   * space say what it is at the others.
   *
   * @code
   *   const Space<dim> space(dof_handler, mapping, quadrature, constraints);
   *   const SurrogateSolver<dim> solver(kernel, space);
   *   solver.vmult(u, f);
   * @endcode
   *
   * Forcings may also live on another space of the same domain, finer or
   * otherwise different: the integrals are then done with its quadrature.
   *
   * A kernel learned for data on the boundary maps those instead, nodal values
   * of which only the ones at the boundary count: \f$u(x_s)=\int\tilde
   * P(x_s,y)g(y)\,ds\f$. Boundary values themselves are part of its solutions.
   * The solutions of a forcing and of boundary data add up.
   *
   * It has what dealii::linear_operator() needs of a matrix. Vectors are
   * dealii::Vector<double>, LinearAlgebra::distributed::Vector<double> or
   * TrilinosWrappers::MPI::Vector; they must have the degrees of freedom of
   * their space, and a wrong length is an Error.
   *
   * Every rank has the columns of K that belong to its cells. It multiplies
   * them by its part of f, and the results are added where they are owned: no
   * rank needs forcings or cells of others. All functions are collective.
   */
  template <int dim>
  class SurrogateSolver
  {
  public:
    using VectorType = typename Space<dim>::VectorType;

    /**
     * Prepares the kernel for a space, which must live as long as this object.
     * The kernel's nodes are found by their support points, so the numbering
     * does not matter; an Error says so if it was learned on another mesh.
     */
    SurrogateSolver(const LearnedKernel    &kernel,
                    const Space<dim>       &space,
                    const SurrogateOptions &options = SurrogateOptions());

    /** The same for forcings on another space, which must live as long, too. */
    SurrogateSolver(const LearnedKernel    &kernel,
                    const Space<dim>       &space,
                    const Space<dim>       &forcing_space,
                    const SurrogateOptions &options = SurrogateOptions());

    /** The first one with the kernel in the file @p path. */
    SurrogateSolver(const std::string      &path,
                    const Space<dim>       &space,
                    const SurrogateOptions &options = SurrogateOptions());

    SurrogateSolver(const SurrogateSolver &) = delete;
    SurrogateSolver &
    operator=(const SurrogateSolver &) = delete;

    /** @name Solving */
    //@{
    /** From nodal values of a forcing to those of its solution. */
    template <typename Vector>
    void
    vmult(Vector &solution, const Vector &forcing) const;

    /** The transposed of this map, for adjoint problems. */
    template <typename Vector>
    void
    Tvmult(Vector &forcing, const Vector &solution) const;

    /**
     * A block of right-hand sides as plain arrays of local degrees of freedom:
     * column j of the solutions starts at j * n_local(), as in
     * LinearProblem::solve_block().
     */
    void
    apply(const double     *forcings,
          double           *solutions,
          const std::size_t n_forcings) const;

    /**
     * The solution for a forcing given by a formula, by way of its L2
     * projection to the space: what finite elements would answer with an exact
     * kernel. Data on the boundary are interpolated.
     */
    template <typename Vector>
    void
    solve(const dealii::Function<dim> &forcing, Vector &solution) const;
    //@}

    /** @name Values at points */
    //@{
    /**
     * A solver for the values at some points only, which is much cheaper than
     * whole solutions. An Error names a point outside of the mesh, or near
     * nodes that were not learned. The SurrogateSolver must live as long.
     */
    SensorSolver<dim>
    sensors(const std::vector<dealii::Point<dim>> &points) const;

    /** A solution, given by nodal values, at any points of the mesh. */
    template <typename Vector>
    std::vector<double>
    values_at(const std::vector<dealii::Point<dim>> &points,
              const Vector                          &solution) const;
    //@}

    /** @name What it is made of */
    //@{
    /** What it maps to solutions. */
    Input
    input() const
    {
      return input_;
    }
    const LearnedKernel &
    kernel() const
    {
      return kernel_;
    }
    const Space<dim> &
    space() const
    {
      return space_;
    }
    /** The columns of this rank: rows for all response points. */
    const KernelOperator &
    local_operator() const
    {
      return *operator_;
    }
    /** The number of locally owned degrees of freedom. */
    std::size_t
    n_local() const
    {
      return space_.n_local_nodes();
    }
    //@}

    /** @name For dealii::linear_operator() */
    //@{
    dealii::types::global_dof_index
    m() const
    {
      return space_.n_nodes();
    }
    dealii::types::global_dof_index
    n() const
    {
      return forcing_space_.n_nodes();
    }
    const dealii::IndexSet &
    locally_owned_range_indices() const
    {
      return space_.locally_owned_dofs();
    }
    const dealii::IndexSet &
    locally_owned_domain_indices() const
    {
      return forcing_space_.locally_owned_dofs();
    }
    MPI_Comm
    get_mpi_communicator() const
    {
      return space_.communicator();
    }
    //@}

  private:
    friend class SensorSolver<dim>;

    LearnedKernel                   kernel_;
    const Space<dim>               &space_;
    const Space<dim>               &forcing_space_;
    Input                           input_;
    std::vector<double>             boundary_weights_; // for boundary values
    std::vector<std::size_t>        nodes_; // of the kernel's nodes, in space_
    DistributedRule                 rule_;
    KernelMatrix                    matrix_;
    std::unique_ptr<KernelOperator> operator_;
    bool                            covers_all_; // or sensors only

    /** The rows of the operator are slices in this order: rank by rank. */
    std::vector<std::size_t> slices_;
    std::vector<int>         n_slices_of_rank_;
    /** Where this rank's rows go: local degrees of freedom. */
    std::vector<std::size_t> row_dofs_;

    Interpolation<dim> interpolation_;

    void
    check_input();
    void
    order_slices();
    RowSource
    make_source() const;
    /** Adds what @p buffer keeps of other ranks' columns, if there are any. */
    const double *
    with_ghosts(const double        *forcings,
                const std::size_t    n_forcings,
                std::vector<double> &buffer) const;
    std::vector<double>
    add_to_owners(const std::vector<double> &values,
                  const std::size_t          n_columns) const;
    void
    apply_transposed(const double *solution, double *forcing) const;
    /** The boundary values that are part of solutions, for n columns. */
    std::vector<double>
    lifts(const double *data, const std::size_t n_columns) const;
    std::vector<double>
    values_at(const std::vector<dealii::Point<dim>> &points,
              const double                          *solution) const;
  };


  /**
   * A learned solution operator for the values at a few points: a matrix with
   * a row for each point. Made by SurrogateSolver::sensors().
   */
  template <int dim>
  class SensorSolver
  {
  public:
    /** The values at all points, on every rank. Collective. */
    template <typename Vector>
    std::vector<double>
    operator()(const Vector &forcing) const;

    /**
     * The values for a block of forcings (columns of local degrees of
     * freedom): a column of values for each. Collective.
     */
    void
    apply(const double     *forcings,
          double           *values,
          const std::size_t n_forcings) const;

    std::size_t
    n_points() const
    {
      return operator_->n_rows();
    }
    /**
     * The matrix: a row a point, columns for this rank's part. Points in cells
     * at the boundary have a share of given boundary values besides.
     */
    const KernelOperator &
    matrix() const
    {
      return *operator_;
    }

  private:
    friend class SurrogateSolver<dim>;
    SensorSolver(const SurrogateSolver<dim>     &solver,
                 std::unique_ptr<KernelOperator> op)
      : solver_(solver), operator_(std::move(op))
    {}

    const SurrogateSolver<dim>     &solver_;
    std::unique_ptr<KernelOperator> operator_;

    /** All shape functions at the points, if boundary values are given. */
    std::vector<typename Interpolation<dim>::Weights> shapes_;

    void
    add_boundary_values(const double     *data,
                        double           *values,
                        const std::size_t n_columns) const;
  };


  /**
   * \f$\varepsilon_u=\frac1N\sum_j\|u_j-\tilde u_j\|/\|u_j\|\f$ in L2 for the
   * pairs \f$(f_j,u_j)\f$ of @p samples and the answers \f$\tilde u_j\f$ of
   * @p solver to their forcings. Samples with u = 0 are left out; an Error says
   * so if there are no others. Collective.
   */
  template <int dim>
  double
  mean_relative_error(const SurrogateSolver<dim> &solver,
                      const Samples              &samples);
} // namespace Evergreen

#endif
