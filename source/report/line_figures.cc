// The figures of fields on an interval: curves, and the kernel as an image.

#include "run_figures.h"

#include <evergreen/base/error.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    /** Nodes by their coordinate: files may have them in any order. */
    std::vector<std::size_t>
    sorted_nodes(const MeshData &mesh)
    {
      std::vector<std::size_t> nodes(mesh.n_nodes());
      for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i] = i;
      std::sort(nodes.begin(), nodes.end(), [&](const auto a, const auto b) {
        return mesh.points[a] < mesh.points[b];
      });
      return nodes;
    }


    std::vector<double>
    picked(const std::vector<double>      &values,
           const std::vector<std::size_t> &nodes)
    {
      std::vector<double> result;
      for (const auto node : nodes)
        result.push_back(values[node]);
      return result;
    }


    /** Draws fields as curves over sorted nodes. */
    struct Curves
    {
      const MeshData          &mesh;
      std::vector<std::size_t> nodes;

      Series
      operator()(const std::string         &label,
                 const std::vector<double> &values,
                 const LineStyle            style,
                 const int                  colour) const
      {
        Series series;
        series.label  = label;
        series.x      = picked(mesh.points, nodes);
        series.y      = picked(values, nodes);
        series.style  = style;
        series.colour = colour;
        return series;
      }
    };


    CurvePanel
    panel(const std::string         &title,
          const std::string         &x_label,
          const bool                 log_y,
          const std::vector<Series> &series)
    {
      CurvePanel result;
      result.title   = title;
      result.x_label = x_label;
      result.log_y   = log_y;
      result.series  = series;
      return result;
    }


    CurveFigure
    solution_figure(const Curves       &curve,
                    const SampleFields &sample,
                    const std::string  &title)
    {
      CurveFigure figure;
      figure.name  = "solution";
      figure.title = sample_title(title, sample);
      figure.panels.push_back(
        panel("forcing $f$",
              "$x$",
              false,
              {curve("", sample.forcing, LineStyle::line, 6)}));
      std::vector<Series> solutions = {
        curve("finite elements", sample.solution, LineStyle::line, 0)};
      if (!sample.learned.empty())
        solutions.push_back(
          curve("learned kernel", sample.learned, LineStyle::dashed, 1));
      figure.panels.push_back(panel("solution $u$", "$x$", false, solutions));
      if (!sample.learned.empty())
        figure.panels.push_back(
          panel("absolute error, $" + short_number(sample.error) + "$ in $L_2$",
                "$x$",
                true,
                {curve("",
                       absolute_difference(sample.solution, sample.learned),
                       LineStyle::line,
                       3)}));
      return figure;
    }


    CurveFigure
    slice_figure(const Curves      &curve,
                 const RunFields   &fields,
                 const std::string &title)
    {
      CurvePanel slices   = panel("learned $G(x_s, y)$", "$y$", false, {});
      CurvePanel errors   = panel("absolute error", "$y$", true, {});
      slices.legend_below = errors.legend_below = true;
      std::vector<Series> references;
      for (std::size_t i = 0; i < fields.shown.size(); ++i)
        {
          const SliceFields &slice  = fields.slices[fields.shown[i]];
          const int          colour = static_cast<int>(i);
          const std::string  label =
            "$x_s=$" + point_text(curve.mesh, slice.node);
          slices.series.push_back(
            curve(label, slice.learned, LineStyle::line, colour));
          slices.marks.push_back(curve.mesh.points[slice.node]);
          if (slice.reference.empty())
            continue;
          references.push_back(curve(i == 0 ? fields.reference : "",
                                     slice.reference,
                                     LineStyle::reference,
                                     -1));
          errors.series.push_back(
            curve(label,
                  absolute_difference(slice.learned, slice.reference),
                  LineStyle::line,
                  colour));
          errors.marks.push_back(curve.mesh.points[slice.node]);
        }
      slices.series.insert(slices.series.end(),
                           references.begin(),
                           references.end());
      CurveFigure figure;
      figure.name   = "kernel_slices";
      figure.title  = title + ": slices of the kernel";
      figure.panels = {slices};
      if (!errors.series.empty())
        figure.panels.push_back(errors);
      return figure;
    }


    /** All computed slices side by side. */
    ImageFigure
    kernel_figure(const Curves      &curve,
                  const RunFields   &fields,
                  const std::string &title)
    {
      std::vector<const SliceFields *> columns;
      for (const SliceFields &slice : fields.slices)
        columns.push_back(&slice);
      std::sort(columns.begin(),
                columns.end(),
                [&](const auto a, const auto b) {
                  return curve.mesh.points[a->node] <
                         curve.mesh.points[b->node];
                });
      ImageFigure figure;
      figure.name    = "kernel";
      figure.title   = title + ": the kernel";
      figure.x_label = "$x$";
      figure.y_label = "$y$";
      for (const auto *const column : columns)
        figure.x.push_back(curve.mesh.points[column->node]);

      // As many rows as columns, about.
      std::vector<std::size_t> rows;
      const std::size_t        step =
        std::max<std::size_t>(1, curve.nodes.size() / columns.size());
      for (std::size_t i = 0; i < curve.nodes.size(); i += step)
        rows.push_back(curve.nodes[i]);
      figure.y = picked(curve.mesh.points, rows);

      ImagePanel learned, reference, error;
      learned.title   = "learned $G(x,y)$";
      reference.title = fields.reference;
      error.title     = "absolute error";
      for (const auto row : rows)
        for (const auto *const column : columns)
          {
            learned.values.push_back(column->learned[row]);
            if (fields.reference.empty())
              continue;
            reference.values.push_back(column->reference[row]);
            error.values.push_back(
              std::abs(column->learned[row] - column->reference[row]));
          }
      const auto [low, high] =
        std::minmax_element(learned.values.begin(), learned.values.end());
      learned.colours.scale =
        *low < -0.05 * *high ? ColourScale::diverging : ColourScale::sequential;
      learned.colours.range_group = 0;
      reference.colours           = learned.colours;
      error.colours.scale         = ColourScale::logarithmic;
      figure.panels               = {learned};
      if (!reference.values.empty())
        {
          figure.panels.push_back(reference);
          figure.panels.push_back(error);
        }
      return figure;
    }
  } // namespace


  void
  write_line_figures(const std::string &directory,
                     const MeshData    &mesh,
                     const RunFields   &fields,
                     const std::string &title)
  {
    const Curves curve = {mesh, sorted_nodes(mesh)};
    write_figure(directory, slice_figure(curve, fields, title));
    if (fields.is_complete)
      write_figure(directory, kernel_figure(curve, fields, title));
    if (!fields.sample.forcing.empty())
      write_figure(directory, solution_figure(curve, fields.sample, title));
  }
} // namespace Evergreen
