// Poisson and Helmholtz against manufactured solutions, closed forms and the
// properties of their Green's functions.

#include "fem/convergence.h"
#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/fem/integral_operator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  /** The product of sin(k (x_d - a)), which vanishes where a factor does. */
  template <int dim>
  Field<dim>
  sine_product(const double k, const double a)
  {
    return [=](const Point<dim> &p) {
      double value = 1;
      for (unsigned int d = 0; d < dim; ++d)
        value *= std::sin(k * (p[d] - a));
      return value;
    };
  }

  template <int dim>
  Field<dim>
  times(const double factor, const Field<dim> &field)
  {
    return [=](const Point<dim> &p) { return factor * field(p); };
  }

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

  constexpr double K = 4.;

  /** Both problems, with a solution that is an eigenfunction of the domain. */
  template <int dim>
  void
  expect_order(const DomainParameters &domain,
               const double            k,
               const double            a,
               const unsigned int      degree)
  {
    const auto   u          = sine_product<dim>(k, a);
    const double eigenvalue = dim * k * k;
    Poisson<dim> poisson;
    EXPECT_NEAR(
      convergence_order(poisson, domain, degree, times(eigenvalue, u), u),
      degree + 1,
      0.15);
    Helmholtz<dim> helmholtz(K);
    EXPECT_NEAR(convergence_order(
                  helmholtz, domain, degree, times(K * K - eigenvalue, u), u),
                degree + 1,
                0.15);
  }

  template <int dim>
  struct Setting
  {
    Mesh<dim>      mesh;
    MeshSpace<dim> space;

    explicit Setting(const DomainParameters &domain,
                     const unsigned int      degree = 1)
      : mesh(domain, MPI_COMM_SELF), space(mesh, degree)
    {}
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
} // namespace


TEST(Convergence, Interval)
{
  for (const unsigned int degree : {1, 2, 3})
    expect_order<1>(domain_of("interval", "", 20), M_PI, 0., degree);
}

// sin(3 pi (x+1)/2) sin(3 pi (y+1)/2) is zero on the whole boundary of the H.
TEST(Convergence, Triangles)
{
  for (const unsigned int degree : {1, 2})
    expect_order<2>(domain_of("h", "triangles", 0), 1.5 * M_PI, -1., degree);
}

TEST(Convergence, Quadrilaterals)
{
  for (const unsigned int degree : {1, 2})
    expect_order<2>(domain_of("h", "quadrilaterals", 0),
                    1.5 * M_PI,
                    -1.,
                    degree);
}

TEST(Convergence, Hexahedra)
{
  expect_order<3>(domain_of("cube", "", 8), M_PI, 0., 1);
  expect_order<3>(domain_of("cube", "", 4), M_PI, 0., 2);
}


// -u'' = f with linear elements is exact at the nodes, so it must agree with
// the integral of the exact Green's function.
TEST(Poisson, IntervalAgreesWithItsGreensFunction)
{
  Setting<1> setting(domain_of("interval", "", 50));
  Poisson<1> poisson;
  poisson.set_up(setting.space);
  IntegralOperator<1> integral(make_integral_kernel("poisson-kernel", 0, 1));
  integral.set_up(setting.space);

  const auto          f = random_values(setting.space);
  std::vector<double> u(f.size()), v(f.size());
  poisson.solve_block(f.data(), u.data(), 1);
  integral.solve_block(f.data(), v.data(), 1);
  for (std::size_t i = 0; i < u.size(); ++i)
    EXPECT_NEAR(u[i], v[i], 1e-13);
}

TEST(Helmholtz, IntervalConvergesToItsGreensFunction)
{
  double previous = 0;
  for (const unsigned int n : {50, 100, 200})
    {
      Setting<1>   setting(domain_of("interval", "", n));
      Helmholtz<1> helmholtz(15.);
      helmholtz.set_up(setting.space);
      IntegralOperator<1> integral(
        make_integral_kernel("helmholtz-kernel", 15., 1));
      integral.set_up(setting.space);
      auto f = interpolate<1>(setting.space,
                              [](const Point<1> &p) { return std::exp(p[0]); });
      auto u = f, v = f;
      helmholtz.solve(f, u);
      integral.solve(f, v);
      v -= u;
      const double error = v.linfty_norm() / u.linfty_norm();
      if (previous > 0.)
        {
          EXPECT_NEAR(std::log2(previous / error), 2., 0.3);
        }
      previous = error;
    }
}


