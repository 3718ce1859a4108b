// The elliptic problem: orders of convergence against manufactured solutions
// for every kind of coefficient and condition, Green's functions, pure Neumann
// problems, rough media and bad input.

#include "fem/convergence.h"
#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/fem/elliptic.h>
#include <evergreen/fem/problems.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;
using dealii::Tensor;

namespace
{
  DomainParameters
  domain_of(const std::string &name,
            const std::string &cells,
            const unsigned int subdivisions)
  {
    DomainParameters domain;
    domain.name         = name;
    domain.cells        = cells;
    domain.subdivisions = subdivisions;
    return domain;
  }

  /**
   * A solution with its coefficients as C++ functions, which know nothing of
   * formulas. The forcing comes from differences of fourth order.
   */
  template <int dim>
  struct Manufactured
  {
    Field<dim>                                        u;
    std::function<Tensor<2, dim>(const Point<dim> &)> a;
    std::function<Tensor<1, dim>(const Point<dim> &)> b;
    Field<dim>                                        c;

    template <typename Function>
    static auto
    derivative(const Function    &function,
               const Point<dim>  &p,
               const unsigned int d)
    {
      constexpr double h  = 2e-3;
      const auto       at = [&](const double step) {
        Point<dim> q = p;
        q[d] += step * h;
        return function(q);
      };
      return (at(-2) - 8. * at(-1) + 8. * at(1) - at(2)) / (12 * h);
    }

    Tensor<1, dim>
    gradient(const Point<dim> &p) const
    {
      Tensor<1, dim> result;
      for (unsigned int d = 0; d < dim; ++d)
        result[d] = derivative(u, p, d);
      return result;
    }

    Field<dim>
    forcing() const
    {
      return [*this](const Point<dim> &p) {
        const auto flux = [this](const Point<dim> &q) {
          return a(q) * gradient(q);
        };
        double value = b(p) * gradient(p) + c(p) * u(p);
        for (unsigned int d = 0; d < dim; ++d)
          value -= derivative(flux, p, d)[d];
        return value;
      };
    }
  };

  template <int dim>
  void
  expect_order(const EllipticParameters &parameters,
               const DomainParameters   &domain,
               const unsigned int        degree,
               const Manufactured<dim>  &exact,
               const double              tolerance = 0.2)
  {
    Elliptic<dim> problem(parameters);
    EXPECT_NEAR(
      convergence_order(problem, domain, degree, exact.forcing(), exact.u),
      degree + 1.,
      tolerance)
      << domain.name << " " << domain.cells << " " << degree;
  }

  // With k = 1, cos(k (y - 1/2)) has this ratio of derivative and value at the
  // ends of (0, 1).
  const double robin = std::tan(0.5);

  // u = sin(pi x / 2) cos(y - 1/2): zero at x = 0, no flux at x = 1, Robin
  // conditions for y = 0 and 1. The mixed entry of a is zero on the boundary.
  Manufactured<2>
  on_the_square()
  {
    Manufactured<2> exact;
    exact.u = [](const Point<2> &p) {
      return std::sin(M_PI / 2 * p[0]) * std::cos(p[1] - 0.5);
    };
    exact.a = [](const Point<2> &p) {
      Tensor<2, 2> a;
      a[0][0] = 1 + p[0];
      a[1][1] = 2 + p[0] * p[1];
      a[0][1] = a[1][0] = 0.5 * std::sin(M_PI * p[0]) * std::sin(M_PI * p[1]);
      return a;
    };
    exact.b = [](const Point<2> &p) {
      Tensor<1, 2> b;
      b[0] = 1 + p[1];
      b[1] = -3 * p[0];
      return b;
    };
    exact.c = [](const Point<2> &p) { return p[0] < 2. ? std::exp(p[1]) : 0; };
    return exact;
  }

  EllipticParameters
  parameters_of_the_square()
  {
    EllipticParameters parameters;
    parameters.diffusion = "1+x, 2+x*y, 0.5*sin(pi*x)*sin(pi*y)";
    parameters.advection = "1+y, -3*x";
    parameters.reaction  = "if(x < 2, exp(y), 0)";
    parameters.dirichlet = "0";
    parameters.neumann   = "1";
    parameters.robin     = "2: 2*tan(0.5); 3: (2+x)*tan(0.5)";
    return parameters;
  }

  /** A mesh, the space for a problem, and the problem on it. */
  template <int dim>
  struct Setting
  {
    Elliptic<dim>  problem;
    Mesh<dim>      mesh;
    MeshSpace<dim> space;

