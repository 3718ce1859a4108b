// The curves of each table: errors by neurons, as the paper draws its training
// dynamics, or by samples.

#include "documents.h"

#include <evergreen/base/error.h>
#include <evergreen/report/figure.h>

#include <cmath>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      constexpr int n_colours = 8;

      std::string
      axis_label(const bool of_kernel)
      {
        return of_kernel ? "relative error of kernels, eps_G"
                         : "relative error of solutions, eps_u";
      }


      /** The label of a line without the name of its group. */
      std::string
      short_label(const Line &line)
      {
        std::string       label = line.label;
        const std::string group = ", " + line.group;
        const auto        place = label.rfind(group);
        if (!line.group.empty() && place != std::string::npos)
          label.erase(place, group.size());
        return label;
      }


      /** The theoretical slope, above the second half of a curve. */
      Series
      reference_line(const std::vector<double> &n,
                     const std::vector<double> &error,
                     const double               slope)
      {
        Series line{text("slope ", slope), {}, {}, LineStyle::reference};
        const std::size_t middle = n.size() / 2;
        for (const double x : {n[middle], n.back()})
          {
            line.x.push_back(x);
            line.y.push_back(2 * error[middle] *
                             std::pow(x / n[middle], slope));
          }
        return line;
      }


      std::vector<std::string>
      groups_of(const TableResult &result)
      {
        std::vector<std::string> groups;
        for (const LineResult &line : result.lines)
          if (groups.empty() || groups.back() != line.line.group)
            groups.push_back(line.line.group);
        return groups;
      }


      CurvePanel
      neurons_panel(const TableResult &result,
                    const std::string &group,
                    const bool         of_kernel)
      {
        CurvePanel panel;
        panel.title   = group;
        panel.x_label = "neurons";
        panel.y_label = axis_label(of_kernel);
        panel.log_x = panel.log_y = true;
        std::map<double, Series> references;
        int                      n_lines = 0;
        for (const LineResult &line : result.lines)
          if (line.line.group == group)
            {
              for (const auto &[column, m] : line.measured)
                {
                  const auto &error =
                    of_kernel ? m.history_eps_G : m.history_eps_u;
                  if (error.size() < 2 || !std::isfinite(error.back()))
                    continue;
                  Series series{short_label(line.line) + ", " +
                                  column_name(column),
                                {m.history_neurons.begin(),
                                 m.history_neurons.end()},
                                error};
                  series.style  = column == Column::relu ? LineStyle::markers
                                                         : LineStyle::dashed;
                  series.colour = n_lines % n_colours;
                  if (column == Column::relu)
                    references.emplace(m.theoretical_slope,
                                       reference_line(series.x,
                                                      error,
                                                      m.theoretical_slope));
                  panel.series.push_back(series);
                }
              ++n_lines;
            }
        for (const auto &[slope, line] : references)
          panel.series.push_back(line);
        return panel;
      }


      CurvePanel
      samples_panel(const TableResult &result,
                    const std::string &group,
                    const bool         of_kernel)
      {
        CurvePanel panel;
        panel.title   = group;
        panel.x_label = "training samples N";
        panel.y_label = axis_label(of_kernel);
        panel.log_x = panel.log_y = true;
        for (const Column column :
             {Column::relu, Column::best, Column::least_squares})
          {
            Series series{column_name(column), {}, {}};
            for (const LineResult &line : result.lines)
              if (const auto *const m = line.find(column);
                  m != nullptr && line.line.group == group)
                {
                  series.x.push_back(static_cast<double>(m->n_training));
                  series.y.push_back(of_kernel ? m->eps_G : m->eps_u);
                }
            if (!series.y.empty() && std::isfinite(series.y.back()))
              panel.series.push_back(series);
          }
        return panel;
      }


      CurvePanel
      spectrum_panel(const TableResult &result)
      {
        CurvePanel panel;
        panel.title   = "Singular values of F";
        panel.x_label = "number";
        panel.y_label = "singular value";
        panel.log_y   = true;
        for (std::size_t i = 0; i < result.lines.size(); ++i)
          if (const auto *const m =
                result.lines[i].find(Column::singular_values))
            {
              Series series{short_label(result.lines[i].line), {}, {}};
              series.style  = LineStyle::line;
              series.colour = static_cast<int>(i) % n_colours;
              for (std::size_t k = 0; k < m->singular_values.size(); ++k)
                {
                  series.x.push_back(static_cast<double>(k + 1));
                  series.y.push_back(m->singular_values[k]);
                }
              panel.series.push_back(series);
            }
        return panel;
      }
    } // namespace


    void
    write_figures(const std::vector<TableResult> &results,
                  const std::string              &directory)
    {
      remove_figures(directory);
      for (const TableResult &result : results)
        {
          if (result.table.curves == Curves::none)
            continue;
          CurveFigure figure;
          figure.name      = result.table.name;
          figure.title     = result.table.title;
          figure.n_columns = 2;
          const auto draw  = result.table.curves == Curves::by_neurons
                               ? neurons_panel
                               : samples_panel;
          std::vector<CurvePanel> panels;
          for (const std::string &group : groups_of(result))
            for (const bool of_kernel : {false, true})
              panels.push_back(draw(result, group, of_kernel));
          panels.push_back(spectrum_panel(result));
          for (CurvePanel &panel : panels)
            if (!panel.series.empty())
              {
                // A long legend would hide the curves.
                panel.legend_below = panel.series.size() > 5;
                figure.panels.push_back(std::move(panel));
              }
          if (!figure.panels.empty())
            write_figure(directory, figure);
        }
    }
  } // namespace Reproduce
} // namespace Evergreen
