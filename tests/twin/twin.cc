// Twins of finite element solvers: the operator itself on its own mesh, and
// rough media on coarse ones, against the fine solver and coarse elements.

#include "testing.h"
#include "twin/rough_medium.h"

#include <evergreen/fem/functions.h>
#include <evergreen/fem/integral_operator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/twin/twin_mesh.h>

#include <cmath>
#include <functional>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  DomainParameters
  domain_of(const std::string &name, const unsigned int refinements = 0)
  {
    DomainParameters domain;
    domain.name        = name;
    domain.refinements = refinements;
    return domain;
  }


  ForcingParameters
  waves(const double wavelength, const unsigned int seed)
  {
    ForcingParameters forcing;
    forcing.wavelength = wavelength;
    forcing.seed       = seed;
    return forcing;
  }


  /** Pairs whose forcings are independent normal numbers at the nodes. */
  template <int dim>
  Samples
  white_noise(LinearProblem<dim> &problem, const std::size_t n_samples)
  {
    Samples samples;
    auto    f = problem.space().make_vector(), u = f;
    for (std::size_t j = 0; j < n_samples; ++j)
      {
        Random::normals(
          3, Random::Stream::test, j, 0, f.locally_owned_size(), f.begin());
        problem.space().hanging_nodes().distribute(f.begin(), 1);
        problem.solve(f, u);
        samples.add(f, u);
      }
    return samples;
  }


  /** The first pairs of some. */
  Samples
  first(const Samples &samples, const std::size_t n)
  {
    const std::size_t size = samples.forcings.size() / samples.n_samples * n;
    Samples           result;
    result.forcings.assign(samples.forcings.begin(),
                           samples.forcings.begin() + size);
    result.solutions.assign(samples.solutions.begin(),
                            samples.solutions.begin() + size);
    result.n_samples = n;
    return result;
  }


  /** Learns from some pairs on the solver's own mesh, or a coarse one. */
  template <int dim>
  LearnedTwin
  learn(const Space<dim> &space,
        const Samples    &samples,
        const MeshData   *coarse = nullptr)
  {
    if (coarse == nullptr)
      {
        Twin<dim> twin(space);
        twin.add(samples);
        return twin.learn();
      }
    Twin<dim> twin(space, *coarse);
    twin.add(samples);
    return twin.learn();
  }


  /** A mesh of ours with a problem on it. */
  template <int dim>
  struct Setting
  {
    Setting(const DomainParameters &domain, LinearProblem<dim> &problem)
      : mesh(domain, MPI_COMM_SELF)
      , space(mesh, 1, problem.vanishes_on_boundary())
      , problem(problem)
    {
      problem.set_up(space);
    }

    Samples
    samples(const ForcingParameters &forcing, const std::size_t n)
    {
      return generate_samples(problem, forcing, Split::train, n);
    }

    Mesh<dim>           mesh;
    MeshSpace<dim>      space;
    LinearProblem<dim> &problem;
  };


  /** The square with a rough coefficient. */
  struct RoughSquare
  {
    std::unique_ptr<UserSpace<2>> user;
    Space<2>                      space;
    RoughMedium<2>                problem;

    RoughSquare(const unsigned int n, const unsigned int seed)
      : user(unit_cube<2>(n))
      , space(user->dof_handler,
              user->mapping,
              user->quadrature,
              user->constraints)
      , problem(n, 100., seed)
    {
      problem.set_up(space);
    }

    Samples
    samples(const ForcingParameters &forcing, const std::size_t n)
    {
      return generate_samples(problem, forcing, Split::train, n);
    }
  };


  /** The error of elements on a coarse mesh with the same coefficient. */
  double
  error_of_coarse_elements(RoughSquare       &fine,
                           const unsigned int n,
                           const Samples     &tests)
  {
    // They integrate the coefficient exactly: a rule for each of its cells.
    UserSpace<2> user(1, 1);
    dealii::GridGenerator::subdivided_hyper_cube(user.triangulation, n);
    user.distribute({0});
    const dealii::QIterated<2> rule(dealii::QGauss<1>(2), 128 / n);
    const Space<2>             space(user.dof_handler,
                         user.mapping,
                         rule,
                         user.constraints);
    RoughMedium<2>             problem(128, 100., 3);
    problem.set_up(space);

    std::vector<Point<2>> points;
    for (std::size_t i = 0; i < space.n_nodes(); ++i)
      points.push_back(space.point(i));
    const NodeValues<2> values(fine.space, space.points());
    const std::size_t   m = space.n_nodes(), size = fine.space.n_nodes();
    const auto exact = values.apply(tests.solutions.data(), tests.n_samples);
    double     sum   = 0;
    auto       f = space.make_vector(), u = f;
    for (std::size_t j = 0; j < tests.n_samples; ++j)
      {
        // The forcing at the nodes: smooth ones suffice.
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t k = 0; k < size; ++k)
            if (fine.space.point(k).distance(points[i]) < 1e-12)
              f(space.dof_of_node(i)) =
                tests.forcings[j * size + fine.space.dof_of_node(k)];
        problem.solve(f, u);
        double square = 0, all = 0;
        for (std::size_t i = 0; i < m; ++i)
          {
            square += std::pow(u(space.dof_of_node(i)) - exact[j * m + i], 2);
            all += std::pow(exact[j * m + i], 2);
          }
        sum += std::sqrt(square / all) / tests.n_samples;
      }
    return sum;
  }
} // namespace


