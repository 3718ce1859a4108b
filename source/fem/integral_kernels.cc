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
    /** values[i] = |x_i - y|^2 */
    void
    squared_distances(const unsigned int   dim,
                      const double *const *x,
                      const double        *y,
                      const std::size_t    n,
                      double              *values)
    {
      for (std::size_t i = 0; i < n; ++i)
        values[i] = (x[0][i] - y[0]) * (x[0][i] - y[0]);
      for (unsigned int d = 1; d < dim; ++d)
        for (std::size_t i = 0; i < n; ++i)
          values[i] += (x[d][i] - y[d]) * (x[d][i] - y[d]);
    }


    /** cos(k pi r) */
    class Cosine : public IntegralKernel
    {
    public:
      explicit Cosine(const double k) : factor(k * M_PI)
      {}

      std::string
      name() const override
      {
        return "cosine";
      }

      void
      evaluate(const unsigned int   dim,
               const double *const *x,
               const double        *y,
               const std::size_t    n,
               double              *values) const override
      {
        squared_distances(dim, x, y, n, values);
        for (std::size_t i = 0; i < n; ++i)
          values[i] = std::cos(factor * std::sqrt(values[i]));
      }

    private:
      const double factor;
    };


    /** log(r) cos(k pi r) */
    class LogCosine : public IntegralKernel
    {
    public:
      LogCosine(const double k, const std::string &kernel_name)
        : factor(k * M_PI), name_(kernel_name)
      {}

      std::string
      name() const override
      {
        return name_;
      }

      void
      evaluate(const unsigned int   dim,
               const double *const *x,
               const double        *y,
               const std::size_t    n,
               double              *values) const override
      {
        squared_distances(dim, x, y, n, values);
        for (std::size_t i = 0; i < n; ++i)
          {
            const double r2    = values[i];
            const double value = 0.5 * std::log(r2 > 0. ? r2 : 1.) *
                                 std::cos(factor * std::sqrt(r2));
            values[i] = value;
          }
      }

    private:
      const double      factor;
      const std::string name_;
    };


    /** The Green's function of -u'' = f on (0,1), u(0) = u(1) = 0. */
    class PoissonInterval : public IntegralKernel
    {
    public:
      std::string
      name() const override
      {
        return "poisson-kernel";
      }

      bool
      vanishes_on_boundary() const override
      {
        return true;
      }

      void
      evaluate(const unsigned int,
               const double *const *x,
               const double        *y,
               const std::size_t    n,
               double              *values) const override
      {
        for (std::size_t i = 0; i < n; ++i)
          values[i] = std::min(x[0][i], y[0]) * (1. - std::max(x[0][i], y[0]));
      }
    };


    /** The Green's function of u'' + K^2 u = f on (0,1), u(0) = u(1) = 0. */
    class HelmholtzInterval : public IntegralKernel
    {
    public:
      explicit HelmholtzInterval(const double wave_number)
        : k(wave_number), scale(k * std::sin(k))
      {
        if (std::abs(std::sin(k)) < 1e-10)
          throw UsageError("'Wave number' = ",
                           k,
                           " in section 'Problem' is a multiple of pi, an "
                           "eigenvalue of the interval: there is no Green's "
                           "function.");
      }

      std::string
      name() const override
      {
        return "helmholtz-kernel";
      }

      bool
      vanishes_on_boundary() const override
      {
        return true;
      }

      void
      evaluate(const unsigned int,
               const double *const *x,
               const double        *y,
               const std::size_t    n,
               double              *values) const override
      {
        for (std::size_t i = 0; i < n; ++i)
          values[i] = std::sin(k * std::min(x[0][i], y[0])) *
                      std::sin(k * (std::max(x[0][i], y[0]) - 1.)) / scale;
      }

    private:
      const double k;
      const double scale;
    };
  } // namespace


  std::unique_ptr<IntegralKernel>
  make_integral_kernel(const std::string &name,
                       const double       wave_number,
                       const unsigned int dim)
  {
    if (name == "cosine")
      return std::make_unique<Cosine>(wave_number);
    if (name == "log-cosine")
      return std::make_unique<LogCosine>(wave_number, name);
    if (name == "log")
      return std::make_unique<LogCosine>(0., name);
    if (name != "poisson-kernel" && name != "helmholtz-kernel")
      throw UsageError("There is no problem '", name, "'.");
    if (dim != 1)
      throw UsageError("The problem '",
                       name,
                       "' exists on the interval only: set 'Name' in section "
                       "'Domain' to interval.");
    if (name == "poisson-kernel")
      return std::make_unique<PoissonInterval>();
    return std::make_unique<HelmholtzInterval>(wave_number);
  }
} // namespace Evergreen
