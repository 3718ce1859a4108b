// A learned kernel as a solver for deal.II programs.

#ifndef evergreen_surrogate_surrogate_solver_h
#define evergreen_surrogate_surrogate_solver_h

#include <evergreen/base/compat.h>

#include <evergreen/dictionary/quadrature_rule.h>
#include <evergreen/fem/space.h>
#include <evergreen/kernel/kernel_function.h>
#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/surrogate/kernel_operator.h>
#include <evergreen/surrogate/node_map.h>

#include <deal.II/base/function.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  template <int dim>
  class SensorSolver;


  /**
   * The learned solution operator \f$u(x_s)=\int\tilde G(x_s,y)f(y)\,dy\f$ on
   * the mesh of its kernel: one product with the matrix
   * \f$K_{sk}=\int\tilde G(x_s,y)\varphi_k(y)\,dy\f$ maps the nodal values of a
   * forcing to those of its solution.
   *
   * @code
   *   const SurrogateSolver<dim> solver("kernel.h5", dof_handler, mapping);
   *   solver.vmult(u, f);
   * @endcode
   *
   * It has what dealii::linear_operator() needs of a matrix. Vectors are
   * dealii::Vector<double>, LinearAlgebra::distributed::Vector<double> or
   * TrilinosWrappers::MPI::Vector; they must have the degrees of freedom of
   * the DoFHandler, and a wrong length is an Error. Every rank has the kernel
   * and keeps the rows of its own degrees of freedom; all functions are
   * collective.
   */
  template <int dim>
  class SurrogateSolver
  {
  public:
    using VectorType = dealii::LinearAlgebra::distributed::Vector<double>;

    /**
     * The kernel on a finite element space of your own program. The nodes are
     * found by their support points, so the numbering does not matter; an
     * Error says so if the kernel was learned on another mesh.
     */
    SurrogateSolver(const LearnedKernel           &kernel,
                    const dealii::DoFHandler<dim> &dof_handler,
                    const dealii::Mapping<dim>    &mapping,
                    const SurrogateOptions &options = SurrogateOptions());

    /** The same with Evergreen's finite element space. */
    SurrogateSolver(const LearnedKernel    &kernel,
                    const Space<dim>       &space,
                    const SurrogateOptions &options = SurrogateOptions());

    /** The same with the kernel in the file @p path. */
    SurrogateSolver(const std::string             &path,
                    const dealii::DoFHandler<dim> &dof_handler,
                    const dealii::Mapping<dim>    &mapping,
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
     * column j starts at j * n_local(), as in LinearProblem::solve_block().
     */
    void
    apply(const double     *forcings,
          double           *solutions,
          const std::size_t n_forcings) const;

    /**
     * The solution for a forcing given by a formula. It is integrated against
     * the shape functions with the quadrature of the mesh, so that this is
     * what finite elements would answer with an exact kernel.
     */
    template <typename Vector>
    void
    solve(const dealii::Function<dim> &forcing, Vector &solution) const;

    /**
     * The nodal values of the L2 projection of a formula, the forcing that
     * solve() uses.
     */
    template <typename Vector>
    void
    project(const dealii::Function<dim> &forcing, Vector &values) const;
    //@}

    /** @name Values at points */
    //@{
    /**
     * A solver for the values at some points only, which is much cheaper than
     * whole solutions. An Error names a point outside of the mesh. The
     * SurrogateSolver must live as long.
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
    const LearnedKernel &
    kernel() const
    {
      return kernel_;
    }
    /** \f$\tilde G(x,y)\f$ at any two points. */
    const KernelFunction<dim> &
    kernel_function() const
    {
      return function_;
    }
    /** The matrix of this rank: columns for all, rows for local unknowns. */
    const KernelOperator &
    local_operator() const
    {
      return *operator_;
    }
    const NodeMap<dim> &
    nodes() const
    {
      return nodes_;
    }
    /** The number of locally owned degrees of freedom. */
    std::size_t
    n_local() const
    {
      return nodes_.n_local();
    }
    //@}

    /** @name For dealii::linear_operator() */
    //@{
    dealii::types::global_dof_index
    m() const
    {
      return nodes_.n_dofs();
    }
    dealii::types::global_dof_index
    n() const
    {
      return nodes_.n_dofs();
    }
    const dealii::IndexSet &
    locally_owned_range_indices() const
    {
      return nodes_.locally_owned_dofs();
    }
    const dealii::IndexSet &
    locally_owned_domain_indices() const
    {
      return nodes_.locally_owned_dofs();
    }
    MPI_Comm
    get_mpi_communicator() const
    {
      return nodes_.communicator();
    }
    //@}

  private:
    friend class SensorSolver<dim>;

    LearnedKernel                   kernel_;
    KernelFunction<dim>             function_;
    NodeMap<dim>                    nodes_;
    DistributedRule                 rule_; // rows are degrees of freedom
    KernelMatrix                    matrix_;
    std::vector<std::size_t>        row_dofs_; // local index of each row
    std::unique_ptr<KernelOperator> operator_;
    bool                            covers_all_; // or sensors only

    void
    apply_transposed(const double *solution, double *forcing) const;

    std::vector<double>
    project(const dealii::Function<dim> &forcing) const;
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

    /** The matrix: a row a point, columns for all degrees of freedom. */
    const KernelOperator &
    matrix() const
    {
      return *operator_;
    }

  private:
    friend class SurrogateSolver<dim>;
    SensorSolver(const NodeMap<dim> &nodes, std::unique_ptr<KernelOperator> op)
      : nodes_(nodes), operator_(std::move(op))
    {}

    const NodeMap<dim>             &nodes_;
    std::unique_ptr<KernelOperator> operator_;
  };
} // namespace Evergreen

#endif
