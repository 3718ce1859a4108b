// The setting of a dataset: its mesh, its finite element space and the problem
// that its pairs solve.

#ifndef evergreen_dataset_space_h
#define evergreen_dataset_space_h

#include <evergreen/configuration.h>
#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/boundary_problem.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/learned_kernel.h>

#include <memory>
#include <string>
#include <type_traits>

namespace Evergreen
{
  /**
   * The mesh, the space and the problem of a dataset, each made once: by the
   * parameters before there is a file, or as a file says. All functions are
   * collective.
   */
  template <int dim>
  class DatasetSpace
  {
  public:
    /** Of a dataset that is to be made; the problem is set up. */
    DatasetSpace(const Configuration &configuration,
                 const MPI_Comm       communicator);

    /** Of a dataset that is there. */
    DatasetSpace(const DatasetReader &reader, const MPI_Comm communicator);

    const MeshSpace<dim> &
    space() const
    {
      return space_;
    }

    /**
     * The problem that the dataset was made with, of forcings or of data on
     * the boundary, whose Green's function can
     * be compared with; nullptr if the file does not tell or was made by
     * somebody else's operator. Unless it @p must_solve, it is not set up if
     * its kernel is known without.
     */
    LinearProblem<dim> *
    problem(const bool must_solve = false) const;

    /** The frame of the problem; a trivial one if it is not known. */
    Frame
    frame() const
    {
      return problem_ ? problem_->frame(space_) : Frame();
    }

  private:
    std::unique_ptr<LinearProblem<dim>>   problem_;
    std::unique_ptr<BoundaryProblem<dim>> boundary_problem_; // or nullptr
    Mesh<dim>                             mesh_;
    MeshSpace<dim>                        space_;
    mutable bool                          is_set_up_ = false;
  };


  /** The problem for other inputs than forcings; for these nullptr. */
  template <int dim>
  std::unique_ptr<BoundaryProblem<dim>>
  make_boundary_problem(LinearProblem<dim> &problem, const Input input);


  /** Throws an Error unless a kernel and a dataset have the same mesh. */
  void
  check_same_mesh(const LearnedKernel &kernel,
                  const std::string   &kernel_path,
                  const DatasetReader &reader);


  /** Throws an Error unless a kernel is for what a dataset has. */
  void
  check_same_input(const LearnedKernel &kernel,
                   const std::string   &kernel_path,
                   const DatasetReader &reader);


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
