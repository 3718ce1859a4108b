#include <evergreen/base/error.h>
#include <evergreen/dataset_space.h>

namespace Evergreen
{
  namespace
  {
    /** The problem of a dataset, not set up, or nullptr. */
    template <int dim>
    std::unique_ptr<LinearProblem<dim>>
    problem_of(const DatasetReader &reader)
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
      return problem;
    }

  } // namespace


  template <int dim>
  DatasetSpace<dim>::DatasetSpace(const Configuration &configuration,
                                  const MPI_Comm       communicator)
    : problem_(make_problem<dim>(configuration.problem))
    , mesh_(configuration.domain, communicator)
    , space_(mesh_, configuration.problem.degree, *problem_)
  {
    problem(/*must_solve=*/true);
  }


  template <int dim>
  DatasetSpace<dim>::DatasetSpace(const DatasetReader &reader,
                                  const MPI_Comm       communicator)
    : problem_(problem_of<dim>(reader))
    , mesh_(reader.mesh(), "'" + reader.path() + "'", communicator)
    , space_(mesh_, reader.mesh(), "'" + reader.path() + "'")
  {}


  template <int dim>
  LinearProblem<dim> *
  DatasetSpace<dim>::problem(const bool must_solve) const
  {
    if (problem_ && !is_set_up_ && (must_solve || !problem_->exact_kernel()))
      {
        problem_->set_up(space_);
        is_set_up_ = true;
      }
    return problem_.get();
  }


  void
  check_same_mesh(const LearnedKernel &kernel,
                  const std::string   &kernel_path,
                  const DatasetReader &reader)
  {
    const MeshData &a = kernel.mesh, &b = reader.mesh();
    if (!a.is_same_as(b))
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


  template class DatasetSpace<1>;
  template class DatasetSpace<2>;
  template class DatasetSpace<3>;
} // namespace Evergreen