    Setting(const EllipticParameters &parameters,
            const DomainParameters   &domain,
            const unsigned int        degree = 1)
      : problem(parameters)
      , mesh(domain, MPI_COMM_SELF)
      , space(mesh, degree, problem)
    {
      problem.set_up(space);
    }
  };

  template <int dim>
  std::vector<double>
  random_values(const Space<dim> &space)
  {
    std::vector<double> values(space.n_nodes());
    Random::normals(
      7, Random::Stream::test, 0, 0, values.size(), values.data());
    return values;
  }

  /** The rows of the solution operator agree with its Green's functions. */
  template <int dim>
  void
  expect_greens_functions(const EllipticParameters &parameters,
                          const DomainParameters   &domain)
  {
    Setting<dim>        setting(parameters, domain);
    const auto         &space = setting.space;
    const auto          f     = random_values(space);
    std::vector<double> u(f.size());
    setting.problem.solve_block(f.data(), u.data(), 1);
    auto nodal = space.make_vector(), mass_times_f = nodal;
    std::copy(f.begin(), f.end(), nodal.begin());
    space.mass_matrix().vmult(mass_times_f, nodal);
    for (const std::size_t node : {std::size_t(20), space.n_nodes() / 2})
      {
        typename LinearProblem<dim>::VectorType slice;
        setting.problem.greens_function(node, slice);
        EXPECT_NEAR(slice * mass_times_f, u[space.dof_of_node(node)], 1e-12);
      }
  }
} // namespace


TEST(Elliptic, ConvergesOnTheInterval)
{
  Manufactured<1> exact;
  exact.u = [](const Point<1> &p) { return std::sin(2 * p[0]); };
  exact.a = [](const Point<1> &p) {
    Tensor<2, 1> a;
    a[0][0] = 1 + p[0] * p[0];
    return a;
  };
  exact.b = [](const Point<1> &) {
    Tensor<1, 1> b;
    b[0] = 3.;
    return b;
  };
  exact.c = [](const Point<1> &p) { return 2 + p[0]; };
  EllipticParameters parameters;
  parameters.diffusion = "1+x^2";
  parameters.advection = "3";
  parameters.reaction  = "2+x";
  parameters.robin     = "1: -4*cos(2)/sin(2)";
  for (const unsigned int degree : {1, 2, 3})
    expect_order(parameters, domain_of("interval", "", 16), degree, exact);
}

TEST(Elliptic, ConvergesOnTheSquare)
{
  for (const std::string cells : {"triangles", "quadrilaterals"})
    for (const unsigned int degree : {1, 2})
      expect_order(parameters_of_the_square(),
                   domain_of("square", cells, 12),
                   degree,
                   on_the_square());
}

// A coefficient that is slightly wrong does not converge.
TEST(Elliptic, SeesEveryCoefficient)
{
  const auto perturb = [](const std::function<void(EllipticParameters &)> &p) {
    auto parameters = parameters_of_the_square();
    p(parameters);
    Elliptic<2> problem(parameters);
    const auto  exact = on_the_square();
    return convergence_order(problem,
                             domain_of("square", "quadrilaterals", 24),
                             1,
                             exact.forcing(),
                             exact.u);
  };
  using P = EllipticParameters;
  EXPECT_LT(perturb([](P &p) {
              p.diffusion = "1+x, 2+x*y, 0.55*sin(pi*x)*sin(pi*y)";
            }),
            1.5);
  EXPECT_LT(perturb([](P &p) { p.advection = "1+y, -3.2*x"; }), 1.5);
  EXPECT_LT(perturb([](P &p) { p.reaction = "1.02*exp(y)"; }), 1.5);
  EXPECT_LT(
    perturb([](P &p) { p.robin = "2: 2*tan(0.5); 3: (2+x)*tan(0.51)"; }), 1.5);
}

TEST(Elliptic, ConvergesOnTheCube)
{
  Manufactured<3> exact;
  exact.u = [](const Point<3> &p) {
    return std::sin(M_PI / 2 * p[0]) * std::cos(p[1] - 0.5) *
           std::cos(M_PI * p[2]);
  };
  exact.a = [](const Point<3> &p) {
    Tensor<2, 3> a;
    a[0][0] = 1 + p[0];
    a[1][1] = 2;
    a[2][2] = 1 + p[2] * p[2];
    return a;
  };
  exact.b = [](const Point<3> &p) {
    Tensor<1, 3> b;
    b[0] = p[2];
    b[2] = 1;
    return b;
  };
  exact.c = [](const Point<3> &) { return 3.; };
  EllipticParameters parameters;
  parameters.diffusion = "1+x, 2, 1+z^2";
  parameters.advection = "z, 0, 1";
  parameters.reaction  = "3";
  parameters.neumann   = "1, 4, 5";
  parameters.robin     = "2, 3: 2*tan(0.5)";
  expect_order(parameters, domain_of("cube", "", 6), 1, exact);
  expect_order(parameters, domain_of("cube", "tetrahedra", 4), 1, exact, 0.3);
  expect_order(parameters, domain_of("cube", "", 3), 2, exact, 0.3);
}

