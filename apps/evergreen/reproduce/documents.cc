// Results as JSON and CSV.

#include "documents.h"

#include <evergreen/base/error.h>
#include <evergreen/report/slope.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      // Numbers that are not finite become null.
      using nlohmann::json;

      json
      json_of(const Experiment &experiment, const Measurement &measured)
      {
        json result;
        result["configuration"] = experiment.configuration;
        result["overrides"]     = experiment.data;
        for (const std::string &override : experiment.learning)
          result["overrides"].push_back(override);
        result["eps_u"]              = measured.eps_u;
        result["eps_G"]              = measured.eps_G;
        result["neurons"]            = measured.neurons;
        result["rank"]               = measured.rank;
        result["training_samples"]   = measured.n_training;
        result["validation_samples"] = measured.n_validation;
        result["test_samples"]       = measured.n_test;
        result["atoms"]              = measured.atoms;
        result["seconds"]            = measured.seconds();
        result["seconds_learning"]   = measured.seconds_learning;
        result["seconds_processor"]  = measured.seconds_processor;
        result["was_resumed"]        = measured.was_resumed;
        result["date"]               = measured.date;
        result["commit"]             = measured.commit;
        result["history"]            = {{"neurons", measured.history_neurons},
                                        {"eps_u", measured.history_eps_u},
                                        {"eps_G", measured.history_eps_G}};
        const auto slopes            = fitted_slopes(measured);
        result["slope_eps_u"]        = slopes.first;
        result["slope_eps_G"]        = slopes.second;
        result["theoretical_slope"]  = measured.theoretical_slope;
        result["tests"]              = json::array();
        for (std::size_t i = 0; i < measured.other_eps_u.size(); ++i)
          result["tests"].push_back({{"test", experiment.tests.at(i)},
                                     {"eps_u", measured.other_eps_u[i]}});
        if (!measured.singular_values.empty())
          result["singular_values"] = measured.singular_values;
        return result;
      }


      /** A field of a CSV file. */
      std::string
      quoted(const std::string &field)
      {
        std::string result = "\"";
        for (const char c : field)
          result += c == '"' ? std::string("\"\"") : std::string(1, c);
        return result + "\"";
      }


      /** A number for a CSV file: all digits, or nothing. */
      std::string
      csv_number(const double value)
      {
        if (!std::isfinite(value))
          return "";
        char digits[32];
        std::snprintf(digits, sizeof(digits), "%.17g", value);
        return digits;
      }


      std::string
      csv_line(const TableResult &table,
               const LineResult  &line,
               const Column       column,
               const std::string &test,
               const double       eps_u)
      {
        const Measurement &m     = line.measured.at(column);
        const auto        &paper = line.line.paper;
        return text(quoted(table.table.name),
                    ",",
                    quoted(line.line.label),
                    ",",
                    quoted(column_name(column)),
                    ",",
                    quoted(test),
                    ",",
                    csv_number(eps_u),
                    ",",
                    test.empty() ? csv_number(m.eps_G) : "",
                    ",",
                    m.neurons,
                    ",",
                    m.n_training,
                    ",",
                    csv_number(m.seconds()),
                    ",",
                    test.empty() ? csv_number(paper.eps_u) : "",
                    ",",
                    test.empty() ? csv_number(paper.eps_G) : "",
                    ",",
                    quoted(m.atoms),
                    "\n");
      }
    } // namespace


    const Measurement *
    LineResult::find(const Column column) const
    {
      const auto found = measured.find(column);
      return found == measured.end() ? nullptr : &found->second;
    }


    std::pair<std::size_t, std::size_t>
    TableResult::progress() const
    {
      std::size_t n = 0, n_done = 0;
      for (const LineResult &line : lines)
        {
          n += line.line.experiments.size();
          n_done += line.measured.size();
        }
      return {n, n_done};
    }


    std::string
    error_text(const double value)
    {
      if (!std::isfinite(value))
        return "-";
      char digits[32];
      std::snprintf(digits, sizeof(digits), "%.2e", value);
      return digits;
    }


    std::string
    remark_of(const LineResult &result)
    {
      const Measurement *const relu  = result.find(Column::relu);
      const PaperFigures      &paper = result.line.paper;
      if (relu == nullptr)
        return "";
      std::string above;
      if (relu->eps_u > paper.eps_u)
        above = "eps_u";
      if (relu->eps_G > paper.eps_G)
        above += above.empty() ? "eps_G" : " and eps_G";
      if (above.empty())
        return "";
      above = "ReLU: " + above + " above the paper's";
      return result.line.reason.empty()
               ? above
               : above + " (" + result.line.reason + ")";
    }


    std::pair<double, double>
    fitted_slopes(const Measurement &measurement)
    {
      const std::vector<double> n(measurement.history_neurons.begin(),
                                  measurement.history_neurons.end());
      return {fitted_slope(n, measurement.history_eps_u, slope_from, slope_to),
              fitted_slope(n, measurement.history_eps_G, slope_from, slope_to)};
    }


    std::string
    to_json(const std::vector<TableResult> &results, const RunFacts &facts)
    {
      json all;
      all["format"]             = "evergreen-results";
      all["version"]            = 1;
      all["quick"]              = facts.quick;
      all["command"]            = facts.command;
      all["date"]               = facts.date;
      all["seconds_data"]       = facts.seconds_data;
      all["seconds_learning"]   = facts.seconds_learning;
      all["seconds_evaluation"] = facts.seconds_evaluation;
      all["seconds_processor"]  = facts.seconds_processor;
      all["seconds_call"]       = facts.seconds_call;
      all["seconds_stolen"]     = facts.seconds_stolen;
      all["computed_by_call"]   = facts.n_computed;
      all["peak_memory_GiB"]    = facts.peak_memory;
      all["peak_data_GiB"]      = facts.peak_data_size;
      all["machine"]            = json::object();
      for (const auto &[name, value] : facts.machine)
        all["machine"][name] = value;
      all["tables"] = json::array();
      for (const TableResult &table : results)
        {
          json entry;
          entry["name"]   = table.table.name;
          entry["title"]  = table.table.title;
          entry["source"] = table.table.source;
          entry["lines"]  = json::array();
          for (const LineResult &line : table.lines)
            {
              json item;
              item["case"]     = line.line.label;
              item["paper"]    = {{"eps_u", line.line.paper.eps_u},
                                  {"eps_G", line.line.paper.eps_G},
                                  {"other_methods",
                                   line.line.paper.other_methods}};
              item["remark"]   = remark_of(line);
              item["settings"] = json::object();
              for (const auto &[column, measured] : line.measured)
                item["settings"][column_name(column)] =
                  json_of(line.line.experiments.at(column), measured);
              entry["lines"].push_back(item);
            }
          all["tables"].push_back(entry);
        }
      return all.dump(1) + "\n";
    }


    std::string
    to_csv(const std::vector<TableResult> &results)
    {
      std::string content =
        "table,case,setting,test,eps_u,eps_G,neurons,training_samples,seconds,"
        "paper_eps_u,paper_eps_G,atoms\n";
      for (const TableResult &table : results)
        for (const LineResult &line : table.lines)
          for (const auto &[column, measured] : line.measured)
            {
              content += csv_line(table, line, column, "", measured.eps_u);
              if (table.table.layout == Layout::other_tests)
                for (std::size_t i = 0; i < measured.other_eps_u.size(); ++i)
                  content +=
                    csv_line(table,
                             line,
                             column,
                             line.line.experiments.at(column).tests.at(i),
                             measured.other_eps_u[i]);
            }
      return content;
    }
  } // namespace Reproduce
} // namespace Evergreen