TEST(Poisson, DiskWithUnitForcing)
{
  const Field<2> one   = [](const Point<2> &) { return 1.; };
  const Field<2> exact = [](const Point<2> &p) {
    return (1. - p.square()) / 4.;
  };
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      Poisson<2> poisson;
      const auto domain = domain_of("disk", cells, 0);
      EXPECT_LT(solution_error(poisson, domain, 1, one, exact), 2e-3);
      EXPECT_NEAR(convergence_order(poisson, domain, 1, one, exact), 2., 0.15);
    }
}


TEST(GreensFunction, IsSymmetricAndReproducesSolutions)
{
  Setting<2>   setting(domain_of("disk", "triangles", 0));
  Helmholtz<2> helmholtz(10.);
  Poisson<2>   poisson;
  for (GalerkinProblem<2> *problem :
       std::initializer_list<GalerkinProblem<2> *>{&poisson, &helmholtz})
    {
      problem->set_up(setting.space);
      const auto          f = random_values(setting.space);
      std::vector<double> u(f.size());
      problem->solve_block(f.data(), u.data(), 1);
      LinearProblem<2>::VectorType nodal(setting.space.locally_owned_dofs(),
                                         MPI_COMM_SELF);
      std::copy(f.begin(), f.end(), nodal.begin());
      auto mass_times_f = nodal;
      setting.space.mass_matrix().vmult(mass_times_f, nodal);

      const std::vector<std::size_t>            nodes = {100, 417, 640};
      std::vector<LinearProblem<2>::VectorType> slices(nodes.size());
      for (std::size_t s = 0; s < nodes.size(); ++s)
        {
          problem->greens_function(nodes[s], slices[s]);
          const auto dof = setting.space.dof_of_node(nodes[s]);
          EXPECT_NEAR(slices[s] * mass_times_f, u[dof], 1e-11);
        }
      for (std::size_t s = 0; s < nodes.size(); ++s)
        for (std::size_t t = 0; t < s; ++t)
          EXPECT_NEAR(slices[s](setting.space.dof_of_node(nodes[t])),
                      slices[t](setting.space.dof_of_node(nodes[s])),
                      1e-12);
    }
}

TEST(GreensFunction, OfTheIntervalIsExact)
{
  Setting<1> setting(domain_of("interval", "", 40));
  Poisson<1> poisson;
  poisson.set_up(setting.space);
  LinearProblem<1>::VectorType slice;
  poisson.greens_function(10, slice);
  for (std::size_t node = 0; node <= 40; ++node)
    {
      const double x = 0.25, y = node / 40.;
      EXPECT_NEAR(slice(setting.space.dof_of_node(node)),
                  std::min(x, y) * (1 - std::max(x, y)),
                  1e-13);
    }
}


TEST(Solvers, Agree)
{
  Setting<3>          setting(domain_of("cube", "", 6));
  const auto          f = random_values(setting.space);
  std::vector<double> reference;
  for (const std::string name : {"klu", "mumps", "cg-amg", "cholmod"})
    {
      Poisson<3> poisson(LinearSolver::method_from_name(name));
      poisson.set_up(setting.space);
      EXPECT_EQ(poisson.facts().front().second, name);
      std::vector<double> u(f.size());
      EXPECT_TRUE(poisson.solve_block(f.data(), u.data(), 1).empty());
      if (reference.empty())
        reference = u;
      for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_NEAR(u[i], reference[i], 1e-11);
    }
}

