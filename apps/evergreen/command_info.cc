#include "commands.h"
#include "console.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/configuration.h>
#include <evergreen/data/samples.h>
#include <evergreen/dataset_space.h>
#include <evergreen/fem/medium.h>
#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/report/run_report.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

namespace Evergreen
{
  namespace
  {
    std::string
    range_text(const std::vector<double> &values)
    {
      if (values.empty())
        return "no samples";
      const auto [least, greatest] =
        std::minmax_element(values.begin(), values.end());
      return text("from ", *least, " to ", *greatest);
    }


    void
    print_split(const DatasetReader &reader, const Split split)
    {
      const char *const name = split == Split::train ? "Training" : "Test";
      const auto        f    = read_columns(reader, split, Quantity::forcing);
      const auto        u    = read_columns(reader, split, Quantity::solution);
      std::cout << name << ": " << reader.n_samples(split) << " samples, f "
                << range_text(f) << ", u " << range_text(u) << "\n";
      const auto failed = reader.failed_samples(split);
      if (!failed.empty())
        {
          std::cout << name << " samples that failed (" << failed.size()
                    << "):";
          for (const auto sample : failed)
            std::cout << " " << sample;
          std::cout << "\n";
        }
    }


    void
    print_rank(const DatasetReader &reader)
    {
      const std::size_t n = reader.valid_samples(Split::train).size();
      if (n == 0)
        return;
      const auto   s         = forcing_singular_values(reader);
      const double threshold = std::max(reader.mesh().n_nodes(), n) *
                               s.front() *
                               std::numeric_limits<double>::epsilon();
      const auto rank = std::count_if(s.begin(), s.end(), [&](const double v) {
        return v > threshold;
      });
      std::cout << "Rank of F: " << rank << " of " << s.size()
                << " (singular values from " << s.front() << " to " << s.back()
                << ")\n";
    }


    /** How many there are of each number: "0 (32), 1 (8)". */
    std::string
    count_text(const std::vector<std::size_t> &numbers)
    {
      std::map<std::size_t, std::size_t> counts;
      for (const std::size_t number : numbers)
        ++counts[number];
      std::string result;
      for (const auto &[number, count] : counts)
        result += text(result.empty() ? "" : ", ", number, " (", count, ")");
      return result;
    }


    /** The ids of a mesh that has any besides the usual ones. */
    void
    print_ids(const MeshData &mesh)
    {
      if (!mesh.materials.empty())
        std::cout << "Materials: " << count_text(mesh.materials)
                  << " with so many cells\n";
      if (!mesh.face_ids.empty())
        std::cout << "Boundary ids: " << count_text(mesh.face_ids)
                  << " with so many faces\n";
    }


    /** The coefficients and conditions of an elliptic problem. */
    void
    print_elliptic(const EllipticParameters &elliptic, const MeshData &mesh)
    {
      const auto print = [](const char *const name, const std::string &value) {
        if (!value.empty())
          std::cout << "  " << name << ": " << value << "\n";
      };
      print("diffusion a", elliptic.diffusion);
      if (elliptic.medium.is_present())
        print("times the medium", with_dimension(mesh.dim, [&](const auto d) {
                return Medium<d.value>(elliptic.medium,
                                       bounding_box<d.value>(mesh.points))
                  .description();
              }));
      print("advection b", elliptic.advection);
      print("reaction c", elliptic.reaction);
      print("u = 0 on", elliptic.dirichlet);
      print("Neumann on", elliptic.neumann);
      print("Robin on", elliptic.robin);
    }


    void
    print_dataset(const std::string &path)
    {
      const DatasetReader reader(path);
      const MeshData     &mesh = reader.mesh();
      std::cout << "Dataset '" << path << "'\n"
                << "Mesh: " << mesh.n_nodes() << " nodes, " << mesh.n_cells()
                << " cells (" << mesh.cell_type << ", degree " << mesh.degree
                << "), " << mesh.boundary.size()
                << " nodes with u = 0, dimension " << mesh.dim << "\n";
      if (!reader.attribute("problem").empty())
        std::cout << "Problem: " << reader.attribute("problem") << "\n";
      if (reader.attribute("problem") == "elliptic" &&
          !reader.parameters().empty())
        print_elliptic(Configuration::from_dataset_text(reader.parameters(),
                                                        path)
                         .problem.elliptic,
                       mesh);
      print_ids(mesh);
      if (input_of(reader) != Input::forcing)
        std::cout << "Input: " << input_words(input_of(reader)) << "\n";
      print_split(reader, Split::train);
      if (reader.n_samples(Split::test) > 0)
        print_split(reader, Split::test);
      print_rank(reader);
      if (!reader.parameters().empty())
        std::cout << "Parameters:\n" << reader.parameters();
      std::cout << std::flush;
    }


    void
    print_kernel(const std::string &path)
    {
      const auto  kernel = LearnedKernel::load(path);
      std::size_t least  = kernel.n_neurons();
      for (std::size_t s = 0; s < kernel.expansions.size(); ++s)
        least = std::min(
          least, kernel.expansions.n_atoms(s, kernel.expansions.levels.back()));
      std::cout << "Kernel '" << path << "'\n"
                << "Mesh: " << kernel.mesh.n_nodes() << " nodes, "
                << kernel.mesh.n_cells() << " cells (" << kernel.mesh.cell_type
                << ", degree " << kernel.mesh.degree << "), dimension "
                << kernel.mesh.dim << "\n"
                << "Method: " << (kernel.is_pointwise() ? "pw-oga" : "oga")
                << ", quadrature " << kernel.quadrature << "\n";
      if (!kernel.backend.empty())
        std::cout << "Backend: " << kernel.backend << "\n";
      if (kernel.is_pointwise())
        std::cout << "Slices: " << kernel.response.size() << ", with " << least
                  << " to " << kernel.n_neurons() << " neurons each\n";
      else
        std::cout << "Neurons: " << kernel.n_neurons() << "\n";
      std::cout << "Different atoms: " << kernel.expansions.pool.size() << "\n";
      if (!kernel.frame.is_trivial())
        std::cout << "Atoms are functions of " << kernel.frame.description()
                  << "\n";
      print_history(kernel.history);
      std::cout << "Parameters:\n" << kernel.parameters << std::flush;
    }


    /** Datasets, kernels and twins are told apart by their attribute. */
    void
    print_file(const std::string &path)
    {
      const auto        file = Hdf5::File::open(path, Hdf5::Access::read_only);
      const std::string format = file.has_attribute("/", "format")
                                   ? file.string_attribute("/", "format")
                                   : "";
      if (format == "evergreen-kernel")
        print_kernel(path);
      else if (format == "evergreen-twin")
        print_twin(path);
      else
        print_dataset(path);
    }
  } // namespace


  int
  command_info(const CommandOptions &options, const MPI_Comm communicator)
  {
    collectively(communicator, [&]() {
      if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
        print_file(options.file);
    });
    return 0;
  }


  int
  command_parameters(const CommandOptions &, const MPI_Comm communicator)
  {
    if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
      {
        Configuration            configuration;
        dealii::ParameterHandler prm;
        configuration.add_parameters(prm);
        prm.print_parameters(std::cout, dealii::ParameterHandler::PRM);
      }
    return 0;
  }
} // namespace Evergreen
