// The partial differential equations that Evergreen brings along.

#ifndef evergreen_fem_problems_h
#define evergreen_fem_problems_h

#include <evergreen/fem/galerkin_problem.h>

namespace Evergreen
{
  /** \f$-\Delta u=f\f$, u = 0 on the boundary. */
  template <int dim>
  class Poisson : public GalerkinProblem<dim>
  {
  public:
    using GalerkinProblem<dim>::GalerkinProblem;

    std::string
    name() const override
    {
      return "poisson";
    }

    /** The Poisson kernel of a ball, make_poisson_kernel(). */
    typename GalerkinProblem<dim>::Kernel
    exact_boundary_kernel() const override;

  protected:
    void
    assemble_cell(const dealii::FEValues<dim> &values,
                  dealii::FullMatrix<double>  &cell_matrix) const override;

    bool
    is_definite() const override
    {
      return true;
    }
  };


  /**
   * The Poisson kernel of a ball of radius R with centre c,
   * \f$P(x,y)=(R^2-|x-c|^2)/(\omega_d R|x-y|^d)\f$ with the measure
   * \f$\omega_d\f$ of the unit sphere, y being moved to the sphere first; empty
   * if the nodes with u = 0 are not on a sphere, or do not make up the whole
   * boundary. Collective.
   */
  template <int dim>
  typename LinearProblem<dim>::Kernel
  make_poisson_kernel(const Space<dim> &space);


  /**
   * \f$\Delta u+K^2u=f\f$, u = 0 on the boundary. If \f$K^2\f$ comes near an
   * eigenvalue of the mesh's Laplacian, solutions grow without bound; set_up()
   * estimates the distance by inverse iteration and warns.
   */
  template <int dim>
  class Helmholtz : public GalerkinProblem<dim>
  {
  public:
    Helmholtz(
      const double               wave_number,
      const LinearSolver::Method method = LinearSolver::Method::automatic);

    std::string
    name() const override
    {
      return "helmholtz";
    }

    void
    set_up(const Space<dim> &space) override;

    /**
     * The estimated distance of \f$K^2\f$ to the nearest eigenvalue of the
     * discrete Laplacian, after set_up().
     */
    double
    distance_to_eigenvalue() const
    {
      return distance_;
    }

  protected:
    void
    assemble_cell(const dealii::FEValues<dim> &values,
                  dealii::FullMatrix<double>  &cell_matrix) const override;

  private:
    double wave_number_;
    double distance_ = 0;

    double
    estimate_distance();
  };
} // namespace Evergreen

#endif
