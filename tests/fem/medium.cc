// Random media and media from files: what they promise of their values, and
// that these depend on nothing but the parameters.

#include "testing.h"

#include <evergreen/fem/medium.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::BoundingBox;
using dealii::Point;

namespace
{
  MediumParameters
  medium_of(const std::string &type, const std::string &cells)
  {
    MediumParameters parameters;
    parameters.type  = type;
    parameters.cells = cells;
    return parameters;
  }

  template <int dim>
  Medium<dim>
  on_unit_box(const MediumParameters &parameters)
  {
    Point<dim> upper;
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = 1;
    return Medium<dim>(parameters, BoundingBox<dim>({Point<dim>(), upper}));
  }

  /** The mean and the standard deviation of the logarithms of all values. */
  template <int dim>
  std::pair<double, double>
  log_statistics(const Medium<dim> &medium)
  {
    double sum = 0, squares = 0;
    for (const double value : medium.values())
      {
        sum += std::log(value);
        squares += std::log(value) * std::log(value);
      }
    const double n = medium.values().size();
    return {sum / n, std::sqrt(squares / n - sum * sum / (n * n))};
  }

  template <int dim>
  double
  share_of(const Medium<dim> &medium, const double value)
  {
    return std::count(medium.values().begin(), medium.values().end(), value) /
           static_cast<double>(medium.values().size());
  }
} // namespace


// The logarithm is uniform: mean 1/2 and deviation 1/sqrt(12) of the range.
TEST(Medium, IndependentCells)
{
  auto       parameters        = medium_of("independent cells", "128");
  const auto medium            = on_unit_box<2>(parameters);
  const auto [mean, deviation] = log_statistics(medium);
  EXPECT_NEAR(mean / std::log(100.), 0.5, 0.01);
  EXPECT_NEAR(deviation / std::log(100.), 1 / std::sqrt(12.), 0.01);
  // A value is that of the cell around a point, also beyond the box.
  EXPECT_EQ(medium.value(Point<2>(5.5 / 128, 7.5 / 128)),
            medium.values()[7 * 128 + 5]);
  EXPECT_EQ(medium.value(Point<2>(1 + 1e-12, -1e-12)), medium.values()[127]);
  EXPECT_EQ(on_unit_box<2>(parameters).values(), medium.values());
  parameters.seed = 2;
  EXPECT_NE(on_unit_box<2>(parameters).values(), medium.values());
}

TEST(Medium, InclusionsAndChannelsCoverTheirShare)
{
  for (const std::string type : {"inclusions", "channels"})
    for (const double share : {0.1, 0.4})
      {
        auto parameters  = medium_of(type, "256");
        parameters.width = 4;
        parameters.share = share;
        const auto plane = on_unit_box<2>(parameters);
        // Shapes that reach beyond the box cover less.
        EXPECT_NEAR(share_of(plane, 100.), share, 0.25 * share) << type;
        EXPECT_EQ(share_of(plane, 100.) + share_of(plane, 1.), 1.);
        parameters.cells = "48";
        const auto space = on_unit_box<3>(parameters);
        EXPECT_NEAR(share_of(space, 100.), share, 0.3 * share) << type;
      }
}

TEST(Medium, LayersAreFlatAndThick)
{
  auto parameters   = medium_of("layers", "6, 5, 12");
  parameters.width  = 3;
  const auto medium = on_unit_box<3>(parameters);
  for (std::size_t cell = 0; cell < medium.values().size(); ++cell)
    EXPECT_EQ(medium.values()[cell], medium.values()[cell / 90 * 90]);
  EXPECT_NE(medium.values()[0], medium.values()[90]);
}

// Four deviations make the contrast, and neighbours at the distance of the
// width are correlated by exp(-1/4).
TEST(Medium, LogNormal)
{
  auto parameters              = medium_of("log-normal", "256");
  parameters.width             = 3;
  const auto medium            = on_unit_box<2>(parameters);
  const auto [mean, deviation] = log_statistics(medium);
  const double sigma           = std::log(100.) / 4;
  EXPECT_NEAR(mean, 0., 0.1 * sigma);
  EXPECT_NEAR(deviation, sigma, 0.1 * sigma);
  for (const std::size_t step : {std::size_t(3), std::size_t(3 * 256)})
    {
      double            sum = 0;
      const std::size_t n   = medium.values().size() - step;
      for (std::size_t i = 0; i < n; ++i)
        sum +=
          std::log(medium.values()[i]) * std::log(medium.values()[i + step]);
      EXPECT_NEAR(sum / n / (sigma * sigma), std::exp(-0.25), 0.08);
    }
}

TEST(Medium, FromFiles)
{
  const TemporaryDirectory directory;
  std::ofstream(directory / "k.txt")
    << "# three by two\n1 2 3 # the bottom\n4 5 6\n";
  std::ofstream(directory / "l.txt") << "10 20 30 40 50 60";
  auto parameters      = medium_of("file", "3, 2");
  parameters.file      = directory / "k.txt";
  const auto isotropic = on_unit_box<2>(parameters);
  EXPECT_FALSE(isotropic.is_anisotropic());
  EXPECT_EQ(isotropic.value(Point<2>(0.5, 0.25)), 2.);
  EXPECT_EQ(isotropic.value(Point<2>(0.1, 0.75), 1), 4.);
  parameters.file        = text(directory / "k.txt", ", ", directory / "l.txt");
  const auto anisotropic = on_unit_box<2>(parameters);
  EXPECT_EQ(anisotropic.value(Point<2>(0.9, 0.9), 0), 6.);
  EXPECT_EQ(anisotropic.value(Point<2>(0.9, 0.9), 1), 60.);

  const std::string bad    = directory / "bad.txt";
  const auto        refuse = [&](const std::string &file,
                          const std::string &cells,
                          const std::string &content,
                          const std::string &message) {
    std::ofstream(bad) << content;
    auto wrong = medium_of("file", cells);
    wrong.file = file;
    expect_error([&]() { on_unit_box<2>(wrong); }, message);
  };
  refuse(bad, "3, 2", "1 2 3 4 5", "has 5 values; the grid of 3 x 2");
  refuse(bad, "3, 2", "1 2 3 4 5 6 7", "has 7 values");
  refuse(bad, "3, 2", "1 2 x 4 5 6", "'x', which is no number");
  refuse(bad, "3, 2", "1 2 -3 4 5 6", "-3 (number 3)");
  refuse(directory / "nowhere.txt", "3, 2", "", "nowhere.txt");
  refuse(text(bad, ", ", bad, ", ", bad), "3, 2", "1", "3 files");
  refuse(bad, "3, 2, 1", "1", "has 3 numbers");
}

TEST(Medium, RefusesImpossibleParameters)
{
  const auto refuse = [](const std::function<void(MediumParameters &)> &change,
                         const std::string &message) {
    auto parameters = medium_of("inclusions", "8");
    change(parameters);
    expect_error([&]() { parameters.check(); }, message);
  };
  refuse([](auto &p) { p.cells = "8, 0"; }, "'Cells'");
  refuse([](auto &p) { p.cells = "8, x"; }, "'x'");
  refuse([](auto &p) { p.contrast = 0.5; }, "'Contrast'");
  refuse([](auto &p) { p.width = 0.5; }, "'Width'");
  refuse([](auto &p) { p.share = 1; }, "'Share'");
  refuse([](auto &p) { p.type = "file"; }, "'File'");
  refuse([](auto &p) { p.file = "k.txt"; }, "'File'");
}
