// The figures of a run whose kernel is known in closed form: Poisson's equation
// on the interval, G(x, y) = (1 - x) max(y, 0) - max(y - x, 0).

#include "learning/small_dataset.h"
#include "report/exact_kernel.h"
#include "report/json.h"
#include "testing.h"

#include <evergreen/report/figure.h>
#include <evergreen/report/run_report.h>

#include <cmath>

namespace Evergreen
{
  namespace
  {
    using namespace Testing;

    Tree
    figure(const std::string &directory, const std::string &name)
    {
      return read_json(directory + "/" + name + ".figure.json");
    }


    double
    largest(const std::vector<double> &values)
    {
      return *std::max_element(values.begin(), values.end());
    }
  } // namespace


  TEST(RunReport, FiguresOfTheExactKernel)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const LearnedKernel      kernel = exact_kernel(data.space.mesh_data());
    const RunReport          report = write_run_report<1>(
      {data.space, *data.reader, kernel, &data.problem, "Poisson"},
      directory / "");
    EXPECT_TRUE(report.remarks.empty());
    EXPECT_EQ(figure_names(report.pictures),
              (std::vector<std::string>{"convergence",
                                        "kernel",
                                        "kernel_slices",
                                        "singular_values",
                                        "solution"}));

    const auto image = figure(report.pictures, "kernel");
    const auto x = numbers(image, "x"), y = numbers(image, "y");
    const auto panels = children(image, "panels");
    ASSERT_EQ(panels.size(), 3U);
    const auto learned = numbers(panels[0], "values");
    ASSERT_EQ(learned.size(), x.size() * y.size());
    for (std::size_t j = 0; j < y.size(); ++j)
      for (std::size_t i = 0; i < x.size(); ++i)
        {
          const double value =
            std::min(x[i], y[j]) * (1 - std::max(x[i], y[j]));
          EXPECT_NEAR(learned[j * x.size() + i], value, 1e-6);
        }
    // Linear elements have the exact values at the nodes.
    EXPECT_LT(largest(numbers(panels[2], "values")), 1e-10);

    const auto solution =
      children(figure(report.pictures, "solution"), "panels");
    ASSERT_EQ(solution.size(), 3U);
    const auto error = numbers(children(solution[2], "series").front(), "y");
    EXPECT_LT(largest(error), 1e-10);
  }


  TEST(RunReport, APerturbedKernelIsSeen)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const LearnedKernel kernel = exact_kernel(data.space.mesh_data(), 1e-3);
    const RunReport     report = write_run_report<1>(
      {data.space, *data.reader, kernel, &data.problem, "Poisson"},
      directory / "");
    const auto panels = children(figure(report.pictures, "kernel"), "panels");
    // The error is 1e-3 y.
    EXPECT_NEAR(largest(numbers(panels[2], "values")), 1e-3, 1e-8);
    const auto solution =
      children(figure(report.pictures, "solution"), "panels");
    EXPECT_GT(largest(numbers(children(solution[2], "series").front(), "y")),
              1e-7);
  }


  TEST(RunReport, SlopesAreInTheLegend)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    const LearnedKernel      kernel = exact_kernel(data.space.mesh_data());
    const RunReport          report = write_run_report<1>(
      {data.space, *data.reader, kernel, &data.problem, "Poisson"},
      directory / "");
    const auto panels =
      children(figure(report.pictures, "convergence"), "panels");
    ASSERT_EQ(panels.size(), 2U);
    std::vector<std::string> labels;
    for (const auto &panel : panels)
      for (const auto &series : children(panel, "series"))
        labels.push_back(series.get<std::string>("label"));
    EXPECT_EQ(labels,
              (std::vector<std::string>{"training, slope $-2.00$",
                                        "test, slope $-1.50$",
                                        "theory: $n^{-2.00}$",
                                        "learned kernel, slope $-1.00$",
                                        "theory: $n^{-2.00}$"}));
  }


  TEST(RunReport, SensorsAndUnknownOperators)
  {
    const TemporaryDirectory directory;
    SmallDataset<1>          data(small_interval(), directory / "data.h5");
    LearnedKernel            kernel = exact_kernel(data.space.mesh_data());
    kernel.response                 = {kernel.response[9], kernel.response[29]};
    kernel.expansions               = kernel.slices({9, 29});
    const RunReport report          = write_run_report<1>(
      {data.space, *data.reader, kernel, nullptr, "Poisson"}, directory / "");
    EXPECT_EQ(report.remarks.size(), 2U);
    EXPECT_EQ(figure_names(report.pictures),
              (std::vector<std::string>{"convergence",
                                        "kernel_slices",
                                        "sensors",
                                        "singular_values",
                                        "solution"}));
    const auto series =
      children(children(figure(report.pictures, "sensors"), "panels").front(),
               "series");
    ASSERT_EQ(series.size(), 3U);
    for (std::size_t s = 1; s < 3; ++s)
      {
        const auto x = numbers(series[s], "x"), y = numbers(series[s], "y");
        ASSERT_EQ(x.size(), 20U);
        for (std::size_t j = 0; j < x.size(); ++j)
          EXPECT_NEAR(x[j], y[j], 1e-5 * std::abs(x[j]) + 1e-12);
      }
    EXPECT_EQ(
      children(figure(report.pictures, "kernel_slices"), "panels").size(), 1U);
  }
} // namespace Evergreen
