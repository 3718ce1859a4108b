// The pictures of a run: from a dataset and its learned kernel to figures and a
// file for ParaView.

#ifndef evergreen_report_run_report_h
#define evergreen_report_run_report_h

#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/space.h>
#include <evergreen/kernel/learned_kernel.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /** What a run has produced. */
  template <int dim>
  struct RunResults
  {
    /** The space of the dataset's mesh. */
    const Space<dim>    &space;
    const DatasetReader &reader;
    const LearnedKernel &kernel;

    /**
     * The problem of the data, whose Green's function the kernel is compared
     * with; may be nullptr. It need not be set up if it has an exact kernel.
     */
    LinearProblem<dim> *problem = nullptr;

    /** What the pictures are about, for example "Poisson on the disk". */
    std::string title = "";
  };


  /** Where write_run_report() writes, and what it could not draw. */
  struct RunReport
  {
    /** The directory of the figures; see render_figures(). */
    std::string pictures;

    /** The file for ParaView. */
    std::string vtu;

    /** One line for each thing that could not be drawn as usual. */
    std::vector<std::string> remarks;
  };


  /**
   * Writes the figures of a run to <tt>directory/pictures</tt>, in place of
   * those of an earlier run, and its fields to <tt>directory/fields.vtu</tt>:
   *
   * - convergence: errors against neurons, with fitted and theoretical slopes;
   * - mesh (in two and three dimensions), with the coefficient of the problem
   *   if it varies;
   * - kernel: G(x, y) as an image (in one dimension);
   * - kernel_slices: G(x_s, y) at a few points x_s, learned, reference, error;
   * - solution: a test sample, by finite elements and by the kernel;
   * - sensors: instead of it, if the kernel was learned at some nodes only;
   * - singular_values of the training forcings.
   *
   * In three dimensions fields are shown in a plane through the middle.
   * Collective; rank 0 writes.
   */
  template <int dim>
  RunReport
  write_run_report(const RunResults<dim> &run, const std::string &directory);


  /**
   * The singular values of the matrix of a dataset's training forcings, from
   * the largest to the least. For one process.
   */
  std::vector<double>
  forcing_singular_values(const DatasetReader &reader);
} // namespace Evergreen

#endif
