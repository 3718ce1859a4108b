// Generation of datasets: what is written is what was asked for, it does not
// depend on interruptions, and failures are listed.

#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>

#include <cmath>
#include <csignal>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  struct Setting
  {
    Mesh<1>           mesh;
    MeshSpace<1>      space;
    ForcingParameters forcing;
    DatasetParameters dataset;

    Setting() : mesh(interval(), MPI_COMM_SELF), space(mesh, 1)
    {
      dataset.n_training_samples = 300;
      dataset.n_test_samples     = 200;
    }

    static DomainParameters
    interval()
    {
      DomainParameters domain;
      domain.name         = "interval";
      domain.subdivisions = 30;
      return domain;
    }
  };

  std::vector<double>
  read(const std::string &path,
       const Split        split,
       const bool         forcings,
       const std::size_t  sample)
  {
    const DatasetReader reader(path);
    std::vector<double> values(reader.mesh().n_nodes());
    if (forcings)
      reader.read_forcings(split, sample, 1, values.data());
    else
      reader.read_solutions(split, sample, 1, values.data());
    return values;
  }

  /** Poisson, but some forcings are refused. */
  class Moody : public LinearProblem<1>
  {
  public:
    std::string
    name() const override
    {
      return "moody";
    }
    void
    set_up(const Space<1> &space) override
    {
      space_ = &space;
      poisson.set_up(space);
    }
    void
    solve(const VectorType &f, VectorType &u) override
    {
      if (f.local_element(0) > 2.)
        throw Error("f(0) is ", f.local_element(0), ", which I do not like");
      poisson.solve(f, u);
      if (f.local_element(0) < -2.)
        u.local_element(5) = std::nan("");
    }

  private:
    Poisson<1> poisson;
  };
} // namespace


TEST(Generator, PairsSolveTheProblem)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "data.h5";
  Setting                  setting;
  Poisson<1>               poisson;
  poisson.set_up(setting.space);
  std::size_t       last = 0;
  GenerationOptions options;
  options.on_progress = [&](const GenerationProgress &progress) {
    EXPECT_GT(progress.n_done, last);
    EXPECT_EQ(progress.n_total, 500u);
    last = progress.n_done;
  };
  const auto report =
    generate_dataset(poisson, setting.forcing, setting.dataset, path, options);
  EXPECT_EQ(report.n_computed, 500u);
  EXPECT_EQ(last, 500u);
  EXPECT_FALSE(report.interrupted);

  // In one dimension linear elements satisfy the difference equation
  // (2 u_i - u_{i-1} - u_{i+1}) / h = (f_{i-1} + 4 f_i + f_{i+1}) h / 6.
  constexpr double h = 1. / 30;
  for (const Split split : {Split::train, Split::test})
    for (const std::size_t j : {0u, 150u, 199u})
      {
        const auto f = read(path, split, true, j);
        const auto u = read(path, split, false, j);
        EXPECT_EQ(u.front(), 0.);
        EXPECT_EQ(u.back(), 0.);
        for (std::size_t i = 1; i < 30; ++i)
          EXPECT_NEAR((2 * u[i] - u[i - 1] - u[i + 1]) / h,
                      (f[i - 1] + 4 * f[i] + f[i + 1]) * h / 6,
                      1e-12);
      }
  EXPECT_NE(read(path, Split::train, true, 0),
            read(path, Split::test, true, 0));
}

TEST(Generator, SamplesDoNotDependOnTheirNumber)
{
  const TemporaryDirectory directory;
  Setting                  setting;
  Poisson<1>               poisson;
  poisson.set_up(setting.space);
  generate_dataset(poisson,
                   setting.forcing,
                   setting.dataset,
                   directory / "a.h5");
  setting.dataset.n_training_samples = 17;
  setting.dataset.n_test_samples     = 0;
  generate_dataset(poisson,
                   setting.forcing,
                   setting.dataset,
                   directory / "b.h5");
  const auto a = read(directory / "a.h5", Split::train, true, 16);
  const auto b = read(directory / "b.h5", Split::train, true, 16);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-13);
}

