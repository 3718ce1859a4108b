#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/report/figure.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace Evergreen
{
  // Keys in the order in which they are written: figures are read by people.
  using Json = nlohmann::ordered_json;

  namespace
  {
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
          list.push_back(std::strtod(digits, nullptr));
        }
      return list;
    }
  } // namespace


  // How the library of JSON writes what figures consist of.

  NLOHMANN_JSON_SERIALIZE_ENUM(LineStyle,
                               {{LineStyle::markers, "markers"},
                                {LineStyle::line, "line"},
                                {LineStyle::dashed, "dashed"},
                                {LineStyle::dotted, "dotted"},
                                {LineStyle::points, "points"},
                                {LineStyle::reference, "reference"}})
  NLOHMANN_JSON_SERIALIZE_ENUM(ColourScale,
                               {{ColourScale::sequential, "sequential"},
                                {ColourScale::diverging, "diverging"},
                                {ColourScale::magnitude, "magnitude"},
                                {ColourScale::logarithmic, "logarithmic"}})

  static void
  to_json(Json &json, const Series &series)
  {
    json = {{"label", series.label},
            {"style", series.style},
            {"colour", series.colour},
            {"x", shortened(series.x)},
            {"y", shortened(series.y)}};
  }


  static void
  to_json(Json &json, const CurvePanel &panel)
  {
    json = {{"title", panel.title},
            {"x_label", panel.x_label},
            {"y_label", panel.y_label},
            {"log_x", panel.log_x},
            {"log_y", panel.log_y},
            {"legend_below", panel.legend_below},
            {"marks", shortened(panel.marks)},
            {"series", panel.series}};
  }


  static void
  to_json(Json &json, const ColourBar &colours)
  {
    json = {{"label", colours.label},
            {"scale", colours.scale},
            {"range_group", colours.range_group}};
  }


  static void
  to_json(Json &json, const FieldPanel &panel)
  {
    json = {{"title", panel.title},
            {"colours", panel.colours},
            {"markers", panel.markers},
            {"values", shortened(panel.values)}};
  }


  static void
  to_json(Json &json, const ImagePanel &panel)
  {
    json = {{"title", panel.title},
            {"colours", panel.colours},
            {"values", shortened(panel.values)}};
  }


  namespace
  {
    /** What all figures have. */
    template <typename Figure>
    Json
    frame(const Figure &figure, const std::string &kind)
    {
      return {{"format", "evergreen-figure"},
              {"version", 1},
              {"kind", kind},
              {"name", figure.name},
              {"title", figure.title},
              {"n_columns", figure.n_columns},
              {"panels", figure.panels}};
    }


    /** Throws an Error unless there is a value for each point of a panel. */
    void
    check_size(const std::string         &panel,
               const std::string         &figure,
               const std::vector<double> &values,
               const std::size_t          n_points)
    {
      if (values.size() != n_points)
        throw Error("'",
                    panel,
                    "' in the figure '",
                    figure,
                    "' has ",
                    values.size(),
                    " values for ",
                    n_points,
                    " points.");
    }


    void
    write(const std::string &directory,
          const std::string &name,
          const Json        &figure)
    {
      if (name.empty() || name.find('/') != std::string::npos)
        throw Error("'", name, "' cannot be the name of a figure's file.");
      make_directory(directory);
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
        check_size(series.label, figure.name, series.y, series.x.size());
    write(directory, figure.name, frame(figure, "curves"));
  }


  void
  write_figure(const std::string &directory, const FieldFigure &figure)
  {
    for (const FieldPanel &panel : figure.panels)
      if (!panel.values.empty())
        check_size(panel.title,
                   figure.name,
                   panel.values,
                   figure.mesh.n_points());
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
      check_size(panel.title,
                 figure.name,
                 panel.values,
                 figure.x.size() * figure.y.size());
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
