// How good a kernel is: errors of solutions, errors of kernels, and the
// least-squares baseline.

#ifndef evergreen_kernel_errors_h
#define evergreen_kernel_errors_h

#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/kernel/learning_data.h>

#include <vector>

namespace Evergreen
{
  /**
   * The test samples of a dataset on this rank, and the norms in which
   * solutions are compared: L2 by the mass matrix if the response nodes are
   * all nodes where u is not given, otherwise a weighted sum over them.
   */
  template <int dim>
  class TestSet
  {
  public:
    TestSet(const Space<dim>                &space,
            const DatasetReader             &reader,
            const Split                      split,
            const std::vector<std::int64_t> &response);

    std::size_t
    n_samples() const
    {
      return n_samples_;
    }

    /** Forcings at the rows of @p rule, a column a sample. */
    std::vector<double>
    forcings(const DistributedRule &rule) const;

    /**
     * \f$\varepsilon_u=\frac1N\sum_j\|u_j-\tilde u_j\|/\|u_j\|\f$ for
     * predictions at the response nodes, a column a sample, the same on all
     * ranks. Collective. Samples with u = 0 are left out.
     */
    double
    mean_relative_error(const std::vector<double> &predictions) const;

    /** The errors of some kernels of the same response nodes. Collective. */
    std::vector<double>
    errors_of(const std::vector<LearnedKernel> &kernels,
              const DistributedRule            &rule) const;

  private:
    const Space<dim>         &space_;
    const DatasetReader      &reader_;
    Split                     split_;
    std::vector<std::int64_t> response_;
    std::size_t               n_samples_;
    bool                      covers_all_;
    std::vector<double>       solutions_; // at the local nodes
    std::vector<double>       weights_; // of the local nodes

    std::vector<double>
    square_norms(const std::vector<double> &columns) const;
  };


  /**
   * \f$\varepsilon_G=\|G-\tilde G\|/\|G\|\f$ in L2 over the response points
   * and the domain, with the exact kernel of @p problem or its discrete
   * Green's function, for some kernels of the same response nodes. Collective.
   */
  template <int dim>
  std::vector<double>
  kernel_errors(const std::vector<LearnedKernel> &kernels,
                LinearProblem<dim>               &problem);

  /**
   * The minimum-norm least-squares map \f$\tilde u=UF^+f\f$ learned from the
   * training samples and applied to the test samples: values at the response
   * nodes, a column a test sample. Collective; rank 0 computes.
   */
  std::vector<double>
  least_squares_predictions(const DatasetReader             &reader,
                            const std::vector<std::int64_t> &response,
                            const MPI_Comm                   communicator);

  /** The same for the test samples of another dataset on the same mesh. */
  std::vector<double>
  least_squares_predictions(const DatasetReader             &training,
                            const DatasetReader             &tests,
                            const std::vector<std::int64_t> &response,
                            const MPI_Comm                   communicator);
} // namespace Evergreen

#endif
