// The list of experiments against the paper, and tables as text.

#include "reproduce/documents.h"
#include "reproduce/experiments.h"
#include "testing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace Evergreen;
using namespace Evergreen::Reproduce;
using namespace Evergreen::Testing;

namespace
{
  const Table &
  named(const std::vector<Table> &tables, const std::string &name)
  {
    const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table &table) {
        return table.name == name;
      });
    EXPECT_NE(found, tables.end()) << name;
    return *found;
  }


  Configuration
  configuration_of(const Experiment &experiment)
  {
    return read_configuration(experiment.configuration,
                              joined(experiment.data, experiment.learning));
  }


  /** What a line of a table must be about. */
  struct Printed
  {
    const char *table, *configuration, *method;
    double      scale, eps_u, eps_G;
  };

  constexpr double none = std::numeric_limits<double>::quiet_NaN();

  // Typed from the paper; scale is the wavelength or length of the forcings.
  const std::vector<Printed> paper = {
    {"table-1", "interval_poisson", "oga", 0.01, 1.2411e-04, 5.7327e-04},
    {"table-2", "interval_helmholtz", "oga", 0.01, 1.4509e-03, 2.3186e-03},
    {"table-3", "disk_poisson", "pw-oga", 0.2, 8.5628e-04, none},
    {"table-3", "h_poisson", "pw-oga", 0.2, 7.1716e-04, none},
    {"table-3", "disk_helmholtz", "pw-oga", 0.2, 1.6378e-04, none},
    {"table-3", "h_helmholtz", "pw-oga", 0.2, 6.1449e-04, none},
    {"table-3", "disk_poisson", "oga", 0.2, 1.7499e-01, none},
    {"table-3", "h_poisson", "oga", 0.2, 3.7873e-01, none},
    {"table-3", "disk_helmholtz", "oga", 0.2, 5.5332e-01, none},
    {"table-3", "h_helmholtz", "oga", 0.2, 4.6881e-01, none},
    {"table-4", "cube_cosine", "pw-oga", 0.2, 4.2071e-04, 2.5830e-02},
    {"table-4", "cube_log_cosine", "pw-oga", 0.2, 1.2106e-03, 7.4495e-02},
    {"table-5", "disk_poisson", "pw-oga", 0.2, 8.5628e-04, none},
    {"table-5", "h_poisson", "pw-oga", 0.2, 7.1716e-04, none},
    {"table-5", "disk_helmholtz", "pw-oga", 0.2, 1.6378e-04, none},
    {"table-5", "h_helmholtz", "pw-oga", 0.2, 6.1449e-04, none},
    {"table-5", "disk_poisson", "pw-oga", 0.1, 9.1918e-02, none},
    {"table-5", "h_poisson", "pw-oga", 0.1, 6.8071e-02, none},
    {"table-5", "disk_helmholtz", "pw-oga", 0.1, 1.1407e-01, none},
    {"table-5", "h_helmholtz", "pw-oga", 0.1, 1.1402e-01, none},
    {"table-6", "cube_cosine", "pw-oga", 0.2, 4.2071e-04, 2.5830e-02},
    {"table-6", "cube_log_cosine", "pw-oga", 0.2, 1.2106e-03, 7.4495e-02},
    {"table-6", "cube_cosine", "pw-oga", 0.1, 6.2046e-03, 2.2252e-02},
    {"table-6", "cube_log_cosine", "pw-oga", 0.1, 1.7726e-02, 6.3057e-02}};


  bool
  same(const double a, const double b)
  {
    return a == b || (std::isnan(a) && std::isnan(b));
  }


  double
  scale_of(const Configuration &configuration)
  {
    return configuration.forcing.model == "band-limited"
             ? configuration.forcing.wavelength
             : configuration.forcing.length;
  }


  bool
  is_about(const Line &line, const Printed &printed)
  {
    const Experiment &experiment    = line.experiments.at(Column::relu);
    const auto        configuration = configuration_of(experiment);
    return experiment.configuration == printed.configuration &&
           configuration.learning.method == printed.method &&
           scale_of(configuration) == printed.scale &&
           same(line.paper.eps_u, printed.eps_u) &&
           same(line.paper.eps_G, printed.eps_G);
  }
} // namespace


