// How good a kernel is: errors of solutions, errors of kernels, and the
// least-squares baseline.

#ifndef evergreen_kernel_errors_h
#define evergreen_kernel_errors_h

#include <evergreen/data/samples.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/space_rule.h>
#include <evergreen/kernel/learned_kernel.h>

#include <vector>

namespace Evergreen
{
  /**
   * The mean of the roots of errors over norms, given by their squares; those
   * of which the norm is zero are left out, and it is NaN if all are.
   */
  double
  mean_of_ratios(const std::vector<double> &error_squares,
                 const std::vector<double> &squares);


  /**
   * Test samples on this rank, and the norms in which solutions are compared:
   * L2 by the mass matrix if the response nodes are all nodes where u is not
   * given, otherwise a weighted sum over them.
   */
  template <int dim>
  class TestSet
  {
  public:
    /** For kernels with this quadrature at these nodes. Collective. */
    TestSet(const Space<dim>               &space,
            const Samples                  &samples,
            const std::vector<std::size_t> &response,
            const std::string              &quadrature);

    std::size_t
    n_samples() const
    {
      return n_samples_;
    }

    MPI_Comm
    communicator() const
    {
      return space_.communicator();
    }

    /** The quadrature of the space. */
    const DistributedRule &
    rule() const
    {
      return rule_;
    }

    /** The forcings at the rows of the rule, a column a sample. */
    const std::vector<double> &
    forcings() const
    {
      return forcings_;
    }

    /**
     * \f$\varepsilon_u=\frac1N\sum_j\|u_j-\tilde u_j\|/\|u_j\|\f$ for
     * predictions at the response nodes, a column a sample, the same on all
     * ranks. Collective. Samples with u = 0 are left out.
     */
    double
    mean_relative_error(const std::vector<double> &predictions) const;

  private:
    const Space<dim>         &space_;
    std::vector<std::int64_t> slice_of_node_; // or -1
    std::size_t               n_slices_;
    DistributedRule           rule_;
    std::size_t               n_samples_;
    std::vector<double>       forcings_, solutions_;
    std::vector<double>       weights_; // of the local nodes; empty for L2

    std::vector<double>
    square_norms(const std::vector<double> &columns) const;
  };


  /** The samples of a dataset for kernels with this quadrature. Collective. */
  template <int dim>
  TestSet<dim>
  read_test_set(const Space<dim>               &space,
                const DatasetReader            &reader,
                const Split                     split,
                const std::vector<std::size_t> &response,
                const std::string              &quadrature = "fe");


  /** Errors for every level of a kernel; none if they were not asked for. */
  struct KernelErrors
  {
    std::vector<double> eps_u;
    std::vector<double> eps_G;
  };

  /**
   * The errors of all levels of a kernel on @p space: of solutions, by the mean
   * over @p tests, and of the kernel itself,
   * \f$\varepsilon_G=\|G-\tilde G\|/\|G\|\f$ in L2 over the response points and
   * the domain (or the boundary, for data there), with the exact kernel of @p
   * problem or its discrete Green's function. Either may be null, and a problem
   * that knows its exact kernel need not be set up. Collective.
   */
  template <int dim>
  KernelErrors
  kernel_errors(const LearnedKernel &kernel,
                const Space<dim>    &space,
                const TestSet<dim>  *tests,
                LinearProblem<dim>  *problem);


  /**
   * The minimum-norm least-squares map \f$\tilde u=UF^+f\f$ learned from the
   * samples for training of one dataset and applied to the test samples of the
   * same or of another one of the same mesh: values at the response nodes, a
   * column a test sample. Collective; rank 0 computes.
   */
  std::vector<double>
  least_squares_predictions(const DatasetReader            &training,
                            const DatasetReader            &tests,
                            const std::vector<std::size_t> &response,
                            const MPI_Comm                  communicator);
} // namespace Evergreen

#endif
