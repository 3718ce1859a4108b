// A dataset with the finite element space of its mesh, as the commands that
// learn and evaluate need it.

#ifndef evergreen_app_dataset_space_h
#define evergreen_app_dataset_space_h

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/configuration.h>
#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/learned_kernel.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

namespace Evergreen
{
  /** Whether the file is a dataset made with just these parameters. */
  inline bool
  is_dataset_of(const std::string &path,
                const std::string &parameters,
                const MPI_Comm     communicator)
  {
    int same = 0;
    if (dealii::Utilities::MPI::this_mpi_process(communicator) == 0 &&
        std::filesystem::exists(path))
      try
        {
          same = DatasetReader(path).parameters() == parameters;
        }
      catch (const Error &)
        {} // then it is made again
    return dealii::Utilities::MPI::broadcast(communicator, same) == 1;
  }


  /** Throws an Error unless a kernel and a dataset have the same mesh. */
  inline void
  check_same_mesh(const LearnedKernel &kernel,
                  const std::string   &kernel_path,
                  const DatasetReader &reader)
  {
    const MeshData &a = kernel.mesh, &b = reader.mesh();
    bool            same = a.dim == b.dim && a.degree == b.degree &&
                a.cell_type == b.cell_type &&
                a.points.size() == b.points.size() &&
                a.cells.size() == b.cells.size() && a.boundary == b.boundary;
    for (std::size_t i = 0; same && i < a.points.size(); ++i)
      same = std::abs(a.points[i] - b.points[i]) < 1e-10;
    if (!same)
      throw Error("The kernel '",
                  kernel_path,
                  "' (",
                  a.n_nodes(),
                  " nodes, ",
                  a.n_cells(),
                  " cells) and the dataset '",
                  reader.path(),
                  "' (",
                  b.n_nodes(),
                  " nodes, ",
                  b.n_cells(),
                  " cells) do not have the same mesh.");
  }


  /** The mesh of a dataset and its finite element space. */
  template <int dim>
  struct DatasetSpace
  {
    Mesh<dim>      mesh;
    MeshSpace<dim> space;

    DatasetSpace(const DatasetReader &reader, const MPI_Comm communicator)
      : mesh(reader.mesh(), "'" + reader.path() + "'", communicator)
      , space(mesh, reader.mesh(), "'" + reader.path() + "'")
    {}

    /**
     * The problem that the dataset was made with, set up, so that its Green's
     * function can be compared with; none if the file does not tell or was
     * made by somebody else's operator. Unless it @p must_solve, it is not set
     * up if its kernel is known without.
     */
    std::unique_ptr<LinearProblem<dim>>
    make_problem_of(const DatasetReader &reader,
                    const bool           must_solve = true) const
    {
      if (reader.parameters().empty())
        return nullptr;
      Configuration configuration;
      try
        {
          configuration = Configuration::from_dataset_text(reader.parameters(),
                                                           reader.path());
        }
      catch (const UsageError &)
        {
          return nullptr; // keys of somebody else's operator
        }
      auto problem = make_problem<dim>(configuration.problem);
      if (problem->name() != reader.attribute("problem"))
        return nullptr;
      if (must_solve || !problem->exact_kernel())
        problem->set_up(space);
      return problem;
    }
  };


  /** Calls @p function with the dimension as a compile-time constant. */
  template <typename Function>
  auto
  with_dimension(const unsigned int dim, const Function &function)
  {
    switch (dim)
      {
        case 1:
          return function(std::integral_constant<int, 1>());
        case 2:
          return function(std::integral_constant<int, 2>());
        default:
          return function(std::integral_constant<int, 3>());
      }
  }
} // namespace Evergreen

#endif