// From as many solves as its rows have coefficients and one more a twin finds
// the operator: exact for all forcings. With one less it is refused.
TEST(OwnTwin, FindsTheOperator)
{
  Poisson<2>                            poisson;
  Helmholtz<2>                          helmholtz(10.);
  const std::vector<LinearProblem<2> *> problems = {&poisson, &helmholtz};
  for (const std::string name : {"disk", "h"})
    for (LinearProblem<2> *const problem : problems)
      {
        Setting<2> setting(domain_of(name), *problem);
        const auto train = setting.samples(waves(0.2, 1), 12);
        const auto twin  = learn(setting.space, train);
        EXPECT_LT(twin.choice.error, 1e-9);
        const TwinSolver<2> solver(twin, setting.space);
        for (const double wavelength : {0.5, 0.2, 0.1})
          EXPECT_LT(error_of(solver,
                             setting.space,
                             setting.samples(waves(wavelength, 2), 3)),
                    1e-10)
            << name << " " << problem->name() << " " << wavelength;
        EXPECT_LT(error_of(solver, setting.space, white_noise(*problem, 3)),
                  1e-10);

        // The message names the least number; one less is too few.
        const auto message =
          error_of([&]() { learn(setting.space, first(train, 5)); });
        ASSERT_TRUE(contains(message, "needs ")) << message;
        const std::size_t least =
          std::stoul(message.substr(message.find("needs ") + 6));
        EXPECT_LE(least, 12u);
        expect_error([&]() { learn(setting.space, first(train, least - 1)); },
                     text(least - 1));
        EXPECT_LT(learn(setting.space, first(train, least)).choice.error, 1e-6);
      }
}

TEST(OwnTwin, FindsTheOperatorOnTheCube)
{
  Poisson<3> poisson;
  Setting<3> setting(domain_of("cube"), poisson);
  const auto twin =
    learn(setting.space, setting.samples(processes({0.2, 0.1}, 1), 30));
  const TwinSolver<3> solver(twin, setting.space);
  for (const double length : {0.4, 0.1})
    EXPECT_LT(error_of(solver,
                       setting.space,
                       setting.samples(processes({length}, 2), 3)),
              1e-9);
}

// Hanging nodes, elements of degree two, natural conditions on three sides.
TEST(OwnTwin, TakesTheSpacesOfPrograms)
{
  UserSpace<2> user(2, 1);
  dealii::GridGenerator::subdivided_hyper_rectangle(
    user.triangulation, {4, 4}, Point<2>(0, 0), Point<2>(1, 1), true);
  refine_near(user.triangulation, Point<2>(1., 0.), 0.6);
  user.distribute({0});
  const Space<2> space(user.dof_handler,
                       user.mapping,
                       user.quadrature,
                       user.constraints);
  RoughMedium<2> problem(8, 10., 1);
  problem.set_up(space);
  const auto          twin = learn(space, white_noise(problem, 80));
  const TwinSolver<2> solver(twin, space);
  const auto tests = generate_samples(problem, waves(0.2, 2), Split::test, 5);
  EXPECT_LT(error_of(solver, space, tests), 1e-8);
}

