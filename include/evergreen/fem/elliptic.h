// The elliptic problem with the coefficients and conditions of a parameter
// file.

#ifndef evergreen_fem_elliptic_h
#define evergreen_fem_elliptic_h

#include <evergreen/fem/elliptic_parameters.h>
#include <evergreen/fem/formula.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/medium.h>

#include <deal.II/base/symmetric_tensor.h>

#include <memory>
#include <optional>
#include <set>

namespace Evergreen
{
  /** The condition on a part of the boundary, always homogeneous. */
  enum class BoundaryCondition
  {
    dirichlet, ///< u = 0
    neumann, ///< \f$n\cdot a\nabla u=0\f$
    robin ///< \f$n\cdot a\nabla u+\alpha u=0\f$
  };


  /**
   * The conditions of the parts of a boundary, by boundary id. At most one is
   * that of all ids that are not named; if none is and no id has a Dirichlet
   * condition by name, this is the Dirichlet condition.
   */
  class BoundaryConditions
  {
  public:
    /** Throws a UsageError if an id has two conditions. */
    explicit BoundaryConditions(const EllipticParameters &parameters);

    /** The condition of an id; a UsageError says that it has none. */
    BoundaryCondition
    of(const dealii::types::boundary_id id) const;

    /** The ids that are named. */
    std::set<dealii::types::boundary_id>
    named_ids() const;

    /** Whether some id may have this condition. */
    bool
    may_have(const BoundaryCondition condition) const;

  private:
    std::map<dealii::types::boundary_id, BoundaryCondition> by_id_;
    std::optional<BoundaryCondition>                        others_;

    void
    add(const BoundaryCondition          condition,
        const std::vector<unsigned int> &ids,
        const bool                       others);
  };


  /**
   * \f$-\nabla\cdot(a\nabla u)+b\cdot\nabla u+cu=f\f$ with a scalar or
   * symmetric positive definite a, in the weak form
   * \f$\int a\nabla u\cdot\nabla v+(b\cdot\nabla u)v+cuv+\int_R\alpha uv=
   * \int fv\f$. The coefficients are formulas, by material id where the mesh
   * has several, and a may be multiplied with a Medium.
   *
   * <b>Pure Neumann problems</b>, without a reaction, have solutions up to
   * constants for some forcings only. Here the solution has the mean zero, and
   * a constant is subtracted from the forcing (its mean, if b = 0), which makes
   * it a linear map again.
   */
  template <int dim>
  class Elliptic : public GalerkinProblem<dim>
  {
  public:
    using typename LinearProblem<dim>::VectorType;

    /** Throws a UsageError for formulas that cannot be parsed. */
    explicit Elliptic(
      const EllipticParameters  &parameters,
      const LinearSolver::Method method = LinearSolver::Method::automatic);

    std::string
    name() const override
    {
      return "elliptic";
    }

    /**
     * Throws an Error, on all ranks, if a is not positive definite at a
     * quadrature point, or if ids of materials or boundaries are named that
     * the mesh does not have, or the other way round.
     */
    void
    set_up(const Space<dim> &space) override;

    std::vector<SolveFailure>
    solve_block(const double     *forcings,
                double           *solutions,
                const std::size_t n_samples) override;

    void
    greens_function(const std::size_t node, VectorType &slice) override;

    bool
    vanishes_on_boundary() const override;

    bool
    vanishes_on(const dealii::types::boundary_id id) const override;

    std::vector<double>
    coefficient_at_nodes() const override;

    /**
     * The map is that of the mean of a, scaled to determinant one at every
     * point; the drift the mean of \f$a^{-1}b/2\f$ and half the slope of the
     * plane that fits the logarithm of a's scale best.
     */
    Frame
    frame(const Space<dim> &space) override;

    /** a at a point of a material, after set_up() or frame(). */
    dealii::SymmetricTensor<2, dim>
    diffusion(const dealii::Point<dim>        &point,
              const dealii::types::material_id material) const;

    /** b at a point of a material. */
    dealii::Tensor<1, dim>
    advection(const dealii::Point<dim>        &point,
              const dealii::types::material_id material) const;

    /** c at a point of a material. */
    double
    reaction(const dealii::Point<dim>        &point,
             const dealii::types::material_id material) const;

    /** \f$\alpha\f$ at a point of a part of the boundary. */
    double
    robin(const dealii::Point<dim>        &point,
          const dealii::types::boundary_id id) const;

    /** The medium that a is multiplied with, after set_up(), or nullptr. */
    const Medium<dim> *
    medium() const
    {
      return medium_.get();
    }

    /** Whether this is a pure Neumann problem, after set_up(). */
    bool
    is_singular() const override
    {
      return anchor_.has_value();
    }

  protected:
    void
    assemble_cell(const dealii::FEValues<dim> &values,
                  dealii::FullMatrix<double>  &cell_matrix) const override;

    bool
    has_face_terms() const override
    {
      return !robin_.empty();
    }

    void
    assemble_face(const dealii::FEFaceValues<dim> &values,
                  const dealii::types::boundary_id id,
                  dealii::FullMatrix<double>      &cell_matrix) const override;

    bool
    is_definite() const override
    {
      return is_definite_;
    }

  private:
    /** Extremes of the coefficients at the quadrature points of all ranks. */
    struct Ranges
    {
      double least_diffusion    = 0;
      double greatest_diffusion = 0;
      double advection          = 0; // the greatest |b|
      double peclet             = 0; // the greatest |b| h / (2 a)
      double least_reaction     = 0;
      double greatest_reaction  = 0;
      double least_robin        = 0;
      double greatest_robin     = 0;
    };

    EllipticParameters           parameters_;
    BoundaryConditions           conditions_;
    NumberedFunctions<dim>       diffusion_;
    NumberedFunctions<dim>       advection_;
    NumberedFunctions<dim>       reaction_;
    NumberedFunctions<dim>       robin_;
    std::unique_ptr<Medium<dim>> medium_;
    bool                         is_definite_ = false;

    /** The middle of a cell that a pure Neumann problem is held at. */
    std::optional<dealii::Point<dim>> anchor_;
    double                            anchor_weight_ = 0;

    /**
     * Of a pure Neumann problem: the integrals \f$m\f$ of the shape functions,
     * the measure of the domain, and the function \f$\psi\f$ of mean one over
     * it with \f$A^T\psi=0\f$: there are solutions for forcings with
     * \f$\int\psi f=0\f$; and \f$M\psi\f$.
     */
    VectorType integrals_;
    double     measure_ = 0;
    VectorType adjoint_;
    VectorType mass_times_adjoint_;

    void
    check_ids() const;

    Ranges
    find_ranges() const;

    void
    add_ranges_of_boundary(Ranges &ranges) const;

    void
    make_medium(const Space<dim> &space);

    void
    find_anchor(const double diffusion);

    void
    find_adjoint();

    void
    remark(const Ranges &ranges);
  };
} // namespace Evergreen

#endif
