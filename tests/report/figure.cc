// The descriptions of figures, read by another library's parser, and what
// happens without the program that draws them.

#include "report/json.h"
#include "testing.h"

#include <evergreen/report/figure.h>

#include <cstdlib>
#include <limits>

namespace Evergreen
{
  namespace
  {
    using namespace Testing;

    CurveFigure
    two_curves()
    {
      CurvePanel panel;
      panel.title   = "a \"panel\" with $\\varepsilon_u$";
      panel.x_label = "n";
      panel.y_label = "error";
      panel.log_x   = true;
      panel.marks   = {3};
      panel.series  = {
         {"first", {1, 2, 4}, {0.5, 0.25, 1. / 3}, LineStyle::markers, -1},
         {"second",
          {1, 2},
          {std::numeric_limits<double>::quiet_NaN(), 1e-300},
          LineStyle::reference,
          4}};
      CurveFigure figure;
      figure.name   = "curves";
      figure.title  = "π and ε";
      figure.panels = {panel};
      return figure;
    }


    /** Two triangles with values at four points. */
    FieldFigure
    two_triangles()
    {
      FieldFigure figure;
      figure.name        = "field";
      figure.mesh.points = {0, 0, 1, 0, 1, 1, 0, 1};
      figure.mesh.cells  = {0, 1, 2, 0, 2, 3};
      figure.show_edges  = true;
      FieldPanel panel;
      panel.values              = {0, 1, 2, 3};
      panel.colours.label       = "u";
      panel.colours.scale       = ColourScale::diverging;
      panel.colours.range_group = 1;
      panel.markers             = {{{0.5, 0.25}}};
      figure.panels             = {panel};
      return figure;
    }
  } // namespace


  TEST(Figure, CurvesAsJson)
  {
    const TemporaryDirectory directory;
    write_figure(directory / "new", two_curves());
    const Tree tree = read_json(directory / "new/curves.figure.json");
    EXPECT_EQ(tree.get<std::string>("format"), "evergreen-figure");
    EXPECT_EQ(tree.get<int>("version"), 1);
    EXPECT_EQ(tree.get<std::string>("kind"), "curves");
    EXPECT_EQ(tree.get<std::string>("title"), "π and ε");
    const Tree &panel = tree.get_child("panels").front().second;
    EXPECT_EQ(panel.get<std::string>("title"),
              "a \"panel\" with $\\varepsilon_u$");
    EXPECT_TRUE(panel.get<bool>("log_x"));
    EXPECT_FALSE(panel.get<bool>("log_y"));
    EXPECT_EQ(texts(panel, "marks"), std::vector<std::string>{"3.0"});

    const Tree &first = panel.get_child("series").front().second;
    EXPECT_EQ(first.get<std::string>("style"), "markers");
    EXPECT_EQ(texts(first, "y"),
              (std::vector<std::string>{"0.5", "0.25", "0.333333"}));
    const Tree &second = panel.get_child("series").back().second;
    EXPECT_EQ(second.get<int>("colour"), 4);
    EXPECT_EQ(second.get<std::string>("style"), "reference");
    EXPECT_EQ(texts(second, "y"), (std::vector<std::string>{"null", "1e-300"}));
  }


  TEST(Figure, FieldsAsJson)
  {
    const TemporaryDirectory directory;
    write_figure(directory / "", two_triangles());
    const Tree tree = read_json(directory / "field.figure.json");
    EXPECT_EQ(tree.get<int>("mesh.vertices_per_cell"), 3);
    EXPECT_EQ(texts(tree, "mesh.cells"),
              (std::vector<std::string>{"0", "1", "2", "0", "2", "3"}));
    EXPECT_EQ(texts(tree, "mesh.points").size(), 8U);
    const Tree &panel = tree.get_child("panels").front().second;
    EXPECT_EQ(panel.get<std::string>("colours.scale"), "diverging");
    EXPECT_EQ(panel.get<int>("colours.range_group"), 1);
    EXPECT_EQ(texts(panel, "values"),
              (std::vector<std::string>{"0.0", "1.0", "2.0", "3.0"}));
    const Tree &marker = panel.get_child("markers").front().second;
    EXPECT_EQ(marker.back().second.get_value<double>(), 0.25);
  }


  TEST(Figure, ImagesAsJson)
  {
    ImageFigure figure;
    figure.name             = "image";
    figure.x                = {0, 0.5, 1};
    figure.y                = {0, 1};
    figure.panels           = {ImagePanel()};
    figure.panels[0].values = {1, 2, 3, 4, 5, 6};
    const TemporaryDirectory directory;
    write_figure(directory / "", figure);
    const Tree tree = read_json(directory / "image.figure.json");
    EXPECT_EQ(texts(tree, "x").size(), 3U);
    EXPECT_EQ(texts(tree, "y").size(), 2U);
    figure.panels[0].values.pop_back();
    EXPECT_THROW(write_figure(directory / "", figure), Error);
  }


  TEST(Figure, WhatDoesNotFitIsRefused)
  {
    const TemporaryDirectory directory;
    CurveFigure              curves = two_curves();
    curves.panels[0].series[0].y.pop_back();
    EXPECT_THROW(write_figure(directory / "", curves), Error);
    FieldFigure field = two_triangles();
    field.panels[0].values.push_back(0);
    EXPECT_THROW(write_figure(directory / "", field), Error);
    CurveFigure nameless = two_curves();
    nameless.name        = "../curves";
    EXPECT_THROW(write_figure(directory / "", nameless), Error);
    std::ofstream(directory / "file") << "in the way";
    EXPECT_THROW(write_figure(directory / "file", two_curves()), Error);
    EXPECT_TRUE(figure_names(directory / "").empty());
  }


  TEST(Figure, FiguresOfAnEarlierRunAreRemoved)
  {
    const TemporaryDirectory directory;
    write_figure(directory / "", two_curves());
    write_figure(directory / "", two_triangles());
    std::ofstream(directory / "field.png") << "a picture";
    std::ofstream(directory / "mine.png") << "somebody's own";
    EXPECT_EQ(figure_names(directory / ""),
              (std::vector<std::string>{"curves", "field"}));
    remove_figures(directory / "");
    EXPECT_TRUE(figure_names(directory / "").empty());
    EXPECT_FALSE(std::filesystem::exists(directory / "field.png"));
    EXPECT_TRUE(std::filesystem::exists(directory / "mine.png"));
  }


  TEST(Figure, WithoutPythonOneLineSaysSo)
  {
    const TemporaryDirectory directory;
    EXPECT_NE(render_figures(directory / "").find("no figures"),
              std::string::npos);
    write_figure(directory / "", two_curves());
    for (const char *const python : {"/bin/false", "/no/such/python"})
      {
        setenv("EVERGREEN_PYTHON", python, 1);
        const std::string why = render_figures(directory / "");
        EXPECT_NE(why.find("python3-matplotlib"), std::string::npos) << why;
        EXPECT_EQ(why.find('\n'), std::string::npos);
      }
    unsetenv("EVERGREEN_PYTHON");
    EXPECT_FALSE(std::filesystem::exists(directory / "curves.png"));
  }
} // namespace Evergreen
