// The training dynamics of each table as curves.

#include "results.h"

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

      std::vector<double>
      as_doubles(const std::vector<std::int64_t> &values)
      {
        return std::vector<double>(values.begin(), values.end());
      }


      /** The theoretical slope, through the middle of a curve. */
      Series
      reference_line(const std::vector<double> &n,
                     const std::vector<double> &error,
                     const double               slope)
      {
        Series       line{text("n^", slope), {}, {}, LineStyle::reference};
        const double middle = n[n.size() / 2];
        for (const double x : {n.front(), n.back()})
          {
            line.x.push_back(x);
            line.y.push_back(2 * error[n.size() / 2] *
                             std::pow(x / middle, slope));
          }
        return line;
      }


      CurvePanel
      error_panel(const TableResult &result, const bool of_kernel)
      {
        CurvePanel panel;
        panel.title   = of_kernel ? "Kernels" : "Solutions";
        panel.x_label = "neurons n";
        panel.y_label = of_kernel ? "eps_G" : "eps_u";
        panel.log_x = panel.log_y = true;
        std::map<double, Series> references;
        for (std::size_t i = 0; i < result.lines.size(); ++i)
          for (const auto &[column, m] : result.lines[i].measured)
            {
              const auto &error = of_kernel ? m.history_eps_G : m.history_eps_u;
              if (m.history_neurons.size() < 2 || !std::isfinite(error.back()))
                continue;
              Series series{result.lines[i].line.label + ", " +
                              column_name(column),
                            as_doubles(m.history_neurons),
                            error};
              series.style =
                column == Column::relu ? LineStyle::markers : LineStyle::dashed;
              series.colour = static_cast<int>(i) % n_colours;
              if (column == Column::relu)
                references.emplace(m.theoretical_slope,
                                   reference_line(series.x,
                                                  error,
                                                  m.theoretical_slope));
              panel.series.push_back(series);
            }
        for (const auto &[slope, line] : references)
          panel.series.push_back(line);
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
              Series series{result.lines[i].line.label, {}, {}};
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
          CurveFigure figure;
          figure.name  = result.table.name;
          figure.title = result.table.title;
          for (CurvePanel &panel :
               std::vector<CurvePanel>{error_panel(result, false),
                                       error_panel(result, true),
                                       spectrum_panel(result)})
            if (!panel.series.empty())
              figure.panels.push_back(std::move(panel));
          if (!figure.panels.empty())
            write_figure(directory, figure);
        }
    }
  } // namespace Reproduce
} // namespace Evergreen