// Correlated over the whole cube: the rows are right for such forcings only,
// which samples that are left out cannot tell.
TEST(OwnTwin, RefusesSmoothForcings)
{
  DomainParameters domain = domain_of("cube");
  domain.subdivisions     = 8;
  const Mesh<3>      mesh(domain, MPI_COMM_SELF);
  const MeshSpace<3> space(mesh, 1);
  Poisson<3>         poisson;
  poisson.set_up(space);
  const auto smooth =
    generate_samples(poisson, processes({4.}, 1), Split::train, 40);
  expect_error([&]() { learn(space, smooth); }, "too smooth");
}

TEST(OwnTwin, RefusesWhatIsNotLocalOrNoisy)
{
  IntegralOperator<2> cosine(make_integral_kernel("cosine", 4., 2));
  Setting<2>          integral(domain_of("disk"), cosine);
  expect_error(
    [&]() { learn(integral.space, integral.samples(waves(0.2, 1), 40)); },
    "not local");

  Poisson<2> poisson;
  Setting<2> setting(domain_of("disk"), poisson);
  auto       noisy = waves(0.2, 1);
  noisy.noise      = 1e-3;
  expect_error([&]() { learn(setting.space, setting.samples(noisy, 40)); },
               "noise");
}


// The figures of a prototype in another language, times five: 128 cells of
// contrast 100, seen on a mesh of 16.
TEST(CoarseTwin, HasTheAccuracyOfTheFineSolver)
{
  RoughSquare fine(128, 3);
  const auto  coarse = coarse_cube<2>(16);
  const auto  train  = fine.samples(training(1. / 16, 1), 80);
  const auto  smooth = fine.samples(processes({0.2}, 2), 5);
  const auto  rough  = fine.samples(processes({0.1}, 2), 5);
  struct Figures
  {
    std::size_t n_samples;
    double      error_smooth, error_rough;
  };
  const std::vector<Figures> prototype = {{40, 6.6e-5, 5.3e-4},
                                          {80, 2.5e-7, 5.7e-6}};
  for (const auto &[n, error_smooth, error_rough] : prototype)
    {
      const auto          twin = learn(fine.space, first(train, n), &coarse);
      const TwinSolver<2> solver(twin, fine.space);
      EXPECT_EQ(twin.free.size(), 225u);
      const double errors[] = {error_of(solver, fine.space, smooth),
                               error_of(solver, fine.space, rough)};
      EXPECT_LT(errors[0], 5 * error_smooth) << n;
      EXPECT_LT(errors[1], 5 * error_rough) << n;
      // What it promised, for forcings like those of its training.
      const auto   tests = fine.samples(training(1. / 16, 4), 15);
      const double error = error_of(solver, fine.space, tests);
      EXPECT_LT(error, 2 * twin.choice.error);
      EXPECT_GT(error, twin.choice.error / 4);

      // A twin with one wrong entry is wrong.
      auto wrong = twin;
      wrong.a.values[wrong.a.values.size() / 2] += 0.01;
      EXPECT_GT(error_of(TwinSolver<2>(wrong, fine.space), fine.space, smooth),
                10 * errors[0]);
    }
  EXPECT_GT(error_of_coarse_elements(fine, 16, smooth), 0.2);
}

// Ten solves, which the common row makes enough, and a mesh whose nodes are no
// nodes of the fine one.
TEST(CoarseTwin, WorksFromFewSolvesAndOnForeignMeshes)
{
  RoughSquare         fine(128, 3);
  const auto          coarse = coarse_cube<2>(16);
  const auto          tests  = fine.samples(processes({0.2}, 2), 5);
  const auto          train  = fine.samples(training(1. / 16, 1), 100);
  const auto          few    = learn(fine.space, first(train, 10), &coarse);
  const TwinSolver<2> solver(few, fine.space);
  EXPECT_TRUE(few.choice.pooled);
  EXPECT_LT(error_of(solver, fine.space, tests), 2e-2);

  const auto          foreign = coarse_cube<2>(17);
  const auto          twin    = learn(fine.space, train, &foreign);
  const TwinSolver<2> other(twin, fine.space);
  EXPECT_LT(error_of(other, fine.space, tests), 1e-5);
}

