// Problems given by a bilinear form, solved by finite elements.

#ifndef evergreen_fem_galerkin_problem_h
#define evergreen_fem_galerkin_problem_h

#include <evergreen/fem/linear_problem.h>

#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/full_matrix.h>

namespace Evergreen
{
  /**
   * Find u with \f$a(u,v)=(f,v)\f$ for all v, both subject to the constraints
   * of the space: in nodal values \f$u=A^{-1}Mf\f$ with the stiffness matrix A
   * and the mass matrix M. A derived class gives the bilinear form on a cell
   * and, for Robin conditions, on the faces at the boundary; assembly, solvers
   * and the discrete Green's function
   * \f$G_h(x_s,y)=\sum_k (A^{-1})_{sk}\varphi_k(y)\f$ come with this class.
   */
  template <int dim>
  class GalerkinProblem : public LinearProblem<dim>
  {
  public:
    using typename LinearProblem<dim>::VectorType;
    using typename LinearProblem<dim>::Kernel;

    explicit GalerkinProblem(
      const LinearSolver::Method method = LinearSolver::Method::automatic);

    void
    set_up(const Space<dim> &space) override;

    void
    solve(const VectorType &forcing, VectorType &solution) override;

    std::vector<SolveFailure>
    solve_block(const double     *forcings,
                double           *solutions,
                const std::size_t n_samples) override;

    void
    greens_function(const std::size_t node, VectorType &slice) override;

    /**
     * Solves \f$Au=b\f$ for functionals on all shape functions, columns of
     * local values, which are condensed on the way. Solutions that failed are
     * filled with NaN. Collective.
     */
    std::vector<SolveFailure>
    solve_loads(double           *loads,
                double           *solutions,
                const std::size_t n_columns) const;

    /**
     * The kernel of the map from boundary values to solutions in closed form,
     * where one is known on this space.
     */
    virtual Kernel
    exact_boundary_kernel() const
    {
      return {};
    }

    /**
     * The matrix of the form for all shape functions, as if no node were
     * constrained; assembled at the first call, which is collective.
     */
    const dealii::TrilinosWrappers::SparseMatrix &
    full_matrix() const;

    /** A, with the rows and columns of constrained nodes eliminated. */
    const dealii::TrilinosWrappers::SparseMatrix &
    matrix() const
    {
      return matrix_;
    }

    /**
     * Whether the equations determine solutions up to a constant only, and
     * matrix() is a regular one that solve() uses besides other things.
     */
    virtual bool
    is_singular() const
    {
      return false;
    }

    const LinearSolver &
    linear_solver() const
    {
      return solver_;
    }

  protected:
    /**
     * Adds \f$a(\varphi_j,\varphi_i)\f$ on the cell of @p values to
     * @p cell_matrix(i,j). Values, gradients, quadrature points and JxW are up
     * to date.
     */
    virtual void
    assemble_cell(const dealii::FEValues<dim> &values,
                  dealii::FullMatrix<double>  &cell_matrix) const = 0;

    /** Whether assemble_face() has something to add. */
    virtual bool
    has_face_terms() const
    {
      return false;
    }

    /**
     * The same on a face of the cell at the boundary, whose boundary_id() is
     * @p id: for Robin conditions, for example. (Neumann conditions are natural
     * and need nothing.) Values, normals, quadrature points and JxW are up to
     * date.
     */
    virtual void
    assemble_face(const dealii::FEFaceValues<dim> & /*values*/,
                  const dealii::types::boundary_id /*id*/,
                  dealii::FullMatrix<double> & /*cell_matrix*/) const
    {}

    /** Whether A is symmetric positive definite, so that CG may be used. */
    virtual bool
    is_definite() const
    {
      return false;
    }

  private:
    LinearSolver::Method                   method_;
    dealii::TrilinosWrappers::SparseMatrix matrix_;
    LinearSolver                           solver_;

    mutable std::unique_ptr<dealii::TrilinosWrappers::SparseMatrix>
      full_matrix_;

    void
    assemble(const dealii::AffineConstraints<double> &constraints,
             dealii::TrilinosWrappers::SparseMatrix  &matrix) const;
  };
} // namespace Evergreen

#endif
