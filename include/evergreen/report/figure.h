// Figures: what a picture shows, as plain data. A figure is written as a small
// JSON file, <name>.figure.json, and one program (pictures/render.py, which
// needs Python with matplotlib) makes PNG and SVG files of all figures of a
// directory. Without that program the descriptions stay and can be rendered
// later. The slopes for legends are in slope.h.

#ifndef evergreen_report_figure_h
#define evergreen_report_figure_h

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /** How a curve is drawn. */
  enum class LineStyle
  {
    /** A line with a marker at each of its points. */
    markers,
    line,
    dashed,
    dotted,
    /** Single points. */
    points,
    /** Thin, dashed and dark: a theoretical slope, an exact function. */
    reference
  };


  /** One curve. Points that are not finite are left out. */
  struct Series
  {
    std::string         label;
    std::vector<double> x = {}, y = {};
    LineStyle           style = LineStyle::markers;

    /**
     * Which colour of the palette (there are eight); -1 is the next one. Curves
     * that belong together, such as training and test errors of one method,
     * share a colour and differ in style.
     */
    int colour = -1;
  };


  /** Curves in one pair of axes. */
  struct CurvePanel
  {
    std::string         title   = "";
    std::string         x_label = "";
    std::string         y_label = "";
    bool                log_x   = false;
    bool                log_y   = false;
    std::vector<Series> series  = {};

    /** Points on the horizontal axis that are marked by a thin line. */
    std::vector<double> marks = {};

    /** Puts the legend under the panel, where it cannot cover a curve. */
    bool legend_below = false;
  };


  /** What all figures have. */
  struct Figure
  {
    /** The name of the files, without directory and ending. */
    std::string name;
    std::string title = "";

    /** The number of panels in a row; 0 is all of them, up to three. */
    unsigned int n_columns = 0;
  };


  /** Panels of curves side by side: convergence, singular values, 1D. */
  struct CurveFigure : public Figure
  {
    std::vector<CurvePanel> panels = {};
  };


  /** How values become colours. */
  enum class ColourScale
  {
    /** From the least to the largest value. */
    sequential,
    /** Signed values: symmetric, with a neutral colour at zero. */
    diverging,
    /** From zero to the largest value: errors. */
    magnitude,
    /** Positive values over orders of magnitude. */
    logarithmic
  };


  /** What the colours of a panel say. */
  struct ColourBar
  {
    std::string label = "";
    ColourScale scale = ColourScale::sequential;

    /**
     * Panels of one figure with the same number share their range of colours;
     * -1 is a range of its own.
     */
    int range_group = -1;
  };


  /** A mesh in the plane, of triangles (3) or quadrilaterals (4). */
  struct PlaneMesh
  {
    unsigned int vertices_per_cell = 3;

    /** Coordinates, point by point: n_points() x 2. */
    std::vector<double> points = {};

    /** Indices of points, cell by cell, in the order around the cell. */
    std::vector<std::size_t> cells = {};

    /** What the two axes are. */
    std::array<std::string, 2> labels = {{"x", "y"}};

    std::size_t
    n_points() const
    {
      return points.size() / 2;
    }
    std::size_t
    n_cells() const
    {
      return cells.size() / vertices_per_cell;
    }
  };


  /** A field on a mesh in the plane, or the mesh alone. */
  struct FieldPanel
  {
    std::string title = "";

    /** The values at the points of the mesh; none for the mesh alone. */
    std::vector<double> values = {};
    ColourBar           colours;

    /** Points to be marked, such as the response point of a slice. */
    std::vector<std::array<double, 2>> markers = {};
  };


  /** Fields on one mesh, in rows. */
  struct FieldFigure : public Figure
  {
    PlaneMesh               mesh;
    std::vector<FieldPanel> panels = {};

    /** Draws the edges of the cells, too. */
    bool show_edges = false;
  };


  /** A function of two variables on a grid, as an image. */
  struct ImagePanel
  {
    std::string title = "";

    /** The values at all x for the first y, then for the next. */
    std::vector<double> values = {};
    ColourBar           colours;
  };


  /** Images with the same axes, in rows: kernels G(x, y) in one dimension. */
  struct ImageFigure : public Figure
  {
    std::string x_label = "x";
    std::string y_label = "y";

    /** The grid: increasing numbers. */
    std::vector<double>     x = {}, y = {};
    std::vector<ImagePanel> panels = {};
  };


  /**
   * Writes the description <tt>directory/name.figure.json</tt> and makes the
   * directory if there is none. An Error if that fails. For one process only:
   * under MPI, rank 0 writes.
   */
  void
  write_figure(const std::string &directory, const CurveFigure &figure);
  void
  write_figure(const std::string &directory, const FieldFigure &figure);
  void
  write_figure(const std::string &directory, const ImageFigure &figure);

  /** The names of the figures described in a directory, sorted. */
  std::vector<std::string>
  figure_names(const std::string &directory);

  /**
   * Removes the descriptions and the pictures of an earlier run from a
   * directory, and nothing else.
   */
  void
  remove_figures(const std::string &directory);

  /**
   * Makes PNG and SVG files of all figures of a directory, beside their
   * descriptions. Returns an empty string or, in one line, why it could not be
   * done and what helps: pictures are worth having, but no reason for a run to
   * fail. Python is the program that the environment variable
   * EVERGREEN_PYTHON names or, without it, python3 or /usr/bin/python3,
   * whichever has matplotlib.
   */
  std::string
  render_figures(const std::string &directory);
} // namespace Evergreen

#endif