TEST(Experiments, HaveEveryFigureOfThePaper)
{
  const auto  tables  = all_tables();
  std::size_t n_lines = 0;
  for (const Printed &printed : paper)
    {
      const auto &lines = named(tables, printed.table).lines;
      EXPECT_EQ(std::count_if(lines.begin(),
                              lines.end(),
                              [&](const Line &line) {
                                return is_about(line, printed);
                              }),
                1)
        << printed.table << " " << printed.configuration << " "
        << printed.eps_u;
    }
  for (const Table &table : tables)
    for (const Line &line : table.lines)
      n_lines += std::isfinite(line.paper.eps_u) ? 1 : 0;
  EXPECT_EQ(n_lines, paper.size());
}


TEST(Experiments, HaveTheCurvesOfThePaper)
{
  const auto tables = all_tables();
  for (const auto &[name, method] :
       {std::pair<std::string, std::string>("figure-7", "oga"),
        std::pair<std::string, std::string>("figure-9", "pw-oga")})
    {
      std::set<double> wave_numbers;
      for (const Line &line : named(tables, name).lines)
        {
          const auto c = configuration_of(line.experiments.at(Column::relu));
          EXPECT_EQ(c.problem.name, "cosine");
          EXPECT_EQ(c.domain.name, "disk");
          EXPECT_EQ(c.learning.method, method);
          wave_numbers.insert(c.problem.wave_number);
        }
      EXPECT_EQ(wave_numbers, (std::set<double>{1, 2, 4}));
    }
  std::set<double> wavelengths;
  for (const Line &line : named(tables, "figure-18").lines)
    {
      const auto c = configuration_of(line.experiments.at(Column::relu));
      EXPECT_EQ(c.problem.wave_number, 4);
      wavelengths.insert(c.forcing.wavelength);
      EXPECT_EQ(line.experiments.at(Column::singular_values).data,
                line.experiments.at(Column::relu).data);
    }
  EXPECT_EQ(wavelengths, (std::set<double>{0.1, 0.2, 0.5}));
}


TEST(Experiments, HaveTheTablesBeyondThePaper)
{
  const auto                                    tables = all_tables();
  std::set<std::pair<std::string, double>>      trained, noise;
  std::set<std::pair<std::string, std::size_t>> few;
  for (const Line &line : named(tables, "cross").lines)
    for (const auto &[column, experiment] : line.experiments)
      {
        EXPECT_EQ(experiment.tests,
                  (std::vector<std::string>{"Forcing/Wavelength=0.5",
                                            "Forcing/Wavelength=0.2",
                                            "Forcing/Wavelength=0.1"}));
        trained.emplace(experiment.configuration,
                        configuration_of(experiment).forcing.wavelength);
      }
  EXPECT_EQ(trained.size(), 12u);
  for (const Line &line : named(tables, "few-data").lines)
    for (const auto &[column, experiment] : line.experiments)
      few.emplace(experiment.configuration,
                  configuration_of(experiment).dataset.n_training_samples);
  std::set<std::pair<std::string, std::size_t>> few_atoms;
  for (const Line &line : named(tables, "few-atoms").lines)
    {
      const auto c = configuration_of(line.experiments.at(Column::best));
      EXPECT_EQ(c.learning.family, "auto");
      EXPECT_EQ(c.learning.function, "auto"); // nothing is told
      EXPECT_EQ(
        configuration_of(line.experiments.at(Column::relu)).learning.neurons,
        c.learning.neurons);
      EXPECT_LE(c.learning.neurons, 256u);
      few_atoms.emplace(line.experiments.at(Column::best).configuration,
                        c.dataset.n_training_samples);
    }
  EXPECT_EQ(few_atoms.size(), 8u);
  for (const Line &line : named(tables, "noise").lines)
    for (const auto &[column, experiment] : line.experiments)
      noise.emplace(experiment.configuration,
                    configuration_of(experiment).forcing.noise);
  for (const std::string domain : {"disk_poisson", "h_poisson"})
    {
      for (const std::size_t n : {50, 100, 200, 500, 1000})
        EXPECT_EQ(few.count({domain, n}), 1u) << n;
      for (const double level : {0., 0.01, 0.1})
        EXPECT_EQ(noise.count({domain, level}), 1u) << level;
    }
}


