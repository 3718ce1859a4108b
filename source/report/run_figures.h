// The figures of a run, composed of plain data.

#ifndef evergreen_report_run_figures_h
#define evergreen_report_run_figures_h

#include "run_fields.h"

#include <evergreen/report/figure.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** Errors against neurons, with fitted and theoretical slopes. */
  CurveFigure
  convergence_figure(const LearnedKernel &kernel, const std::string &title);

  /** The singular values of the forcings, relative to the first. */
  CurveFigure
  singular_value_figure(const std::vector<double> &singular_values,
                        const std::size_t          n_nodes,
                        const std::size_t          n_samples,
                        const std::string         &title);

  /** Learned and true values at the sensors of a kernel. */
  CurveFigure
  sensor_figure(const LearnedKernel &kernel,
                const SensorValues  &values,
                const std::string   &title);

  /**
   * Writes the figures of fields that a mesh in one dimension, or in two or
   * three, can show.
   */
  void
  write_line_figures(const std::string &directory,
                     const MeshData    &mesh,
                     const RunFields   &fields,
                     const std::string &title);
  void
  write_plane_figures(const std::string   &directory,
                      const MeshData      &mesh,
                      const LearnedKernel &kernel,
                      const RunFields     &fields,
                      const std::string   &title);

  /** A number with few digits, to be set as a formula: -1.25, 3.4 10^-5. */
  std::string
  short_number(const double value);

  /** A point as people write it: (0.12, -0.3). */
  std::string
  point_text(const MeshData &mesh, const std::size_t node);
} // namespace Evergreen

#endif
