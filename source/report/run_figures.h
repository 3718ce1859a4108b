// What the pictures of a run show: fields, computed on all ranks, and the
// figures that are composed of them as plain data.

#ifndef evergreen_report_run_figures_h
#define evergreen_report_run_figures_h

#include <evergreen/report/figure.h>
#include <evergreen/report/run_report.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Evergreen
{
  /** A slice G(x_s, y) at all nodes y. */
  struct SliceFields
  {
    /** The number s of the slice and the node x_s. */
    std::size_t slice;
    std::size_t node;

    std::vector<double> learned;

    /** Empty if there is nothing to compare with. */
    std::vector<double> reference;
  };


  /** A sample, by finite elements and by the kernel. */
  struct SampleFields
  {
    Split       split  = Split::test;
    std::size_t sample = 0;

    /** At all nodes. */
    std::vector<double> forcing, solution;

    /** At all nodes; empty if the kernel was learned at some only. */
    std::vector<double> learned;

    /** The relative error in L2, if the kernel was learned everywhere. */
    double error = 0;
  };


  /** Solutions at the nodes of a kernel that was learned at some only. */
  struct SensorValues
  {
    std::size_t n_samples = 0;

    /** Sample by sample, a value a sensor. */
    std::vector<double> solution, learned;
  };


  /** All that is drawn of a run; the same on every rank. */
  struct RunFields
  {
    /** In one dimension these are many, for the image of the kernel. */
    std::vector<SliceFields> slices;

    /** The places in slices of the few that are shown one by one. */
    std::vector<std::size_t> shown;

    /** What the reference slices are, in words; empty if there are none. */
    std::string reference;

    /** Whether the kernel was learned at all nodes where u is not given. */
    bool is_complete = true;

    SampleFields sample;
    SensorValues sensors;

    /** A coefficient of the problem at all nodes; empty if it is constant. */
    std::vector<double> coefficient;

    std::vector<std::string> remarks;
  };


  /** The absolute values of the differences; none if one is empty. */
  std::vector<double>
  absolute_difference(const std::vector<double> &a,
                      const std::vector<double> &b);

  /**
   * The value of a @p slice G(x, .) at x itself, which is a node, or, if the
   * kernel is singular there, the mean at a quarter of the distance to the
   * next node, which is about what a finite element function has.
   */
  template <int dim>
  double
  value_at_centre(
    const Space<dim>                                        &space,
    const std::size_t                                        node,
    const std::function<double(const dealii::Point<dim> &)> &slice);

  /** Computes the fields of a run. Collective. */
  template <int dim>
  RunFields
  compute_run_fields(const RunResults<dim> &run);

  /** Writes them for ParaView. Collective. */
  template <int dim>
  void
  write_run_vtu(const Space<dim>  &space,
                const RunFields   &fields,
                const std::string &path);


  /**
   * Up to @p n slices worth looking at: one in the middle of the domain, and
   * others that are neither near it nor near the boundary. In three dimensions
   * they have the same z, that of the first.
   */
  std::vector<std::size_t>
  choose_slices(const MeshData                 &mesh,
                const std::vector<std::size_t> &response,
                const std::size_t               n);


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

  /** The title of a run's figure of a sample. */
  std::string
  sample_title(const std::string &title, const SampleFields &sample);

  /** A number with few digits, to be set as a formula: -1.25, 3.4 10^-5. */
  std::string
  short_number(const double value);

  /** A point as people write it: (0.12, -0.3). */
  std::string
  point_text(const MeshData &mesh, const std::size_t node);
} // namespace Evergreen

#endif