// Dictionaries, samples and meshes of the faithful column are the paper's.
TEST(Experiments, AreFaithful)
{
  for (const Table &table : all_tables())
    for (const Line &line : table.lines)
      {
        ASSERT_EQ(line.experiments.count(Column::relu), 1u);
        ASSERT_EQ(line.experiments.count(Column::least_squares), 1u);
        const auto c = configuration_of(line.experiments.at(Column::relu));
        EXPECT_EQ(c.learning.family, "relu");
        EXPECT_EQ(c.learning.power, 1u);
        EXPECT_EQ(c.learning.size, 512u);
        EXPECT_EQ(c.learning.selection, "plain");
        EXPECT_EQ(c.learning.sensors, "");
        const bool interval = c.domain.name == "interval";
        const bool has_fewer =
          table.name.find("few-") == 0 || table.name == "cube-fem";
        if (!has_fewer)
          {
            EXPECT_EQ(c.dataset.n_training_samples, interval ? 500u : 1000u);
          }
        EXPECT_EQ(c.dataset.n_test_samples,
                  interval                                ? 200u
                  : c.domain.name == "cube" && !has_fewer ? 1000u
                                                          : 500u);
        // All columns learn from the same data.
        for (const auto &[column, experiment] : line.experiments)
          EXPECT_EQ(configuration_of(experiment).dataset_text, c.dataset_text);
      }
}


TEST(Experiments, CanBeReadAndReduced)
{
  std::set<std::string> names;
  for (const Table &table : all_tables())
    {
      EXPECT_TRUE(names.insert(table.name).second) << table.name;
      for (const Line &line : table.lines)
        for (const auto &[column, experiment] : line.experiments)
          {
            const auto whole = configuration_of(experiment);
            const auto small = configuration_of(reduced(experiment));
            EXPECT_EQ(small.problem.name, whole.problem.name);
            EXPECT_EQ(small.learning.method, whole.learning.method);
            EXPECT_LE(small.dataset.n_training_samples, 120u);
            EXPECT_LE(small.learning.neurons, 16u);
            for (const std::string &test : experiment.tests)
              EXPECT_NO_THROW(
                read_configuration(experiment.configuration,
                                   joined(experiment.data, {test})));
          }
    }
}


TEST(Experiments, AreChosenByName)
{
  EXPECT_EQ(tables_named({}).size(), all_tables().size());
  const auto two = tables_named({"noise", "table-4"});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name, "table-4"); // the paper's order
  const auto message = error_of([]() { tables_named({"table-9"}); });
  EXPECT_NE(message.find("table-9"), std::string::npos);
  EXPECT_NE(message.find("table-4"), std::string::npos);
}


namespace
{
  Measurement
  measured(const double eps_u, const double eps_G, const std::size_t neurons)
  {
    Measurement m;
    m.eps_u            = eps_u;
    m.eps_G            = eps_G;
    m.neurons          = neurons;
    m.seconds_learning = 12.4;
    return m;
  }