// Triangles; and forcings as values on the mesh of the hats, or by a formula.
TEST(CoarseTwin, TakesForcingsInEveryForm)
{
  Poisson<2>     poisson;
  Setting<2>     setting(domain_of("disk", 1), poisson);
  TwinParameters parameters;
  parameters.mesh       = "1";
  const MeshData coarse = twin_mesh(domain_of("disk", 1), parameters);
  EXPECT_EQ(coarse.n_nodes(), 833u);
  const auto twin =
    learn(setting.space, setting.samples(training(0.07, 1), 60), &coarse);
  const TwinSolver<2> solver(twin, setting.space);
  EXPECT_LT(error_of(solver, setting.space, setting.samples(waves(0.5, 2), 5)),
            1e-4);

  const auto formula = [](const double *x) {
    return std::cos(3 * x[0]) + x[1] * x[1];
  };
  const auto          f = interpolate<2>(setting.space, [&](const Point<2> &p) {
    return formula(p.begin_raw());
  });
  const TwinOperator &op         = solver.coarse_operator();
  const auto          from_nodes = solver(f);
  std::vector<double> by_formula(op.n_nodes()), by_values(op.n_nodes()), values;
  op.apply(op.moments_of(formula).data(), by_formula.data(), 1);
  for (std::size_t k = 0; k < op.hat_points().size(); k += 2)
    values.push_back(formula(&op.hat_points()[k]));
  op.apply(op.moments_of_values(values.data(), 1).data(), by_values.data(), 1);
  double largest = 0;
  for (const double value : from_nodes)
    largest = std::max(largest, std::abs(value));
  for (std::size_t s = 0; s < op.n_nodes(); ++s)
    {
      EXPECT_NEAR(by_formula[s], from_nodes[s], 5e-3 * largest);
      EXPECT_NEAR(by_values[s], from_nodes[s], 5e-3 * largest);
    }
}

// Point sources and forcings of half a coarse cell are called rough, and none
// of the lengths of the training.
TEST(CoarseTwin, KnowsItsLimits)
{
  RoughSquare         fine(64, 5);
  const auto          coarse = coarse_cube<2>(8);
  const auto          train  = fine.samples(training(1. / 8, 1), 40);
  const auto          twin   = learn(fine.space, train, &coarse);
  const TwinSolver<2> solver(twin, fine.space);
  const auto          n_rough = [&](const Samples &samples) {
    std::size_t result = 0;
    for (const double share :
         solver.unseen_shares(samples.forcings.data(), samples.n_samples))
      result += is_rough(twin, share);
    return result;
  };
  EXPECT_EQ(n_rough(fine.samples(training(1. / 8, 2), 30)), 0u);
  EXPECT_EQ(n_rough(fine.samples(processes({0.5 / 8}, 2), 10)), 10u);
  auto point                          = fine.space.make_vector();
  point(fine.space.dof_of_node(2000)) = 1;
  EXPECT_TRUE(is_rough(twin, solver.unseen_shares(point.begin(), 1)[0]));
  const auto slow = [](const double *x) { return std::sin(4 * x[0] + x[1]); };
  const auto fast = [](const double *x) { return std::sin(150 * x[0]); };
  EXPECT_FALSE(is_rough(twin, solver.coarse_operator().unseen_share(slow)));
  EXPECT_TRUE(is_rough(twin, solver.coarse_operator().unseen_share(fast, 8)));

  // Smooth kernels have many local relations, and none that gives answers.
  IntegralOperator<2> cosine(make_integral_kernel("cosine", 4., 2));
  UserSpace<2>        user(1, 1);
  dealii::GridGenerator::subdivided_hyper_cube(user.triangulation, 32);
  user.distribute({});
  const Space<2> space(user.dof_handler,
                       user.mapping,
                       user.quadrature,
                       user.constraints);
  cosine.set_up(space);
  const auto integrals =
    generate_samples(cosine, training(1. / 8, 1), Split::train, 80);
  expect_error([&]() { learn(space, integrals, &coarse); }, "not local");
  auto broken           = first(train, 20);
  broken.forcings[1000] = std::nan("");
  expect_error([&]() { learn(fine.space, broken, &coarse); }, "finite");
}

