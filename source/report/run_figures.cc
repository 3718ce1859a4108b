#include "run_figures.h"

#include <evergreen/base/error.h>
#include <evergreen/report/slope.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Evergreen
{
  namespace
  {
    /** Slopes are fitted from this share of the neurons on. */
    constexpr double fitted_share = 1. / 8;

    /** The names of at most this many sensors fit into a legend. */
    constexpr std::size_t n_named_sensors = 6;


    /**
     * The power k if all atoms of a kernel are ReLU^k ridge functions, the
     * only ones for which there is a theory; otherwise 0.
     */
    unsigned int
    common_relu_power(const LearnedKernel &kernel)
    {
      unsigned int power = 0;
      for (const AtomKind kind : kernel.expansions.pool.kinds)
        {
          if (atom_form(kind) != AtomForm::ridge ||
              (power != 0 && relu_power(kind) != power))
            return 0;
          power = relu_power(kind);
        }
      return power;
    }


    /** A curve of the points that are known; named with its fitted slope. */
    Series
    error_curve(const std::string         &name,
                const std::vector<double> &neurons,
                const std::vector<double> &errors,
                const LineStyle            style,
                const int                  colour)
    {
      Series series;
      for (std::size_t i = 0; i < neurons.size(); ++i)
        if (std::isfinite(errors[i]) && errors[i] > 0)
          {
            series.x.push_back(neurons[i]);
            series.y.push_back(errors[i]);
          }
      const double slope =
        neurons.empty()
          ? std::numeric_limits<double>::quiet_NaN()
          : fitted_slope(series.x, series.y, fitted_share * neurons.back());
      series.label  = std::isfinite(slope)
                        ? name + ", slope $" + short_number(slope) + "$"
                        : name;
      series.style  = style;
      series.colour = colour;
      return series;
    }


    /** The theoretical slope, a little above the curves of a panel. */
    void
    add_theory(const double to, const double slope, CurvePanel &panel)
    {
      const double from  = std::max(1., fitted_share * to);
      double       start = 0;
      for (const Series &series : panel.series)
        for (std::size_t i = 0; i < series.x.size(); ++i)
          if (series.x[i] >= from)
            {
              start = std::max(start, series.y[i]);
              break;
            }
      if (to <= from || start == 0)
        return;
      Series line;
      line.label = "theory: $n^{" + short_number(slope) + "}$";
      line.style = LineStyle::reference;
      line.x     = {from, to};
      line.y     = {1.5 * start, 1.5 * start * std::pow(to / from, slope)};
      panel.series.push_back(line);
    }
  } // namespace


  std::string
  short_number(const double value)
  {
    char digits[32];
    if (value == 0 || (std::abs(value) >= 0.1 && std::abs(value) < 1000))
      {
        std::snprintf(digits, sizeof(digits), "%.2f", value);
        return digits;
      }
    std::snprintf(digits, sizeof(digits), "%.1e", value);
    const std::string number(digits);
    const std::size_t e = number.find('e');
    if (e == std::string::npos)
      return number; // infinite, or not a number
    return number.substr(0, e) + "\\times10^{" +
           std::to_string(std::stoi(number.substr(e + 1))) + "}";
  }


  std::string
  sample_title(const std::string &title, const SampleFields &sample)
  {
    return text(title,
                sample.split == Split::test ? ": test" : ": training",
                " sample ",
                sample.sample);
  }


  std::string
  point_text(const MeshData &mesh, const std::size_t node)
  {
    std::string result;
    for (unsigned int d = 0; d < mesh.dim; ++d)
      {
        char digits[32];
        // Adding zero turns -0 into 0.
        const double x =
          std::round(100 * mesh.points[node * mesh.dim + d]) / 100 + 0.;
        std::snprintf(digits, sizeof(digits), "%g", x);
        result += (d == 0 ? "" : ", ") + std::string(digits);
      }
    return mesh.dim == 1 ? result : "(" + result + ")";
  }


  CurveFigure
  convergence_figure(const LearnedKernel &kernel, const std::string &title)
  {
    const LearningHistory    &history = kernel.history;
    const std::vector<double> n(history.neurons.begin(), history.neurons.end());

    CurvePanel solutions;
    solutions.x_label =
      kernel.is_pointwise() ? "neurons $n$ of each slice" : "neurons $n$";
    solutions.y_label = "relative error";
    solutions.log_x = solutions.log_y = true;
    CurvePanel kernels                = solutions;
    solutions.title                   = "solutions, $\\varepsilon_u$";
    kernels.title                     = "kernel, $\\varepsilon_G$";
    solutions.series.push_back(
      error_curve("training", n, history.train_error, LineStyle::line, 0));
    solutions.series.push_back(error_curve(
      "validation", n, history.validation_error, LineStyle::dotted, 2));
    solutions.series.push_back(
      error_curve("test", n, history.test_error, LineStyle::markers, 1));
    kernels.series.push_back(error_curve(
      "learned kernel", n, history.kernel_error, LineStyle::markers, 3));

    CurveFigure figure;
    figure.name  = "convergence";
    figure.title = title;
    const unsigned int n_variables =
      (kernel.is_pointwise() ? 1 : 2) * kernel.mesh.dim;
    const unsigned int power = common_relu_power(kernel);
    for (CurvePanel *const panel : {&solutions, &kernels})
      {
        if (power > 0 && !n.empty())
          add_theory(n.back(), theoretical_slope(power, n_variables), *panel);
        panel->series.erase(std::remove_if(panel->series.begin(),
                                           panel->series.end(),
                                           [](const Series &series) {
                                             return series.x.empty();
                                           }),
                            panel->series.end());
        if (!panel->series.empty())
          figure.panels.push_back(*panel);
      }
    return figure;
  }


  CurveFigure
  singular_value_figure(const std::vector<double> &singular_values,
                        const std::size_t          n_nodes,
                        const std::size_t          n_samples,
                        const std::string         &title)
  {
    const double threshold = std::max(n_nodes, n_samples) *
                             std::numeric_limits<double>::epsilon() *
                             singular_values.front();
    CurvePanel panel;
    panel.title =
      text("training forcings: ", n_nodes, " nodes, ", n_samples, " samples");
    panel.x_label = "index $i$";
    panel.y_label = "$\\sigma_i\\,/\\,\\sigma_1$";
    panel.log_y   = true;
    Series series;
    series.style     = LineStyle::line;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < singular_values.size(); ++i)
      {
        series.x.push_back(i + 1.);
        series.y.push_back(singular_values[i] / singular_values.front());
        if (singular_values[i] > threshold)
          ++rank;
      }
    series.label = text("singular values, rank ", rank);
    panel.series.push_back(series);
    panel.marks.push_back(static_cast<double>(rank));

    CurveFigure figure;
    figure.name  = "singular_values";
    figure.title = title;
    figure.panels.push_back(panel);
    return figure;
  }


  CurveFigure
  sensor_figure(const LearnedKernel &kernel,
                const SensorValues  &values,
                const std::string   &title)
  {
    CurvePanel panel;
    panel.title =
      text("solutions at the sensors, ", values.n_samples, " samples");
    panel.x_label       = "$u$ of the data";
    panel.y_label       = "learned $u$";
    const std::size_t n = kernel.response.size();
    const auto [low, high] =
      std::minmax_element(values.solution.begin(), values.solution.end());
    Series equal;
    equal.label = "equal";
    equal.style = LineStyle::reference;
    equal.x = equal.y = {*low, *high};
    panel.series.push_back(equal);
    for (std::size_t s = 0; s < n; ++s)
      {
        Series series;
        if (s < n_named_sensors)
          series.label = "$x_s=$" + point_text(kernel.mesh, kernel.response[s]);
        series.style = LineStyle::points;
        for (std::size_t j = 0; j < values.n_samples; ++j)
          {
            series.x.push_back(values.solution[j * n + s]);
            series.y.push_back(values.learned[j * n + s]);
          }
        panel.series.push_back(series);
      }
    CurveFigure figure;
    figure.name  = "sensors";
    figure.title = title;
    figure.panels.push_back(panel);
    return figure;
  }
} // namespace Evergreen
