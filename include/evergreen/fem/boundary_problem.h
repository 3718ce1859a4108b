// Boundary values or fluxes instead of forcings: the other input of a problem.

#ifndef evergreen_fem_boundary_problem_h
#define evergreen_fem_boundary_problem_h

#include <evergreen/fem/boundary_data.h>
#include <evergreen/fem/galerkin_problem.h>

#include <vector>

namespace Evergreen
{
  /**
   * The solutions of a GalerkinProblem without forcing for data g on the
   * boundary: \f$a(u,v)=0\f$ for all v, with u = g where the constraints of
   * the space say zero (Input::boundary_values), or
   * \f$a(u,v)=\int g v\,ds\f$ over the rest of the boundary
   * (Input::boundary_fluxes; for \f$-\Delta u=0\f$ g is the normal derivative).
   * For data g and a forcing f the solutions add up.
   *
   * As a LinearProblem it maps nodal values of g to those of u. Its kernel P
   * with \f$u(x)=\int P(x,y)g(y)\,ds\f$ is the boundary kernel (the Poisson
   * kernel, the trace of Green's function): greens_function() gives it on
   * finite elements, as the function of the faces' space that acts on all g as
   * the solution operator does.
   */
  template <int dim>
  class BoundaryProblem : public LinearProblem<dim>
  {
  public:
    using typename LinearProblem<dim>::VectorType;
    using typename LinearProblem<dim>::Kernel;

    /**
     * The problem must outlive this object. A UsageError says so unless it is
     * a GalerkinProblem.
     */
    BoundaryProblem(LinearProblem<dim> &problem, const Input input);

    std::string
    name() const override
    {
      return problem_.name();
    }

    Input
    input() const override
    {
      return input_;
    }

    /** Sets up the problem, too. */
    void
    set_up(const Space<dim> &space) override;

    void
    solve(const VectorType &data, VectorType &solution) override;

    std::vector<SolveFailure>
    solve_block(const double     *data,
                double           *solutions,
                const std::size_t n_samples) override;

    void
    greens_function(const std::size_t node, VectorType &slice) override;

    /**
     * The Poisson kernel, if the problem is Poisson's, the space is set up,
     * and the boundary nodes are those of a ball.
     */
    Kernel
    exact_kernel() const override
    {
      return exact_;
    }

    bool
    vanishes_on_boundary() const override
    {
      return problem_.vanishes_on_boundary();
    }

    /** The problem that takes the forcings. */
    GalerkinProblem<dim> &
    problem() const
    {
      return problem_;
    }

    /**
     * The solution for data is that of \f$Aw=b\f$ plus @p lifts: this function
     * adds the columns b, functionals on all shape functions, to @p loads. The
     * lifts are the boundary values themselves, and zero for fluxes.
     * Collective.
     */
    void
    add_loads(const double        *data,
              double              *loads,
              std::vector<double> &lifts,
              const std::size_t    n_columns) const;

  private:
    GalerkinProblem<dim>                  &problem_;
    Input                                  input_;
    std::vector<double>                    weights_;
    dealii::TrilinosWrappers::SparseMatrix mass_;
    Kernel                                 exact_;

    void
    solve_mass(VectorType &x, const VectorType &b) const;
  };
} // namespace Evergreen

#endif