// a u' = sin(pi x): u has a kink where a jumps from 1 to 4. A medium of two
// cells is the same as two materials.
TEST(Elliptic, ConvergesWithMaterials)
{
  const Field<2> u = [](const Point<2> &p) {
    const double c = std::cos(M_PI * p[0]);
    return (p[0] < 0.5 ? 1 - c : 1 - c / 4) / M_PI;
  };
  const Field<2> f = [](const Point<2> &p) {
    return -M_PI * std::cos(M_PI * p[0]);
  };
  const TemporaryDirectory directory;
  EllipticParameters       parameters;
  parameters.neumann   = "1, 2, 3";
  parameters.diffusion = "0: 1; 7: 4";
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      auto domain         = domain_of("square", cells, 12);
      domain.material_ids = "7: x > 0.5";
      Elliptic<2> problem(parameters);
      EXPECT_NEAR(convergence_order(problem, domain, 1, f, u), 2., 0.1);
      const double error = solution_error(problem, domain, 1, f, u);

      std::ofstream(directory / "two_cells.txt") << "# x fastest\n1 4\n";
      auto with_medium         = parameters;
      with_medium.diffusion    = "1";
      with_medium.medium.type  = "file";
      with_medium.medium.file  = directory / "two_cells.txt";
      with_medium.medium.cells = "2, 1";
      Elliptic<2> other(with_medium);
      EXPECT_NEAR(solution_error(other, domain, 1, f, u), error, 1e-14);
      with_medium.medium.type = "independent cells";
      with_medium.medium.file = "";
      Elliptic<2> wrong(with_medium);
      EXPECT_GT(solution_error(wrong, domain, 1, f, u), 10 * error);
    }
}

// n.grad u = -2 and u = 1/2 on the circle: alpha = 4. A formula gives half of
// it another id.
TEST(Elliptic, RobinOnTheDisk)
{
  const Field<2>     u = [](const Point<2> &p) { return 1.5 - p.square(); };
  const Field<2>     f = [](const Point<2> &) { return 4.; };
  EllipticParameters parameters;
  parameters.robin    = "all: 4; 5: 3+1";
  auto domain         = domain_of("disk", "triangles", 0);
  domain.boundary_ids = "5: x > 0";
  Elliptic<2> problem(parameters);
  EXPECT_NEAR(convergence_order(problem, domain, 1, f, u), 2., 0.2);
}

TEST(Elliptic, AgreesWithPoissonAndHelmholtz)
{
  const Field<2>     f      = [](const Point<2> &p) { return std::exp(p[0]); };
  const auto         domain = domain_of("h", "triangles", 0);
  const Mesh<2>      mesh(domain, MPI_COMM_SELF);
  const MeshSpace<2> space(mesh, 1);
  const auto         expect_same =
    [&](LinearProblem<2> &a, LinearProblem<2> &b, const double factor) {
      auto values = interpolate(space, f), u = values, v = values;
      a.set_up(space);
      b.set_up(space);
      a.solve(values, u);
      b.solve(values, v);
      v.add(-factor, u);
      EXPECT_LT(v.linfty_norm(), 1e-12 * u.linfty_norm());
    };
  Poisson<2>  poisson;
  Elliptic<2> laplace{EllipticParameters()};
  expect_same(poisson, laplace, 1.);
  EXPECT_EQ(poisson.facts().front().second, laplace.facts().front().second);
  EllipticParameters parameters;
  parameters.reaction = "-16";
  Helmholtz<2> helmholtz(4.);
  Elliptic<2>  waves(parameters);
  expect_same(helmholtz, waves, -1.);
}


TEST(Elliptic, GreensFunctionsReproduceSolutions)
{
  expect_greens_functions<2>(parameters_of_the_square(),
                             domain_of("square", "triangles", 10));
  EllipticParameters parameters;
  parameters.neumann = "all";
  expect_greens_functions<2>(parameters,
                             domain_of("square", "quadrilaterals", 10));
  parameters.advection = "1+y, x";
  expect_greens_functions<2>(parameters, domain_of("square", "triangles", 10));
}