TEST(Generator, NormalisesAndAddsNoise)
{
  const TemporaryDirectory directory;
  Setting                  setting;
  Poisson<1>               poisson;
  poisson.set_up(setting.space);
  setting.forcing.normalise = true;
  generate_dataset(poisson,
                   setting.forcing,
                   setting.dataset,
                   directory / "clean.h5");
  setting.forcing.noise = 0.1;
  generate_dataset(poisson,
                   setting.forcing,
                   setting.dataset,
                   directory / "noisy.h5");

  double noise_square = 0, solution_square = 0;
  for (std::size_t j = 0; j < 300; ++j)
    {
      const auto f = read(directory / "clean.h5", Split::train, true, j);
      LinearProblem<1>::VectorType nodal(setting.space.locally_owned_dofs(),
                                         MPI_COMM_SELF);
      for (std::size_t i = 0; i < f.size(); ++i)
        nodal(setting.space.dof_of_node(i)) = f[i];
      auto product = nodal;
      setting.space.mass_matrix().vmult(product, nodal);
      EXPECT_NEAR(nodal * product, 1., 1e-12);

      const auto u = read(directory / "clean.h5", Split::train, false, j);
      const auto v = read(directory / "noisy.h5", Split::train, false, j);
      EXPECT_EQ(v.front(), 0.);
      for (std::size_t i = 0; i < u.size(); ++i)
        {
          noise_square += std::pow(u[i] - v[i], 2);
          solution_square += std::pow(u[i], 2);
        }
    }
  // 300 x 29 independent numbers: three standard deviations are 2.3 %.
  EXPECT_NEAR(std::sqrt(noise_square / solution_square * 31. / 29.),
              0.1,
              0.1 * 0.08);
  EXPECT_EQ(read(directory / "clean.h5", Split::test, false, 5),
            read(directory / "noisy.h5", Split::test, false, 5));
}

TEST(Generator, InterruptedAndResumedGivesTheSameFile)
{
  const TemporaryDirectory directory;
  Setting                  setting;
  Poisson<1>               poisson;
  poisson.set_up(setting.space);
  generate_dataset(poisson,
                   setting.forcing,
                   setting.dataset,
                   directory / "whole.h5");

  const std::string path = directory / "broken.h5";
  GenerationOptions options;
  options.on_progress = [](const GenerationProgress &) { raise(SIGINT); };
  auto report =
    generate_dataset(poisson, setting.forcing, setting.dataset, path, options);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(std::filesystem::exists(path));

  options.on_progress = {};
  expect_error(
    [&]() {
      generate_dataset(
        poisson, setting.forcing, setting.dataset, path, options);
    },
    "--resume");
  options.resume = true;
  report =
    generate_dataset(poisson, setting.forcing, setting.dataset, path, options);
  EXPECT_EQ(report.n_resumed, 128u);
  EXPECT_EQ(report.n_computed, 372u);
  EXPECT_EQ(bytes_of(path), bytes_of(directory / "whole.h5"));
}

TEST(Generator, FailedSamplesAreListedAndTheOthersKept)
{
  const TemporaryDirectory directory;
  Setting                  setting;
  Moody                    moody;
  moody.set_up(setting.space);
  const auto report = generate_dataset(moody,
                                       setting.forcing,
                                       setting.dataset,
                                       directory / "data.h5");
  // P(|N(0,1)| > 2) = 4.6 %: about 23 of 500, half of them of each kind.
  EXPECT_GE(report.failures.size(), 6u);
  EXPECT_LE(report.failures.size(), 60u);
  std::size_t n_refused = 0, n_infinite = 0;
  for (const auto &failure : report.failures)
    {
      n_refused += failure.reason.find("do not like") != std::string::npos;
      n_infinite += failure.reason.find("not finite") != std::string::npos;
    }
  EXPECT_GT(n_refused, 0u);
  EXPECT_GT(n_infinite, 0u);
  EXPECT_EQ(n_refused + n_infinite, report.failures.size());

  const DatasetReader reader(directory / "data.h5");
  std::size_t         n_failed = 0;
  for (const Split split : {Split::train, Split::test})
    for (const auto sample : reader.failed_samples(split))
      {
        ++n_failed;
        EXPECT_GT(std::abs(read(directory / "data.h5", split, true, sample)[0]),
                  2.);
      }
  EXPECT_EQ(n_failed, report.failures.size());
}

TEST(Generator, RejectsImpossibleParameters)
{
  const TemporaryDirectory directory;
  Setting                  setting;
  Poisson<1>               poisson;
  poisson.set_up(setting.space);
  setting.dataset.n_training_samples = 0;
  expect_error(
    [&]() {
      generate_dataset(poisson,
                       setting.forcing,
                       setting.dataset,
                       directory / "a.h5");
    },
    "Training samples");
  setting.dataset.n_training_samples = 1;
  expect_error(
    [&]() {
      generate_dataset(poisson,
                       setting.forcing,
                       setting.dataset,
                       directory / "no/where.h5");
    },
    "does not exist");
}
