// A learned kernel applied to forcings on another mesh.

#ifndef evergreen_surrogate_mesh_transfer_h
#define evergreen_surrogate_mesh_transfer_h

#include <evergreen/surrogate/surrogate_solver.h>

namespace Evergreen
{
  /**
   * The learned solution operator for forcings that live on another finite
   * element space, finer or otherwise different, of the same domain:
   * \f$\int\tilde G(x_s,y)f(y)\,dy\f$ is integrated with the quadrature of that
   * space. The solution is on the mesh of the kernel; see
   * SurrogateSolver::values_at() for its values elsewhere.
   */
  template <int dim>
  class MeshTransfer
  {
  public:
    using VectorType = typename SurrogateSolver<dim>::VectorType;

    /** Both must live as long as this object. Collective. */
    MeshTransfer(const SurrogateSolver<dim> &solver,
                 const Space<dim>           &forcing_space,
                 const SurrogateOptions     &options = SurrogateOptions());

    /**
     * From the nodal values of a forcing on its own space to those of the
     * solution on the kernel's mesh. Collective.
     */
    void
    vmult(VectorType &solution, const VectorType &forcing) const;

    /** The form in which the kernel is applied. */
    SurrogateForm
    form() const
    {
      return operator_->form();
    }

  private:
    const SurrogateSolver<dim>     &solver_;
    const Space<dim>               &space_;
    DistributedRule                 rule_;
    std::unique_ptr<KernelMatrix>   matrix_;
    std::unique_ptr<KernelOperator> operator_;
  };
} // namespace Evergreen

#endif
