#include <evergreen/base/error.h>
#include <evergreen/report/figure.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace Evergreen
{
  namespace
  {
    // Keys in the order in which they are written: figures are read by people.
    using Json = nlohmann::ordered_json;

    constexpr const char *ending = ".figure.json";

    /** Values with the digits that a picture can show; null if not finite. */
    Json
    shortened(const std::vector<double> &values)
    {
      Json list = Json::array();
      for (const double value : values)
        {
          char digits[32];
          std::snprintf(digits, sizeof(digits), "%.6g", value);
          if (std::isfinite(value))
            list.push_back(std::stod(digits));
          else
            list.push_back(nullptr);
        }
      return list;
    }


    const char *
    name_of(const LineStyle style)
    {
      switch (style)
        {
          case LineStyle::markers:
            return "markers";
          case LineStyle::line:
            return "line";
          case LineStyle::dashed:
            return "dashed";
          case LineStyle::dotted:
            return "dotted";
          case LineStyle::points:
            return "points";
          default:
            return "reference";
        }
    }


    const char *
    name_of(const ColourScale scale)
    {
      switch (scale)
        {
          case ColourScale::sequential:
            return "sequential";
          case ColourScale::diverging:
            return "diverging";
          case ColourScale::magnitude:
            return "magnitude";
          default:
            return "logarithmic";
        }
    }


    Json
    description(const Series &series)
    {
      return {{"label", series.label},
              {"style", name_of(series.style)},
              {"colour", series.colour},
              {"x", shortened(series.x)},
              {"y", shortened(series.y)}};
    }


    Json
    description(const CurvePanel &panel)
    {
      Json series = Json::array();
      for (const Series &one : panel.series)
        series.push_back(description(one));
      return {{"title", panel.title},
              {"x_label", panel.x_label},
              {"y_label", panel.y_label},
              {"log_x", panel.log_x},
              {"log_y", panel.log_y},
              {"legend_below", panel.legend_below},
              {"marks", shortened(panel.marks)},
              {"series", series}};
    }


    Json
    description(const ColourBar &colours)
    {
      return {{"label", colours.label},
              {"scale", name_of(colours.scale)},
              {"range_group", colours.range_group}};
    }


    Json
    description(const FieldPanel &panel)
    {
      return {{"title", panel.title},
              {"colours", description(panel.colours)},
              {"markers", panel.markers},
              {"values", shortened(panel.values)}};
    }


    Json
    description(const ImagePanel &panel)
    {
      return {{"title", panel.title},
              {"colours", description(panel.colours)},
              {"values", shortened(panel.values)}};
    }


    /** What all figures have. */
    template <typename Figure>
    Json
    frame(const Figure &figure, const std::string &kind)
    {
      Json panels = Json::array();
      for (const auto &panel : figure.panels)
        panels.push_back(description(panel));
      return {{"format", "evergreen-figure"},
              {"version", 1},
              {"kind", kind},
              {"name", figure.name},
              {"title", figure.title},
              {"n_columns", figure.n_columns},
              {"panels", panels}};
    }


    void
    write(const std::string &directory,
          const std::string &name,
          const Json        &figure)
    {
      if (name.empty() || name.find('/') != std::string::npos)
        throw Error("'", name, "' cannot be the name of a figure's file.");
      std::error_code error;
      std::filesystem::create_directories(directory, error);
      const auto    path = std::filesystem::path(directory) / (name + ending);
      std::ofstream file(path);
      file << figure.dump(-1, ' ', false, Json::error_handler_t::replace)
           << '\n';
      if (!file.flush())
        throw Error("Cannot write the figure '",
                    path.string(),
                    "': ",
                    std::strerror(errno),
                    ".");
    }
  } // namespace


  void
  write_figure(const std::string &directory, const CurveFigure &figure)
  {
    for (const CurvePanel &panel : figure.panels)
      for (const Series &series : panel.series)
        if (series.x.size() != series.y.size())
          throw Error("The curve '",
                      series.label,
                      "' of the figure '",
                      figure.name,
                      "' has ",
                      series.x.size(),
                      " x and ",
                      series.y.size(),
                      " y.");
    write(directory, figure.name, frame(figure, "curves"));
  }


  void
  write_figure(const std::string &directory, const FieldFigure &figure)
  {
    for (const FieldPanel &panel : figure.panels)
      if (!panel.values.empty() &&
          panel.values.size() != figure.mesh.n_points())
        throw Error("The field '",
                    panel.title,
                    "' of the figure '",
                    figure.name,
                    "' has ",
                    panel.values.size(),
                    " values on ",
                    figure.mesh.n_points(),
                    " points.");
    Json result          = frame(figure, "fields");
    result["show_edges"] = figure.show_edges;
    result["mesh"] = {{"vertices_per_cell", figure.mesh.vertices_per_cell},
                      {"labels", figure.mesh.labels},
                      {"points", shortened(figure.mesh.points)},
                      {"cells", figure.mesh.cells}};
    write(directory, figure.name, result);
  }


  void
  write_figure(const std::string &directory, const ImageFigure &figure)
  {
    for (const ImagePanel &panel : figure.panels)
      if (panel.values.size() != figure.x.size() * figure.y.size())
        throw Error("The image '",
                    panel.title,
                    "' of the figure '",
                    figure.name,
                    "' has ",
                    panel.values.size(),
                    " values on a grid of ",
                    figure.x.size(),
                    " x ",
                    figure.y.size(),
                    ".");
    Json result       = frame(figure, "images");
    result["x_label"] = figure.x_label;
    result["y_label"] = figure.y_label;
    result["x"]       = shortened(figure.x);
    result["y"]       = shortened(figure.y);
    write(directory, figure.name, result);
  }


  std::vector<std::string>
  figure_names(const std::string &directory)
  {
    std::vector<std::string> names;
    std::error_code          error;
    for (const auto &entry :
         std::filesystem::directory_iterator(directory, error))
      {
        const std::string file = entry.path().filename().string();
        const std::size_t n    = std::strlen(ending);
        if (file.size() > n && file.substr(file.size() - n) == ending)
          names.push_back(file.substr(0, file.size() - n));
      }
    std::sort(names.begin(), names.end());
    return names;
  }


  void
  remove_figures(const std::string &directory)
  {
    for (const std::string &name : figure_names(directory))
      for (const char *const end : {ending, ".png", ".svg"})
        {
          std::error_code error;
          std::filesystem::remove(std::filesystem::path(directory) /
                                    (name + end),
                                  error);
        }
  }
} // namespace Evergreen
