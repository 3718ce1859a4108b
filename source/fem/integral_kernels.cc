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
        for (std::size_t i = 0; i < n; ++i)
          values[i] = g(values[i]);
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
      return
        [](const auto x, const auto y, const std::size_t n, double *values) {
          for (std::size_t i = 0; i < n; ++i)
            values[i] =
              std::min(x[0][i], y[0]) * (1. - std::max(x[0][i], y[0]));
        };
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
      return [k, scale = k * std::sin(k)](const auto        x,
                                          const auto        y,
                                          const std::size_t n,
                                          double           *values) {
        for (std::size_t i = 0; i < n; ++i)
          values[i] = std::sin(k * std::min(x[0][i], y[0])) *
                      std::sin(k * (std::max(x[0][i], y[0]) - 1.)) / scale;
      };
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
