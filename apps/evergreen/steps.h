// The steps from a configuration to pictures, on a setting that is made once:
// commands do one of them, `run` and `reproduce` several.

#ifndef evergreen_app_steps_h
#define evergreen_app_steps_h

#include <evergreen/dataset_space.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>

#include <string>

namespace Evergreen
{
  /**
   * Makes a dataset and writes the first @p n_vtu samples for ParaView.
   * A @p quiet step prints nothing but warnings. Collective.
   */
  template <int dim>
  void
  generate(const DatasetSpace<dim> &setting,
           const Configuration     &configuration,
           const std::string       &output,
           const bool               resume,
           const bool               quiet = false,
           const unsigned int       n_vtu = 0);

  /**
   * Learns the kernel of a dataset and shows the progress. The checkpoint is
   * beside @p target, where the kernel will be. Collective.
   */
  template <int dim>
  LearningResult
  learn_with_progress(const DatasetSpace<dim> &setting,
                      const DatasetReader     &reader,
                      const Configuration     &configuration,
                      const std::string       &target,
                      const bool               resume,
                      const std::string       &title);

  /** The same as the whole work of a command: an interruption is an Error. */
  template <int dim>
  LearningResult
  learn(const DatasetSpace<dim> &setting,
        const DatasetReader     &reader,
        const Configuration     &configuration,
        const std::string       &output,
        const bool               resume);

  /** The test samples of a dataset for a kernel. Collective. */
  template <int dim>
  TestSet<dim>
  test_set_of(const DatasetSpace<dim> &setting,
              const DatasetReader     &reader,
              const LearnedKernel     &kernel);

  /**
   * Fills in the test and kernel errors of the history of @p result at the
   * numbers of neurons that it has coefficients for, the last included (or
   * @p only_the_last), and returns them. Collective.
   */
  template <int dim>
  KernelErrors
  complete_history(const DatasetSpace<dim> &setting,
                   const TestSet<dim>      &tests,
                   LearningResult          &result,
                   const bool               only_the_last = false);

  /**
   * Writes a kernel, removes its checkpoints and says what came out.
   * Collective.
   */
  void
  save_kernel(const LearningResult &result,
              const std::string    &output,
              const MPI_Comm        communicator);


  /** What `evaluate` finds out; eps_G is eps_P for data on the boundary. */
  struct Evaluation
  {
    double      eps_u               = 0;
    double      eps_G               = 0;
    double      least_squares_eps_u = 0;
    Input       input               = Input::forcing;
    std::size_t neurons             = 0;
    std::size_t samples             = 0;
    double      seconds             = 0;
  };

  /**
   * Puts the last of the @p errors of a kernel on @p tests, those of a dataset,
   * beside those of least squares. Collective.
   */
  template <int dim>
  Evaluation
  evaluate(const TestSet<dim>  &tests,
           const DatasetReader &reader,
           const LearnedKernel &kernel,
           const KernelErrors  &errors);

  /** Prints it as a table for people. */
  void
  print_errors(const Evaluation &result);

  /** "Helmholtz, K = 10, on the disk", or another @p name for the problem. */
  std::string
  title_of(const Configuration &configuration, const std::string &name);

  /**
   * Writes the explorer's page of a kernel, with the facts of a dataset unless
   * @p reader is nullptr, and says where it is and what it lacks. Without a
   * page in this build an Error says what is missing. Collective.
   */
  void
  write_explorer(const LearnedKernel &kernel,
                 const DatasetReader *reader,
                 const std::string   &output,
                 const MPI_Comm       communicator);

  /** Draws the pictures of a run and writes its fields. Collective. */
  template <int dim>
  void
  draw(const DatasetSpace<dim> &setting,
       const DatasetReader     &reader,
       const LearnedKernel     &kernel,
       const std::string       &directory);
} // namespace Evergreen

#endif
