#include <evergreen/base/error.h>
#include <evergreen/data/samples.h>
#include <evergreen/dataset_space.h>
#include <evergreen/fem/space_rule.h>

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
    , boundary_problem_(
        make_boundary_problem(*problem_,
                              input_from_name(configuration.forcing.input)))
    , mesh_(configuration.domain, communicator)
    , space_(mesh_, configuration.problem.degree, *problem_)
  {
    problem(/*must_solve=*/true);
  }


  template <int dim>
  DatasetSpace<dim>::DatasetSpace(const DatasetReader &reader,
                                  const MPI_Comm       communicator)
    : problem_(problem_of<dim>(reader))
    , boundary_problem_(
        problem_ ? make_boundary_problem(*problem_, input_of(reader)) : nullptr)
    , mesh_(reader.mesh(), "'" + reader.path() + "'", communicator)
    , space_(mesh_, reader.mesh(), "'" + reader.path() + "'")
  {}


  template <int dim>
  LinearProblem<dim> *
  DatasetSpace<dim>::problem(const bool must_solve) const
  {
    LinearProblem<dim> *const problem =
      boundary_problem_ ? boundary_problem_.get() : problem_.get();
    if (problem != nullptr && !is_set_up_ &&
        (must_solve || !problem->exact_kernel()))
      {
        problem->set_up(space_);
        is_set_up_ = true;
      }
    return problem;
  }


  template <int dim>
  std::unique_ptr<BoundaryProblem<dim>>
  make_boundary_problem(LinearProblem<dim> &problem, const Input input)
  {
    if (input == Input::forcing)
      return nullptr;
    return std::make_unique<BoundaryProblem<dim>>(problem, input);
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


  void
  check_same_input(const LearnedKernel &kernel,
                   const std::string   &kernel_path,
                   const DatasetReader &reader)
  {
    const Input a = input_of(quadrature_kind(kernel.quadrature)),
                b = input_of(reader);
    if (a != b)
      throw Error("The kernel '",
                  kernel_path,
                  "' is for ",
                  input_words(a),
                  ", but the dataset '",
                  reader.path(),
                  "' has ",
                  input_words(b),
                  ".");
  }


#define INSTANTIATE(dim)                                                       \
  template class DatasetSpace<dim>;                                            \
  template decltype(make_boundary_problem<dim>) make_boundary_problem<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