  /** A table of one line, with a curve that falls as n^-1.5. */
  TableResult
  small_table(const double relu_eps_u)
  {
    Line line;
    line.label                     = "Poisson, \"disk\"";
    line.paper                     = {1e-3, 2e-2, "GL 1.00e-1"};
    line.reason                    = "it has few neurons";
    line.experiments[Column::relu] = {Kind::learn, "disk_poisson", {}, {}, {}};
    line.experiments[Column::best] = line.experiments[Column::relu];
    line.experiments[Column::least_squares] = {
      Kind::least_squares, "disk_poisson", {}, {}, {}};
    LineResult result{line, {}};
    result.measured[Column::relu] = measured(relu_eps_u, 1e-2, 320);
    Measurement &relu             = result.measured[Column::relu];
    relu.theoretical_slope        = -1.25;
    for (const int n : {8, 16, 32, 64, 256, 320})
      {
        relu.history_neurons.push_back(n);
        // Outside of the range of the fit the curve is another.
        const bool inside = n >= slope_from && n <= slope_to;
        relu.history_eps_u.push_back(inside ? 7 * std::pow(n, -1.5) : 1e-9);
        relu.history_eps_G.push_back(inside ? 3 * std::pow(n, -0.5) : 1e-9);
      }
    result.measured[Column::least_squares] =
      measured(2e-15, Measurement::unknown, 0);
    return {{"table-x", "A title", "Table X", Layout::errors, "", {line}},
            {result}};
  }
} // namespace


TEST(Results, AreRightInMarkdown)
{
  RunFacts facts;
  facts.command      = "evergreen reproduce";
  const auto content = to_markdown({small_table(2.345e-4)}, facts);
  EXPECT_NE(content.find("| case | paper eps_u | ReLU eps_u | least squares "
                         "eps_u | paper eps_G | ReLU eps_G | neurons | seconds "
                         "| others in the paper, eps_u |\n"),
            std::string::npos)
    << content;
  EXPECT_NE(content.find("| Poisson, \"disk\" | 1.00e-03 | 2.35e-04 | 2.00e-15 "
                         "| 2.00e-02 | 1.00e-02 | 320 | 12 | GL 1.00e-1 |\n"),
            std::string::npos)
    << content;
  // One of three experiments, the best, is missing.
  EXPECT_NE(content.find("1 of 3 are not done"), std::string::npos);
  EXPECT_NE(content.find("| Poisson, \"disk\" | ReLU | -1.50 | -0.50 | -1.25 "
                         "|\n"),
            std::string::npos)
    << content;
  EXPECT_EQ(content.find("quick run"), std::string::npos);
  facts.quick = true;
  EXPECT_NE(to_markdown({small_table(1)}, facts).find("quick run"),
            std::string::npos);
}


TEST(Results, SayWhereTheyAreAboveThePaper)
{
  EXPECT_EQ(remark_of(small_table(0.9e-3).lines[0]), "");
  EXPECT_EQ(remark_of(small_table(1.1e-3).lines[0]),
            "ReLU: eps_u above the paper's (it has few neurons)");
  auto table                                  = small_table(1.1e-3);
  table.lines[0].measured[Column::relu].eps_G = 0.1;
  EXPECT_EQ(remark_of(table.lines[0]),
            "ReLU: eps_u and eps_G above the paper's (it has few neurons)");
  table.lines[0].line.paper = {};
  EXPECT_EQ(remark_of(table.lines[0]), "");
}


TEST(Results, AgreeInJsonAndCsv)
{
  const auto table = small_table(1. / 3.);
  const auto all   = nlohmann::json::parse(to_json({table}, RunFacts()));
  const auto line  = all.at("tables").at(0).at("lines").at(0);
  const auto relu  = line.at("settings").at("ReLU");
  EXPECT_EQ(relu.at("eps_u").get<double>(), 1. / 3.);
  EXPECT_EQ(relu.at("neurons"), 320);
  EXPECT_NEAR(relu.at("slope_eps_u").get<double>(), -1.5, 1e-12);
  EXPECT_TRUE(line.at("settings").at("least squares").at("eps_G").is_null());
  EXPECT_EQ(line.at("paper").at("eps_u").get<double>(), 1e-3);
  EXPECT_FALSE(line.at("settings").contains("best"));

  const auto csv = to_csv({table});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find("\"table-x\",\"Poisson, \"\"disk\"\"\",\"ReLU\",\"\","
                     "0.33333333333333331,0.01"),
            std::string::npos)
    << csv;
}
