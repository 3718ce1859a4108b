// The loops of this file are compiled with the compiler's vector mathematics
// (see CMakeLists.txt), which makes the set-up of integral operators fast.

#include <evergreen/base/error.h>
#include <evergreen/fem/integral_kernels.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    using Evaluate = decltype(IntegralKernel::evaluate);


    /** A function g of |x - y|^2. */
    template <typename Function>
    Evaluate
    radial(const unsigned int dim, const Function &g)
    {
      return [dim, g](const double *const *x,
                      const double        *y,
                      const std::size_t    n,
                      double              *values) {
        for (std::size_t i = 0; i < n; ++i)
          values[i] = (x[0][i] - y[0]) * (x[0][i] - y[0]);
        for (unsigned int d = 1; d < dim; ++d)
          for (std::size_t i = 0; i < n; ++i)
            values[i] += (x[d][i] - y[d]) * (x[d][i] - y[d]);
        const Function function = g; // in registers, not behind values
        for (std::size_t i = 0; i < n; ++i)
          values[i] = function(values[i]);
      };
    }


    /** A function g of the smaller and the larger one of x and y. */
    template <typename Function>
    Evaluate
    on_interval(const Function &g)
    {
      return [g](const double *const *x,
                 const double        *y,
                 const std::size_t    n,
                 double              *values) {
        const Function      function = g;
        const double *const x_0      = x[0];
        const double        y_0      = y[0];
        for (std::size_t i = 0; i < n; ++i)
          values[i] = function(std::min(x_0[i], y_0), std::max(x_0[i], y_0));
      };
    }


    /** cos(k pi r) */
    Evaluate
    cosine(const unsigned int dim, const double k)
    {
      return radial(dim, [factor = k * M_PI](const double r2) {
        return std::cos(factor * std::sqrt(r2));
      });
    }


    /** log(r) cos(k pi r) */
    Evaluate
    log_cosine(const unsigned int dim, const double k)
    {
      return radial(dim, [factor = k * M_PI](const double r2) {
        return 0.5 * std::log(r2 > 0. ? r2 : 1.) *
               std::cos(factor * std::sqrt(r2));
      });
    }


    /** The Green's function of -u'' = f on (0,1), u(0) = u(1) = 0. */
    Evaluate
    poisson_on_interval()
    {
      return on_interval(
        [](const double a, const double b) { return a * (1. - b); });
    }


    /** The Green's function of u'' + K^2 u = f on (0,1), u(0) = u(1) = 0. */
    Evaluate
    helmholtz_on_interval(const double k)
    {
      if (std::abs(std::sin(k)) < 1e-10)
        throw UsageError("'Wave number' = ",
                         k,
                         " in section 'Problem' is a multiple of pi, an "
                         "eigenvalue of the interval: there is no Green's "
                         "function.");
      return on_interval(
        [k, scale = k * std::sin(k)](const double a, const double b) {
          return std::sin(k * a) * std::sin(k * (b - 1.)) / scale;
        });
    }
  } // namespace


  IntegralKernel
  make_integral_kernel(const std::string &name,
                       const double       wave_number,
                       const unsigned int dim)
  {
    if (name == "cosine")
      return {name, false, cosine(dim, wave_number)};
    if (name == "log-cosine")
      return {name, false, log_cosine(dim, wave_number)};
    if (name == "log")
      return {name, false, log_cosine(dim, 0.)};
    if (name != "poisson-kernel" && name != "helmholtz-kernel")
      throw UsageError("There is no problem '", name, "'.");
    if (dim != 1)
      throw UsageError("The problem '",
                       name,
                       "' exists on the interval only: set 'Name' in section "
                       "'Domain' to interval.");
    return {name,
            true,
            name == "poisson-kernel" ? poisson_on_interval()
                                     : helmholtz_on_interval(wave_number)};
  }
} // namespace Evergreen
