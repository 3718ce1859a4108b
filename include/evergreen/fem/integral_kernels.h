// Kernels in closed form for integral operators.

#ifndef evergreen_fem_integral_kernels_h
#define evergreen_fem_integral_kernels_h

#include <cstddef>
#include <memory>
#include <string>

namespace Evergreen
{
  /**
   * A kernel G(x, y) in closed form. It is evaluated for many x at once, whose
   * coordinates are stored direction by direction.
   */
  class IntegralKernel
  {
  public:
    virtual ~IntegralKernel() = default;

    /** As in parameter files. */
    virtual std::string
    name() const = 0;

    /** Whether G(x, y) = 0 for x on the boundary of the domain. */
    virtual bool
    vanishes_on_boundary() const
    {
      return false;
    }

    /**
     * Sets values[i] = G(x_i, y) for i = 0 ... n-1, where coordinate d of x_i
     * is @p x[d][i]. Where the kernel is singular (x_i = y) the value is 0:
     * the singularity is integrable, and a quadrature rule leaves it out.
     */
    virtual void
    evaluate(const unsigned int   dim,
             const double *const *x,
             const double        *y,
             const std::size_t    n,
             double              *values) const = 0;
  };


  /**
   * Makes the kernel @p name: cosine, log-cosine, log (any dimension),
   * poisson-kernel, helmholtz-kernel (dimension one).
   */
  std::unique_ptr<IntegralKernel>
  make_integral_kernel(const std::string &name,
                       const double       wave_number,
                       const unsigned int dim);
} // namespace Evergreen

#endif
