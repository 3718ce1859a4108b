// Integral operators u(x) = int G(x,y) f(y) dy by finite element quadrature.

#ifndef evergreen_fem_integral_operator_h
#define evergreen_fem_integral_operator_h

#include <evergreen/fem/integral_kernels.h>
#include <evergreen/fem/linear_problem.h>

namespace Evergreen
{
  /**
   * The integral operator of a kernel in closed form. In nodal values
   * \f$u=Df\f$ with \f$D_{ik}=\sum_q w_q G(x_i,y_q)\varphi_k(y_q)\f$. A rank
   * keeps the columns of D that belong to its cells; the contributions of all
   * ranks are added.
   */
  template <int dim>
  class IntegralOperator : public LinearProblem<dim>
  {
  public:
    using typename LinearProblem<dim>::VectorType;
    using typename LinearProblem<dim>::Kernel;

    explicit IntegralOperator(const IntegralKernel &kernel) : kernel_(kernel)
    {}

    std::string
    name() const override
    {
      return kernel_.name;
    }

    void
    set_up(const Space<dim> &space) override;

    void
    solve(const VectorType &forcing, VectorType &solution) override;

    std::vector<SolveFailure>
    solve_block(const double     *forcings,
                double           *solutions,
                const std::size_t n_samples) override;

    Kernel
    exact_kernel() const override;

    bool
    vanishes_on_boundary() const override
    {
      return kernel_.vanishes_on_boundary;
    }

  private:
    IntegralKernel kernel_;

    /** The nodes of this rank's cells: the columns of D. */
    std::vector<std::size_t> column_nodes_;

    /** D column by column, rows in the order of the nodes. */
    std::vector<double> matrix_;
  };
} // namespace Evergreen

#endif