TEST(TwinFile, KeepsEverything)
{
  const TemporaryDirectory directory;
  RoughSquare              fine(32, 5);
  const auto               coarse = coarse_cube<2>(8);
  auto twin = learn(fine.space, fine.samples(training(1. / 8, 1), 30), &coarse);
  twin.parameters        = "subsection Domain\nend\n";
  const std::string path = directory / "twin.h5";
  twin.save(path);
  EXPECT_TRUE(LearnedTwin::is_file(path));
  const auto loaded = LearnedTwin::load(path);
  EXPECT_EQ(loaded.free, twin.free);
  EXPECT_EQ(loaded.a.starts, twin.a.starts);
  EXPECT_EQ(loaded.a.columns, twin.a.columns);
  EXPECT_EQ(loaded.a.values, twin.a.values);
  EXPECT_EQ(loaded.b.values, twin.b.values);
  EXPECT_EQ(loaded.n_moments(), twin.n_moments());
  EXPECT_EQ(loaded.parameters, twin.parameters);
  EXPECT_EQ(loaded.unseen, twin.unseen);
  EXPECT_EQ(loaded.n_samples, 30u);
  EXPECT_EQ(description(loaded.choice), description(twin.choice));
  EXPECT_TRUE(loaded.mesh.is_same_as(twin.mesh));

  const auto damaged = [&](const std::function<void(LearnedTwin &)> &damage) {
    LearnedTwin other = twin;
    damage(other);
    other.save(path);
    return error_of([&]() { LearnedTwin::load(path); });
  };
  EXPECT_EQ(damaged([](LearnedTwin &) {}), "");
  EXPECT_TRUE(contains(damaged([](LearnedTwin &t) { t.a.columns[3] = 99999; }),
                       "damaged"));
  EXPECT_TRUE(
    contains(damaged([](LearnedTwin &t) { t.free.pop_back(); }), "damaged"));
  EXPECT_TRUE(
    contains(damaged([](LearnedTwin &t) { t.b.values[7] = std::nan(""); }),
             "damaged"));
  std::ofstream(path) << "no twin";
  expect_error([&]() { LearnedTwin::load(path); }, path);
  EXPECT_FALSE(LearnedTwin::is_file(path));
}

TEST(TwinMesh, IsWhatTheParametersSay)
{
  TwinParameters parameters;
  auto           domain = domain_of("cube");
  parameters.mesh       = "2";
  EXPECT_EQ(twin_mesh(domain, parameters).n_nodes(), 125u);
  EXPECT_EQ(training_lengths(domain, parameters), "1, 0.5, 0.3");
  parameters.mesh = "4";
  expect_error([&]() { twin_mesh(domain, parameters); }, "coarsened");
  domain          = domain_of("disk", 1);
  parameters.mesh = "1";
  EXPECT_EQ(twin_mesh(domain, parameters).n_nodes(), 833u);
  parameters.mesh = "0";
  expect_error([&]() { parameters.check(); }, "Twin/Mesh");
}

// Samples of a mixture have its lengths in turn, whatever else is drawn.
TEST(Mixture, IsDrawnInTurn)
{
  const std::vector<double>      points = {0., 0.1, 0.3, 0.6, 1.};
  const std::vector<std::size_t> nodes  = {0, 1, 2, 3, 4};
  const auto                     draw = [&](const std::vector<double> &lengths,
                        const std::size_t          first,
                        const std::size_t          n) {
    const RandomField   field(processes(lengths, 1), 1, points, nodes);
    std::vector<double> values(5 * n);
    field.sample(Random::Stream::training_forcing, first, n, values.data());
    return values;
  };
  const auto all = draw({0.5, 0.2, 0.1}, 0, 7);
  for (std::size_t j = 0; j < 7; ++j)
    {
      const double length = j % 3 == 0 ? 0.5 : j % 3 == 1 ? 0.2 : 0.1;
      const auto   one    = draw({length}, j, 1);
      for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(all[5 * j + i], one[i], 1e-13);
    }
  const auto later = draw({0.5, 0.2, 0.1}, 4, 2);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(later[i], all[20 + i], 1e-13);
}
