// Kernels in closed form for integral operators.

#ifndef evergreen_fem_integral_kernels_h
#define evergreen_fem_integral_kernels_h

#include <cstddef>
#include <functional>
#include <string>

namespace Evergreen
{
  /** A kernel G(x, y) in closed form. */
  struct IntegralKernel
  {
    /** As in parameter files. */
    std::string name;

    /** Whether G(x, y) = 0 for x on the boundary of the domain. */
    bool vanishes_on_boundary;

    /**
     * Sets values[i] = G(x_i, y) for i = 0 ... n-1, where coordinate d of x_i
     * is @p x[d][i]. Where the kernel is singular (x_i = y) the value is 0:
     * the singularity is integrable, and a quadrature rule leaves it out.
     */
    std::function<void(
      const double *const *x, const double *y, std::size_t n, double *values)>
      evaluate;
  };


  /**
   * Makes the kernel @p name: cosine, log-cosine, log (any dimension),
   * poisson-kernel, helmholtz-kernel (dimension one).
   */
  IntegralKernel
  make_integral_kernel(const std::string &name,
                       const double       wave_number,
                       const unsigned int dim);
} // namespace Evergreen

#endif
