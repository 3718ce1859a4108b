// The learned kernel as a function of two points.

#ifndef evergreen_kernel_kernel_function_h
#define evergreen_kernel_kernel_function_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/kernel_matrix.h>

#include <deal.II/base/point.h>

#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * \f$\tilde G(x,y)\f$ for any two points of the domain. A full kernel is
   * evaluated as it is; a point-wise one is interpolated in x by the finite
   * elements of its mesh between the slices of the nodes, and is zero at
   * boundary nodes; a symmetrised one is interpolated in x and y. Each process
   * has its own copy; nothing is collective.
   */
  template <int dim>
  class KernelFunction
  {
  public:
    /** The kernel must outlive this object. */
    explicit KernelFunction(const LearnedKernel &kernel);

    /**
     * The value at two points. Throws an Error if x is outside of the mesh, or
     * in a cell with a node that was not learned (with sensors only).
     */
    double
    value(const dealii::Point<dim> &x, const dealii::Point<dim> &y) const;

    /**
     * The slices and weights that make up the kernel at @p x:
     * \f$\tilde G(x,\cdot)=\sum_i w_i\tilde G(x_{s_i},\cdot)\f$. For
     * point-wise kernels only.
     */
    std::vector<std::pair<std::size_t, double>>
    interpolation(const dealii::Point<dim> &x) const;

    /**
     * The finite element functions of a symmetrised kernel at points, one after
     * the other, of any mesh: outside of the kernel's mesh all are zero.
     */
    ShapeValues
    shape_values(const std::vector<double> &points) const;

  private:
    const LearnedKernel      &kernel_;
    Mesh<dim>                 mesh_;
    MeshSpace<dim>            space_;
    Interpolation<dim>        interpolation_;
    std::vector<std::int64_t> slice_of_node_; // or -1

    /** The same as interpolation(), but false outside of the mesh. */
    bool
    interpolate(const dealii::Point<dim>                    &x,
                std::vector<std::pair<std::size_t, double>> &slices) const;
  };
} // namespace Evergreen

#endif
