#include "commands.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/configuration.h>
#include <evergreen/report/figure.h>
#include <evergreen/report/run_report.h>

#include <filesystem>
#include <iostream>
#include <map>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** What the data are about, or the name of somebody else's problem. */
    std::string
    title_of(const DatasetReader &reader)
    {
      const std::string name = reader.attribute("problem");
      if (reader.parameters().empty() || name.empty())
        return name;
      return title_of(Configuration::from_dataset_text(reader.parameters(),
                                                       reader.path()),
                      name);
    }


    std::string
    list_of(const std::vector<std::string> &names)
    {
      std::string result;
      for (const auto &name : names)
        result += (result.empty() ? "" : ", ") + name;
      return result;
    }
  } // namespace


  std::string
  title_of(const Configuration &configuration, const std::string &name)
  {
    const ProblemParameters                 &problem  = configuration.problem;
    const std::map<std::string, std::string> problems = {
      {"poisson", "Poisson"},
      {"elliptic", "Elliptic problem"},
      {"helmholtz", text("Helmholtz, K = ", problem.wave_number, ",")},
      {"cosine", text("Kernel cos(", problem.wave_number, "πr)")},
      {"log-cosine", text("Kernel log(r) cos(", problem.wave_number, "πr)")},
      {"log", "Kernel log(r)"},
      {"poisson-kernel", "Poisson's kernel"},
      {"helmholtz-kernel",
       text("Helmholtz kernel, K = ", problem.wave_number, ",")}};
    const DomainParameters                  &domain  = configuration.domain;
    const std::map<std::string, std::string> domains = {
      {"h", "the H"},
      {"file", std::filesystem::path(domain.mesh_file).stem().string()}};
    const auto problem_name = problems.find(name);
    const auto domain_name  = domains.find(domain.name);
    return (problem_name == problems.end() ? name : problem_name->second) +
           " on " +
           (domain_name == domains.end() ? "the " + domain.name
                                         : domain_name->second);
  }


  template <int dim>
  void
  draw(const DatasetSpace<dim> &setting,
       const DatasetReader     &reader,
       const LearnedKernel     &kernel,
       const std::string       &directory)
  {
    const bool speaks =
      Utilities::MPI::this_mpi_process(setting.space().communicator()) == 0;
    if (input_of(reader) != Input::forcing)
      {
        if (speaks)
          std::cout << "Pictures: none of kernels for "
                    << input_words(input_of(reader)) << std::endl;
        return;
      }
    const RunReport report = write_run_report<dim>(
      {setting.space(), reader, kernel, setting.problem(), title_of(reader)},
      directory);
    if (!speaks)
      return;
    const std::string problem = render_figures(report.pictures);
    std::cout << "Fields:  " << report.vtu << "\nPictures: " << report.pictures;
    if (problem.empty())
      std::cout << " (" << list_of(figure_names(report.pictures)) << ")";
    else
      std::cout << " described, but not drawn: " << problem << ".";
    std::cout << std::endl;
    for (const auto &remark : report.remarks)
      std::cout << "Note:    " << remark << "." << std::endl;
  }


  int
  command_pictures(const CommandOptions &options, const MPI_Comm communicator)
  {
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) != 0)
        return;
      std::filesystem::path directory(options.file);
      if (figure_names(directory.string()).empty())
        directory /= "pictures";
      const auto names = figure_names(directory.string());
      if (names.empty())
        throw Error("There are no figures (*.figure.json) in '",
                    options.file,
                    "': give a directory that 'evergreen run' has made.");
      const std::string problem = render_figures(directory.string());
      if (!problem.empty())
        throw Error("The figures of '",
                    directory.string(),
                    "' could not be drawn: ",
                    problem,
                    ".");
      std::cout << "Pictures: " << directory.string() << " (" << list_of(names)
                << ")" << std::endl;
    });
    return 0;
  }


#define INSTANTIATE(dim)                                                       \
  template void draw(const DatasetSpace<dim> &,                                \
                     const DatasetReader &,                                    \
                     const LearnedKernel &,                                    \
                     const std::string &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
