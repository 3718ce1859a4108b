#include "run_figures.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/data/samples.h>
#include <evergreen/report/run_report.h>
#include <evergreen/report/section.h>

#include <filesystem>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Dollar signs begin formulas in the titles of figures. */
    std::string
    without_formulas(const std::string &title)
    {
      std::string result;
      for (const char c : title)
        result += c == '$' ? std::string("\\$") : std::string(1, c);
      return result;
    }


    template <int dim>
    void
    write_figures(const RunResults<dim> &run,
                  const RunFields       &fields,
                  const std::string     &directory)
    {
      const std::string title = without_formulas(run.title);
      remove_figures(directory);
      const CurveFigure convergence = convergence_figure(run.kernel, title);
      if (!convergence.panels.empty())
        write_figure(directory, convergence);
      write_figure(
        directory,
        singular_value_figure(forcing_singular_values(run.reader),
                              run.space.n_nodes(),
                              run.reader.valid_samples(Split::train).size(),
                              title));
      if (fields.sensors.n_samples > 0)
        write_figure(directory,
                     sensor_figure(run.kernel, fields.sensors, title));
      const MeshData mesh = subdivided_mesh<dim>(run.kernel.mesh);
      if (dim == 1)
        write_line_figures(directory, mesh, fields, title);
      else
        write_plane_figures(directory, mesh, run.kernel, fields, title);
    }
  } // namespace


  std::vector<double>
  forcing_singular_values(const DatasetReader &reader)
  {
    auto              f = read_columns(reader, Split::train, Quantity::forcing);
    const std::size_t n_nodes = reader.mesh().n_nodes();
    std::vector<double> values;
    Blas::singular_values(static_cast<int>(n_nodes),
                          static_cast<int>(f.size() / n_nodes),
                          f,
                          values,
                          nullptr,
                          nullptr);
    return values;
  }


  template <int dim>
  RunReport
  write_run_report(const RunResults<dim> &run, const std::string &directory)
  {
    if (input_of(run.reader) != Input::forcing)
      throw Error("There are no pictures of kernels for ",
                  input_words(input_of(run.reader)),
                  ".");
    const std::filesystem::path path(directory);
    RunReport                   report;
    report.pictures  = (path / "pictures").string();
    report.vtu       = (path / "fields.vtu").string();
    RunFields fields = compute_run_fields(run);
    if (!fields.is_complete)
      fields.remarks.push_back(
        text("the kernel was learned at ",
             run.kernel.response.size(),
             " nodes only, so solutions are compared there (sensors) and not "
             "as fields"));
    write_run_vtu(run.space, fields, report.vtu);
    collectively(run.space.communicator(), [&]() {
      if (Utilities::MPI::this_mpi_process(run.space.communicator()) == 0)
        write_figures(run, fields, report.pictures);
    });
    report.remarks = fields.remarks;
    return report;
  }


  template RunReport
  write_run_report(const RunResults<1> &, const std::string &);
  template RunReport
  write_run_report(const RunResults<2> &, const std::string &);
  template RunReport
  write_run_report(const RunResults<3> &, const std::string &);
} // namespace Evergreen
