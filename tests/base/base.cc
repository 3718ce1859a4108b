// The tools that all rooms share.

#include "testing.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/random.h>
#include <evergreen/configuration.h>

#include <cmath>
#include <fstream>

using namespace Evergreen;
using namespace Evergreen::Testing;

TEST(Blas, SingularValuesRebuildTheMatrix)
{
  constexpr int       m = 7, n = 4;
  std::vector<double> a(m * n);
  Random::normals(1, Random::Stream::test, 0, 0, a.size(), a.data());
  const auto          original = a;
  std::vector<double> s, u, vt, only;
  Blas::singular_values(m, n, a, s, &u, &vt);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      {
        double sum = 0;
        for (int k = 0; k < n; ++k)
          sum += u[k * m + i] * s[k] * vt[j * n + k];
        EXPECT_NEAR(sum, original[j * m + i], 1e-13);
      }
  a = original;
  Blas::singular_values(m, n, a, only, nullptr, nullptr);
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(only[k], s[k], 1e-13);
}

TEST(Random, SequencesAreIndependentAndReproducible)
{
  constexpr std::size_t n = 20000;
  std::vector<double>   a(n), b(n), c(n);
  Random::normals(5, Random::Stream::noise, 1, 0, n, a.data());
  Random::normals(5, Random::Stream::noise, 2, 0, n, b.data());
  Random::normals(5, Random::Stream::dictionary, 1, 0, n, c.data());
  double mean = 0, square = 0, ab = 0, ac = 0;
  for (std::size_t i = 0; i < n; ++i)
    {
      EXPECT_NEAR(a[i], Random::normal(5, Random::Stream::noise, 1, i), 1e-13);
      mean += a[i] / n;
      square += a[i] * a[i] / n;
      ab += a[i] * b[i] / n;
      ac += a[i] * c[i] / n;
    }
  // Four standard deviations: a false alarm once in 16,000 seeds.
  const double bound = 4. / std::sqrt(n);
  EXPECT_LT(std::abs(mean), bound);
  EXPECT_LT(std::abs(square - 1), bound * std::sqrt(2.));
  EXPECT_LT(std::abs(ab), bound);
  EXPECT_LT(std::abs(ac), bound);
}

TEST(Parameters, OverridesAndErrors)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.prm";
  std::ofstream(path) << "subsection Domain\n set Name = cube\nend\n";
  const auto configuration = Configuration::read(
    path, {"Problem/Wave number=3.5", " Dataset / Test samples = 7 "});
  EXPECT_EQ(configuration.domain.name, "cube");
  EXPECT_EQ(configuration.problem.wave_number, 3.5);
  EXPECT_EQ(configuration.dataset.n_test_samples, 7u);

  const auto expect = [&](const std::string &override,
                          const std::string &words) {
    expect_error([&]() { Configuration::read(path, {override}); }, words);
  };
  expect("Domain/Name", "no '='");
  expect("Name=disk", "no section");
  expect("Domein/Name=disk", "Domein");
  expect("Domain/Nam=disk", "'Nam'");
  expect("Domain/Name=torus", "torus");
  expect("Problem/Degree=0", "Degree");
  expect("Dataset/Training samples=none", "none");
  expect("Forcing/Wavelength=-1", "-1");
  expect_error([&]() { Configuration::read(directory / "b.prm", {}); },
               "b.prm");
  expect_error([&]() { Configuration::read(directory / "", {}); }, "read");
  std::ofstream(path) << "subsection Domain\n set Colour = red\nend\n";
  expect_error([&]() { Configuration::read(path, {}); }, "Colour");
  std::ofstream(path) << "subsection Domain\n set Name = disk\n";
  EXPECT_THROW(Configuration::read(path, {}), UsageError);
}

TEST(Parameters, TextOfAConfigurationMakesItAgain)
{
  const std::string        number = "0.33333333333333331";
  const auto               a      = Configuration::read("",
                                     {"Problem/Name=helmholtz",
                                                         "Problem/Wave number=" + number,
                                                         "Forcing/Seed=12"});
  Configuration            b;
  dealii::ParameterHandler prm;
  b.add_parameters(prm);
  parse_parameter_text(a.dataset_text, "the text", prm);
  EXPECT_EQ(b.problem.wave_number, 1. / 3.);
  EXPECT_EQ(b.problem.name, "helmholtz");
  EXPECT_EQ(b.forcing.seed, 12u);
}
