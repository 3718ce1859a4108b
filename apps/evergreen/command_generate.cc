#include "commands.h"
#include "console.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/configuration.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>

#include <filesystem>
#include <iostream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** results/data.h5 -> results/data_train_0.vtu */
    std::string
    vtu_path(const std::string &output, const std::size_t sample)
    {
      std::filesystem::path path(output);
      path.replace_extension();
      return path.string() + "_train_" + std::to_string(sample) + ".vtu";
    }


    template <int dim>
    void
    write_samples_as_vtu(const Space<dim>  &space,
                         const std::string &dataset,
                         const std::size_t  n_samples)
    {
      const MPI_Comm                 communicator = space.communicator();
      std::unique_ptr<DatasetReader> reader;
      collectively(communicator, [&]() {
        reader = std::make_unique<DatasetReader>(dataset);
      });
      const std::size_t n =
        std::min(n_samples, reader->n_samples(Split::train));
      for (std::size_t j = 0; j < n; ++j)
        {
          std::vector<double> f(space.n_nodes()), u(space.n_nodes());
          collectively(communicator, [&]() {
            reader->read_forcings(Split::train, j, 1, f.data());
            reader->read_solutions(Split::train, j, 1, u.data());
          });
          std::vector<double> local_f, local_u;
          for (const auto node : space.local_nodes())
            {
              local_f.push_back(f[node]);
              local_u.push_back(u[node]);
            }
          write_vtu(space,
                    {{"forcing", local_f}, {"solution", local_u}},
                    vtu_path(dataset, j));
        }
    }


    void
    print_failures(const GenerationReport &report)
    {
      constexpr std::size_t shown = 10;
      for (std::size_t i = 0; i < std::min(shown, report.failures.size()); ++i)
        {
          const auto &failure = report.failures[i];
          std::cerr << "Warning: "
                    << (failure.split == Split::train ? "training" : "test")
                    << " sample " << failure.sample
                    << " failed: " << failure.reason << std::endl;
        }
      if (report.failures.size() > shown)
        std::cerr << "Warning: " << report.failures.size() - shown
                  << " more samples failed; 'evergreen info' lists them all."
                  << std::endl;
    }


    template <int dim>
    void
    describe(const DatasetSpace<dim> &setting,
             const Configuration     &configuration)
    {
      const auto &space   = setting.space();
      const auto *problem = setting.problem();
      std::cout << "Domain:  " << configuration.domain.name << ", "
                << space.n_nodes() << " nodes, " << space.mesh_data().n_cells()
                << " cells (" << space.mesh_data().cell_type << ", degree "
                << space.degree() << ")\n"
                << "Problem: " << problem->name();
      for (const auto &[name, value] : problem->facts())
        std::cout << ", " << name << " " << value;
      std::cout << std::endl;
      for (const auto &warning : problem->warnings())
        std::cerr << "Warning: " << warning << std::endl;
    }
  } // namespace


  template <int dim>
  void
  generate(const DatasetSpace<dim> &setting,
           const Configuration     &configuration,
           const std::string       &output,
           const bool               resume,
           const bool               quiet,
           const unsigned int       n_vtu)
  {
    const bool is_root =
      Utilities::MPI::this_mpi_process(setting.space().communicator()) == 0;
    const bool speaks = is_root && !quiet;
    if (speaks)
      describe(setting, configuration);

    GenerationReport report;
    {
      ProgressBar       bar("Samples", speaks);
      GenerationOptions generation;
      generation.resume         = resume;
      generation.parameter_text = configuration.dataset_text;
      generation.on_progress    = [&](const GenerationProgress &progress) {
        bar.update(progress.n_done, progress.n_total);
      };
      report = generate_dataset(*setting.problem(),
                                configuration.forcing,
                                configuration.dataset,
                                output,
                                generation);
    }
    if (is_root)
      print_failures(report);
    if (report.interrupted)
      throw Error("Interrupted after ",
                  report.n_resumed + report.n_computed,
                  " samples; they are kept in '",
                  DatasetWriter::partial_path(output),
                  "'. Continue with --resume.");
    if (speaks)
      {
        std::cout << "Samples: " << configuration.dataset.n_training_samples
                  << " for training, " << configuration.dataset.n_test_samples
                  << " for tests";
        if (report.n_resumed > 0)
          std::cout << " (" << report.n_resumed << " from an earlier run)";
        std::cout << ", " << duration_text(report.seconds) << " ("
                  << duration_text(report.seconds_solving) << " solving)\n"
                  << "Dataset: " << output << std::endl;
      }
    write_samples_as_vtu(setting.space(), output, n_vtu);
  }


  int
  command_generate(const CommandOptions &options, const MPI_Comm communicator)
  {
    const auto   configuration = configuration_of(options, communicator);
    unsigned int dim           = 0;
    collectively(communicator,
                 [&]() { dim = configuration.domain.dimension(); });
    with_dimension(dim, [&](const auto d) {
      generate(DatasetSpace<d.value>(configuration, communicator),
               configuration,
               options.output,
               options.resume,
               false,
               options.n_vtu);
    });
    return 0;
  }


#define INSTANTIATE(dim)                                                       \
  template void generate(const DatasetSpace<dim> &,                            \
                         const Configuration &,                                \
                         const std::string &,                                  \
                         const bool,                                           \
                         const bool,                                           \
                         const unsigned int);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
