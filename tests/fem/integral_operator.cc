// Integral operators against integrals in closed form.

#include "fem/convergence.h"
#include "testing.h"

#include <evergreen/fem/integral_operator.h>
#include <evergreen/fem/mesh_space.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  template <int dim>
  double
  largest_error(const std::string      &kernel,
                const double            wave_number,
                const DomainParameters &domain,
                const Field<dim>       &forcing,
                const Field<dim>       &exact,
                const unsigned int      degree = 1)
  {
    const Mesh<dim>       mesh(domain, MPI_COMM_SELF);
    IntegralOperator<dim> integral(
      make_integral_kernel(kernel, wave_number, dim));
    const MeshSpace<dim> space(mesh, degree, integral.vanishes_on_boundary());
    integral.set_up(space);
    auto f = interpolate(space, forcing);
    auto u = f;
    integral.solve(f, u);
    auto reference = interpolate(space, exact);
    reference -= u;
    return reference.linfty_norm();
  }

  DomainParameters
  interval(const unsigned int n)
  {
    DomainParameters domain;
    domain.name         = "interval";
    domain.subdivisions = n;
    return domain;
  }

  const Field<1> one_1d = [](const Point<1> &) { return 1.; };
} // namespace


TEST(IntegralOperator, CosineOnTheInterval)
{
  constexpr double k     = 3.;
  const Field<1>   exact = [](const Point<1> &p) {
    return (std::sin(k * M_PI * p[0]) + std::sin(k * M_PI * (1 - p[0]))) /
           (k * M_PI);
  };
  for (const unsigned int degree : {1, 2})
    {
      const double coarse =
        largest_error("cosine", k, interval(40), one_1d, exact, degree);
      const double fine =
        largest_error("cosine", k, interval(80), one_1d, exact, degree);
      EXPECT_LT(fine, 1e-7);
      EXPECT_GT(coarse / fine, 14.); // Gauss quadrature: at least order 4
    }
}

TEST(IntegralOperator, LogOnTheInterval)
{
  const Field<1> exact = [](const Point<1> &p) {
    const auto xlogx = [](const double x) {
      return x > 0 ? x * std::log(x) : 0.;
    };
    return xlogx(p[0]) + xlogx(1 - p[0]) - 1.;
  };
  const double coarse = largest_error("log", 0, interval(100), one_1d, exact);
  const double fine   = largest_error("log", 0, interval(200), one_1d, exact);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 2., 0.1); // the singularity costs all but order 1
}

// The logarithmic potential of the unit disk is (|x|^2 - 1) pi / 2.
TEST(IntegralOperator, LogOnTheDisk)
{
  DomainParameters disk;
  const Field<2>   one   = [](const Point<2> &) { return 1.; };
  const Field<2>   exact = [](const Point<2> &p) {
    return (p.square() - 1.) * M_PI / 2;
  };
  EXPECT_LT(largest_error("log", 0, disk, one, exact), 6e-3);
}

TEST(IntegralOperator, LogCosineIsTheProduct)
{
  const auto    log_kernel = make_integral_kernel("log", 0, 3);
  const auto    cosine     = make_integral_kernel("cosine", 2, 3);
  const auto    both       = make_integral_kernel("log-cosine", 2, 3);
  const double  x[3][4] = {{.1, .2, .5, .3}, {.9, .1, .5, .2}, {.3, .8, .5, 1}};
  const double *points[3] = {x[0], x[1], x[2]};
  const double  y[3]      = {.5, .5, .5};
  double        a[4], b[4], c[4];
  log_kernel.evaluate(points, y, 4, a);
  cosine.evaluate(points, y, 4, b);
  both.evaluate(points, y, 4, c);
  for (unsigned int i = 0; i < 4; ++i)
    {
      double r = 0;
      for (unsigned int d = 0; d < 3; ++d)
        r += std::pow(x[d][i] - y[d], 2);
      r = std::sqrt(r);
      EXPECT_NEAR(b[i], std::cos(2 * M_PI * r), 1e-14);
      EXPECT_NEAR(a[i], r > 0 ? std::log(r) : 0., 1e-14);
      EXPECT_NEAR(c[i], a[i] * b[i], 1e-14);
    }
}

TEST(IntegralOperator, RejectsWhatDoesNotExist)
{
  expect_error([]() { make_integral_kernel("poisson-kernel", 0, 2); },
               "interval");
  expect_error([]() { make_integral_kernel("helmholtz-kernel", 2 * M_PI, 1); },
               "multiple of pi");
  expect_error([]() { make_integral_kernel("sine", 1, 1); }, "sine");
}
