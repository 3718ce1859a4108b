// Results as a document that people read.

#include "documents.h"

#include <evergreen/base/error.h>

#include <cmath>
#include <iomanip>
#include <sstream>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      using Cells = std::vector<std::string>;

      /** A Markdown table of texts; columns that are empty are left out. */
      std::string
      markdown_table(const Cells &header, const std::vector<Cells> &lines)
      {
        std::vector<bool> is_used(header.size(), false);
        for (const Cells &line : lines)
          for (std::size_t i = 0; i < header.size(); ++i)
            is_used[i] = is_used[i] || !(line[i].empty() || line[i] == "-");
        std::string result;
        const auto  add = [&](const Cells &cells) {
          for (std::size_t i = 0; i < header.size(); ++i)
            if (is_used[i])
              result += "| " + cells[i] + " ";
          result += "|\n";
        };
        add(header);
        add(Cells(header.size(), "---"));
        for (const Cells &line : lines)
          add(line);
        return result;
      }


      std::string
      seconds_text(const Measurement *const measured)
      {
        if (measured == nullptr)
          return "-";
        std::ostringstream out;
        const double       seconds = measured->seconds();
        out << std::fixed << std::setprecision(seconds < 10 ? 1 : 0) << seconds;
        return out.str() + (measured->was_resumed ? "*" : "");
      }


      /** "a / b", or the one that there is. */
      std::string
      pair_text(const std::string &a, const std::string &b)
      {
        return b == "-" ? a : a + " / " + b;
      }


      std::string
      neurons_text(const Measurement *const measured)
      {
        return measured == nullptr ? "-" : std::to_string(measured->neurons);
      }


      double
      eps_u(const Measurement *const measured)
      {
        return measured == nullptr ? Measurement::unknown : measured->eps_u;
      }


      double
      eps_G(const Measurement *const measured)
      {
        return measured == nullptr ? Measurement::unknown : measured->eps_G;
      }


      std::string
      errors_layout(const TableResult &result)
      {
        const Cells        header = {"case",
                                     "paper eps_u",
                                     "ReLU eps_u",
                                     "best eps_u",
                                     "least squares eps_u",
                                     "paper eps_G",
                                     "ReLU eps_G",
                                     "best eps_G",
                                     "neurons",
                                     "seconds",
                                     "others in the paper, eps_u",
                                     "remark"};
        std::vector<Cells> lines;
        for (const LineResult &line : result.lines)
          {
            const auto *const relu  = line.find(Column::relu);
            const auto *const best  = line.find(Column::best);
            const auto *const least = line.find(Column::least_squares);
            lines.push_back({line.line.label,
                             error_text(line.line.paper.eps_u),
                             error_text(eps_u(relu)),
                             error_text(eps_u(best)),
                             error_text(eps_u(least)),
                             error_text(line.line.paper.eps_G),
                             error_text(eps_G(relu)),
                             error_text(eps_G(best)),
                             pair_text(neurons_text(relu), neurons_text(best)),
                             pair_text(seconds_text(relu), seconds_text(best)),
                             line.line.paper.other_methods,
                             remark_of(line)});
          }
        return markdown_table(header, lines);
      }


      /** "Forcing/Wavelength=0.5" as "wavelength 0.5". */
      std::string
      test_name(const std::string &override)
      {
        std::string name = override.substr(override.find('/') + 1);
        for (char &c : name)
          c = c == '=' ? ' ' : static_cast<char>(std::tolower(c));
        return name;
      }


      std::string
      other_tests_layout(const TableResult &result)
      {
        const Line &first  = result.lines.front().line;
        Cells       header = {"case", "setting"};
        const auto &tests  = first.experiments.begin()->second.tests;
        for (const std::string &test : tests)
          header.push_back("eps_u at " + test_name(test));
        header.insert(header.end(), {"eps_G", "neurons", "seconds"});
        std::vector<Cells> lines;
        for (const LineResult &line : result.lines)
          for (const auto &[column, measured] : line.measured)
            {
              Cells cells = {line.line.label, column_name(column)};
              for (std::size_t i = 0; i < tests.size(); ++i)
                cells.push_back(error_text(measured.other_eps_u.at(i)));
              cells.push_back(error_text(measured.eps_G));
              cells.push_back(
                measured.neurons > 0 ? std::to_string(measured.neurons) : "-");
              cells.push_back(seconds_text(&measured));
              lines.push_back(cells);
            }
        return markdown_table(header, lines);
      }


      std::string
      slope_text(const double slope)
      {
        if (!std::isfinite(slope))
          return "-";
        std::ostringstream out;
        out << std::fixed << std::setprecision(2) << slope;
        return out.str();
      }


      /** The fitted slopes of the ReLU atoms' curves. */
      std::string
      slopes(const TableResult &result)
      {
        std::vector<Cells> lines;
        for (const LineResult &line : result.lines)
          for (const auto &[column, measured] : line.measured)
            if (std::isfinite(measured.theoretical_slope))
              {
                const auto fitted = fitted_slopes(measured);
                if (std::isfinite(fitted.first))
                  lines.push_back({line.line.label,
                                   column_name(column),
                                   slope_text(fitted.first),
                                   slope_text(fitted.second),
                                   slope_text(measured.theoretical_slope)});
              }
        if (lines.empty())
          return "";
        return text("\nSlopes of log(error) over log(neurons), fitted to n = ",
                    slope_from,
                    " ... ",
                    slope_to,
                    ":\n\n") +
               markdown_table({"case", "setting", "eps_u", "eps_G", "theory"},
                              lines);
      }


      /** Singular values: how many matter. */
      std::string
      spectra(const TableResult &result)
      {
        std::vector<Cells> lines;
        for (const LineResult &line : result.lines)
          if (const auto *const m = line.find(Column::singular_values))
            {
              const auto &values = m->singular_values;
              const auto  above  = [&](const double share) {
                std::size_t n = 0;
                for (const double value : values)
                  n += value > share * values.front() ? 1 : 0;
                return std::to_string(n);
              };
              lines.push_back({line.line.label,
                               std::to_string(values.size()),
                               error_text(values.front()),
                               above(1e-2),
                               above(1e-6),
                               above(1e-12)});
            }
        if (lines.empty())
          return "";
        return "\nSingular values of F, the forcings at the nodes:\n\n" +
               markdown_table({"case",
                               "number",
                               "largest",
                               "above 1e-2 of it",
                               "above 1e-6",
                               "above 1e-12"},
                              lines);
      }


      std::string
      introduction(const RunFacts &facts)
      {
        std::ostringstream out;
        out << "# Results\n\nWritten by `" << facts.command << "` on "
            << facts.date << "; doc/reproduce.md says what is "
            << "compared. \"ReLU\" is the paper's method, \"best\" is ours; "
            << "neurons and seconds are of both, where both are there "
            << "(data, learning and evaluation).\n\n";
        if (facts.quick)
          out << "**This is a quick run with reduced samples, neurons and "
                 "meshes. Its figures cannot be compared with the paper's.**"
                 "\n\n";
        for (const auto &[name, value] : facts.machine)
          out << "- " << name << ": " << value << "\n";
        out << "- computed by: " << facts.commits << "\n"
            << std::fixed << std::setprecision(0) << "- " << facts.n_rows
            << " experiments took "
            << facts.seconds_data + facts.seconds_learning +
                 facts.seconds_evaluation
            << " s: " << facts.seconds_data << " s for data, "
            << facts.seconds_learning << " s for learning, "
            << facts.seconds_evaluation << " s for measuring errors; "
            << facts.seconds_processor << " s of processor time\n"
            << "- the last call computed " << facts.n_computed
            << " of them and took " << facts.seconds_call << " s in all";
        if (facts.seconds_stolen > 0.01 * facts.seconds_call)
          out << "; meanwhile the host of this virtual machine gave "
              << facts.seconds_stolen
              << " s of the processor time it wanted to others";
        out << std::setprecision(2) << "\n- most memory: " << facts.peak_memory
            << " GiB";
        if (facts.n_computed > 0)
          out << "; most disk space for datasets: " << facts.peak_data_size
              << " GiB";
        out << "\n";
        return out.str();
      }
    } // namespace


    std::string
    to_markdown(const std::vector<TableResult> &results, const RunFacts &facts)
    {
      std::string content = introduction(facts);
      for (const TableResult &result : results)
        {
          const auto [n, n_done] = result.progress();
          content += "\n## " + result.table.title + "\n\n`" +
                     result.table.name + "`: " + result.table.source + ".";
          if (!result.table.remark.empty())
            content += " " + result.table.remark;
          if (n_done < n)
            content += text(" **", n - n_done, " of ", n, " are not done.**");
          content += "\n\n";
          content += result.table.layout == Layout::errors
                       ? errors_layout(result)
                       : other_tests_layout(result);
          if (result.table.layout == Layout::errors)
            content += slopes(result) + spectra(result);
          for (const std::string &picture : facts.pictures)
            if (picture == result.table.name)
              content += "\n![" + result.table.title + "](pictures/" + picture +
                         ".svg)\n";
        }
      for (const TableResult &result : results)
        for (const LineResult &line : result.lines)
          for (const auto &[column, measured] : line.measured)
            if (measured.was_resumed)
              return content +
                     "\n\\* Continued after an interruption: only "
                     "the last part is counted.\n";
      return content;
    }
  } // namespace Reproduce
} // namespace Evergreen