TEST(PureNeumann, ConvergesWhateverTheMeanOfTheForcing)
{
  const Field<2> u = [](const Point<2> &p) {
    return std::cos(M_PI * p[0]) * std::cos(M_PI * p[1]);
  };
  const Field<2> f = [&](const Point<2> &p) { return 2 * M_PI * M_PI * u(p); };
  const Field<2> shifted = [&](const Point<2> &p) { return f(p) + 5; };
  EllipticParameters parameters;
  parameters.neumann = "all";
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      Elliptic<2> problem(parameters);
      const auto  domain = domain_of("square", cells, 12);
      EXPECT_NEAR(convergence_order(problem, domain, 1, f, u), 2., 0.1);
      EXPECT_NEAR(solution_error(problem, domain, 1, shifted, u),
                  solution_error(problem, domain, 1, f, u),
                  1e-12);
      EXPECT_TRUE(problem.is_singular());
      ASSERT_EQ(problem.warnings().size(), 1u);
      EXPECT_NE(problem.warnings().front().find("mean of u"),
                std::string::npos);
    }
}

// With advection the forcing must be orthogonal to another function than one;
// u = cos(pi x) solves a problem on the interval whose b is zero at the ends.
TEST(PureNeumann, WithAdvection)
{
  Manufactured<1> exact;
  exact.u = [](const Point<1> &p) { return std::cos(M_PI * p[0]); };
  exact.a = [](const Point<1> &) {
    Tensor<2, 1> a;
    a[0][0] = 1;
    return a;
  };
  exact.b = [](const Point<1> &p) {
    Tensor<1, 1> b;
    b[0] = 4 + p[0];
    return b;
  };
  exact.c = [](const Point<1> &) { return 0.; };
  EllipticParameters parameters;
  parameters.advection = "4+x";
  parameters.neumann   = "0, 1";
  expect_order(parameters, domain_of("interval", "", 20), 1, exact);
  parameters.reaction = "1e-3";
  Setting<1> setting(parameters, domain_of("interval", "", 20));
  EXPECT_FALSE(setting.problem.is_singular());
}


// What coefficients that jump from cell to cell of a grid let finite elements
// achieve: the energy (f, u_h) is wrong by the square of the error's energy
// norm, which falls with h^(2 s) where u is in H^(1+s). Layers have s = 1; at
// corners of the medium s is smaller, 0.7 for a single one of high contrast.
// A mesh that cuts through the medium's cells sees it only up to its own
// width: the energy converges with h on average, now up, now down.
TEST(RoughMedia, ConvergeAsTheirRegularityLetsThem)
{
  const Field<2> one    = [](const Point<2> &) { return 1.; };
  const auto     energy = [&](const std::string &type, const unsigned int n) {
    EllipticParameters parameters;
    parameters.medium.type     = type;
    parameters.medium.cells    = "4";
    parameters.medium.contrast = 20;
    parameters.medium.width    = 1;
    parameters.medium.seed     = 3;
    Setting<2> setting(parameters, domain_of("square", "quadrilaterals", n));
    auto       f = interpolate(setting.space, one), u = f, m = f;
    setting.problem.solve(f, u);
    setting.space.mass_matrix().vmult(m, f);
    return m * u;
  };
  for (const std::string type :
       {"independent cells", "inclusions", "channels", "layers", "log-normal"})
    {
      const double e[] = {energy(type, 16), energy(type, 32), energy(type, 64)};
      const double order = std::log2((e[1] - e[0]) / (e[2] - e[1]));
      EXPECT_GT(order, type == "layers" ? 1.95 : 1.3) << type;
      EXPECT_LT(order, 2.05) << type;

      // Galerkin's energies rise towards the true one.
      const double limit  = e[2] + (e[2] - e[1]) / (std::pow(2., order) - 1);
      double       coarse = 0, fine = 0;
      for (const unsigned int n : {13, 15, 17, 18})
        coarse += std::abs(energy(type, n) - limit) / limit / 4;
      for (const unsigned int n : {53, 59, 67, 70})
        fine += std::abs(energy(type, n) - limit) / limit / 4;
      const double order_of_cut = std::log(coarse / fine) / std::log(4.);
      EXPECT_GT(order_of_cut, 0.7) << type;
      EXPECT_LT(order_of_cut, 1.7) << type;
    }
}