// 150 columns are solved in chunks, by several threads.
TEST(Solvers, CholmodInBlocks)
{
  Setting<2>          setting(domain_of("h", "triangles", 0));
  const auto         &space = setting.space;
  const std::size_t   n = space.n_nodes(), n_columns = 150;
  std::vector<double> f(n_columns * n), u(n_columns * n), v(n_columns * n);
  Random::normals(1, Random::Stream::test, 0, 0, f.size(), f.data());
  for (const auto method :
       {LinearSolver::Method::cholmod, LinearSolver::Method::klu})
    {
      Poisson<2> poisson(method);
      poisson.set_up(space);
      v.swap(u);
      EXPECT_TRUE(poisson.solve_block(f.data(), u.data(), n_columns).empty());
    }
  for (std::size_t i = 0; i < u.size(); ++i)
    ASSERT_NEAR(u[i], v[i], 1e-13);
}

// A matrix that is said to be definite and is not.
TEST(Solvers, CholmodFindsIndefiniteMatrices)
{
  class Pretender : public Helmholtz<2>
  {
  public:
    using Helmholtz<2>::Helmholtz;

  protected:
    bool
    is_definite() const override
    {
      return true;
    }
  };
  Setting<2> setting(domain_of("disk", "triangles", 0));
  Pretender  pretender(10., LinearSolver::Method::cholmod);
  expect_error([&]() { pretender.set_up(setting.space); },
               "not positive definite");
  Helmholtz<2> helmholtz(10., LinearSolver::Method::cholmod);
  expect_error([&]() { helmholtz.set_up(setting.space); }, "cholmod");
}

TEST(Solvers, BlockEqualsOneByOne)
{
  Setting<2>   setting(domain_of("disk", "quadrilaterals", 0));
  Helmholtz<2> helmholtz(10.);
  helmholtz.set_up(setting.space);
  const std::size_t   n = setting.space.n_nodes();
  std::vector<double> f(3 * n), u(3 * n), v(n);
  Random::normals(1, Random::Stream::test, 0, 0, f.size(), f.data());
  helmholtz.solve_block(f.data(), u.data(), 3);
  for (std::size_t j = 0; j < 3; ++j)
    {
      helmholtz.solve_block(f.data() + j * n, v.data(), 1);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(u[j * n + i], v[i], 1e-12);
    }
}

TEST(Solvers, AutomaticChoice)
{
  using Method = LinearSolver::Method;
  EXPECT_EQ(LinearSolver::choose(833, true), Method::klu);
  EXPECT_EQ(LinearSolver::choose(4913, true), Method::cholmod);
  EXPECT_EQ(LinearSolver::choose(274625, true), Method::cholmod);
  EXPECT_EQ(LinearSolver::choose(833, false), Method::klu);
  EXPECT_EQ(LinearSolver::choose(274625, false), Method::mumps);
  expect_error([]() { LinearSolver::method_from_name("gauss"); }, "gauss");
  Setting<1>   setting(domain_of("interval", "", 10));
  Helmholtz<1> helmholtz(1., Method::cg_amg);
  expect_error([&]() { helmholtz.set_up(setting.space); }, "cg-amg");
}


// The eigenvalues of linear elements on a uniform mesh are known in closed
// form: (6/h^2) (1 - cos(j pi h)) / (2 + cos(j pi h)).
TEST(Helmholtz, WarnsNearAnEigenvalue)
{
  constexpr double h = 1. / 100;
  Setting<1>       setting(domain_of("interval", "", 100));
  const double     c          = std::cos(4 * M_PI * h);
  const double     eigenvalue = 6. / (h * h) * (1 - c) / (2 + c);

  Helmholtz<1> near(std::sqrt(eigenvalue + 1e-2));
  near.set_up(setting.space);
  EXPECT_NEAR(near.distance_to_eigenvalue(), 1e-2, 1e-4);
  ASSERT_EQ(near.warnings().size(), 1u);
  EXPECT_NE(near.warnings().front().find("Wave number"), std::string::npos);

  Helmholtz<1> far(std::sqrt(eigenvalue + 20.));
  far.set_up(setting.space);
  EXPECT_TRUE(far.warnings().empty());
  EXPECT_NEAR(far.distance_to_eigenvalue(), 20., 1.);
}
