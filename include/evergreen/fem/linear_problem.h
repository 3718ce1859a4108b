// The seam of the plugin: anything that maps a forcing to a solution.

#ifndef evergreen_fem_linear_problem_h
#define evergreen_fem_linear_problem_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/boundary_data.h>
#include <evergreen/fem/elliptic_parameters.h>
#include <evergreen/fem/frame.h>
#include <evergreen/fem/linear_solver.h>
#include <evergreen/fem/space.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/point.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Which problem, its coefficients, and how its equations are solved. */
  struct ProblemParameters
  {
    std::string        name        = "poisson";
    double             wave_number = 10.;
    unsigned int       degree      = 1;
    std::string        solver      = "auto";
    EllipticParameters elliptic;

    /** Declares these parameters in the subsections "Problem" and "Medium". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;
  };


  /**
   * A linear map from forcings to solutions on a finite element space,
   * \f$u(x)=\int_\Omega G(x,y) f(y)\,dy\f$ with some kernel G.
   *
   * Derive from this class, or from GalerkinProblem if the map is the solution
   * operator of a variational problem, to bring an operator of your own. All
   * functions are collective.
   */
  template <int dim>
  class LinearProblem
  {
  public:
    using VectorType = dealii::LinearAlgebra::distributed::Vector<double>;

    /** A kernel G(x, y). */
    using Kernel = std::function<double(const dealii::Point<dim> &,
                                        const dealii::Point<dim> &)>;

    virtual ~LinearProblem() = default;

    /** What the problem is called in files and messages. */
    virtual std::string
    name() const = 0;

    /**
     * What the problem maps to solutions. What the other functions call
     * forcings are data on the boundary if it takes those; see Input and
     * BoundaryProblem.
     */
    virtual Input
    input() const
    {
      return Input::forcing;
    }

    /**
     * Prepares for many solves on @p space, which must live as long as the
     * problem: assembles, factors, ...
     */
    virtual void
    set_up(const Space<dim> &space) = 0;

    /**
     * Maps the nodal values of one forcing to those of its solution. Both
     * vectors have the space's locally owned degrees of freedom. Throws an
     * exception, on all ranks, if there is no solution.
     */
    virtual void
    solve(const VectorType &forcing, VectorType &solution) = 0;

    /**
     * The same for @p n_samples forcings at once; sample j starts at
     * j * n_local_nodes(). The samples that failed are listed and filled with
     * NaN. By default this calls solve() for one sample after the other.
     */
    virtual std::vector<SolveFailure>
    solve_block(const double     *forcings,
                double           *solutions,
                const std::size_t n_samples);

    /**
     * The nodal values g of the slice \f$G_h(x_s,y)=\sum_k g_k\varphi_k(y)\f$
     * of the discrete Green's function at the node @p node. By default an
     * Error says that this problem has none.
     */
    virtual void
    greens_function(const std::size_t node, VectorType &slice);

    /** Throws an Error with the reason if a block of one sample failed. */
    void
    throw_if_failed(const std::vector<SolveFailure> &failures) const;

    /** The kernel in closed form where one is known, otherwise empty. */
    virtual Kernel
    exact_kernel() const
    {
      return {};
    }

    /** Whether all solutions are zero on the whole boundary. */
    virtual bool
    vanishes_on_boundary() const
    {
      return true;
    }

    /** Whether they are zero on the part of the boundary with this id. */
    virtual bool
    vanishes_on(const dealii::types::boundary_id /*id*/) const
    {
      return vanishes_on_boundary();
    }

    /**
     * The values at the local nodes of a coefficient that pictures should show,
     * after set_up(); empty if there is none. Collective.
     */
    virtual std::vector<double>
    coefficient_at_nodes() const
    {
      return {};
    }

    /**
     * The variables in which the kernel on a space is nearest to that of a
     * Laplacian, the usual ones by default. Works before set_up(), too.
     */
    virtual Frame
    frame(const Space<dim> & /*space*/)
    {
      return {};
    }

    /** Remarks of set_up() that the user should read. */
    const std::vector<std::string> &
    warnings() const
    {
      return warnings_;
    }

    /** Facts found by set_up(), such as the solver in use: name and value. */
    const std::vector<std::pair<std::string, std::string>> &
    facts() const
    {
      return facts_;
    }

    /** The space given to set_up(). */
    const Space<dim> &
    space() const
    {
      return *space_;
    }

  protected:
    const Space<dim>                                *space_ = nullptr;
    std::vector<std::string>                         warnings_;
    std::vector<std::pair<std::string, std::string>> facts_;
  };


  /**
   * A program's own solver as a problem on its space, which needs no set_up().
   * It may also solve for data on the boundary, if @p input says so.
   */
  template <int dim>
  class UserProblem : public LinearProblem<dim>
  {
  public:
    using typename LinearProblem<dim>::VectorType;

    /** From nodal values of a forcing to those of its solution. */
    using Solver = std::function<void(const VectorType &, VectorType &)>;

    UserProblem(const std::string &name,
                const Space<dim>  &space,
                const Solver      &solver,
                const Input        input = Input::forcing)
      : name_(name), solver_(solver), input_(input)
    {
      this->space_ = &space;
    }

    std::string
    name() const override
    {
      return name_;
    }

    Input
    input() const override
    {
      return input_;
    }

    void
    set_up(const Space<dim> &space) override
    {
      this->space_ = &space;
    }

    void
    solve(const VectorType &forcing, VectorType &solution) override
    {
      solver_(forcing, solution);
    }

  private:
    std::string name_;
    Solver      solver_;
    Input       input_;
  };


  /** Makes one of Evergreen's own problems, not yet set up. */
  template <int dim>
  std::unique_ptr<LinearProblem<dim>>
  make_problem(const ProblemParameters &parameters);
} // namespace Evergreen

#endif
