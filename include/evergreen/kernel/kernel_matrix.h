// A learned kernel on its own finite element space: integrals against shape
// functions.

#ifndef evergreen_kernel_kernel_matrix_h
#define evergreen_kernel_kernel_matrix_h

#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/kernel/learned_kernel.h>

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * The rows \f$K_{sk}=\int\tilde G(x_s,y)\varphi_k(y)\,dy\f$ of the given
   * slices, one after the other, with an entry for each row k of the rule.
   *
   * For a symmetrised kernel the rule must know the nodes of its rows. On a
   * rule that does not, as on another mesh, it is the kernel before it was
   * symmetrised.
   */
  std::vector<double>
  kernel_rows(const LearnedKernel            &kernel,
              const QuadratureRule           &rule,
              const std::vector<std::size_t> &slices);

  /** The same for the slices [first, last). */
  std::vector<double>
  kernel_rows(const LearnedKernel  &kernel,
              const QuadratureRule &rule,
              const std::size_t     first,
              const std::size_t     last);


  /**
   * The matrix \f$K_{sk}=\int\tilde G(x_s,y)\varphi_k(y)\,dy\f$ that maps the
   * nodal values of a forcing to the solution at the response nodes. Each rank
   * holds the part of its own quadrature points, and the parts are added.
   */
  class KernelMatrix
  {
  public:
    KernelMatrix(const LearnedKernel  &kernel,
                 const QuadratureRule &rule,
                 const MPI_Comm        communicator);

    /**
     * Applies the matrix to @p n_forcings columns, each with the values of all
     * rows of the rule. The result has one column of response values a
     * forcing, the same on all ranks. Collective.
     */
    std::vector<double>
    apply(const std::vector<double> &forcings,
          const std::size_t          n_forcings) const;

    /** This rank's part of a row, for the rows of the rule. */
    const double *
    row(const std::size_t slice) const
    {
      return &matrix_[slice * n_rows_];
    }

    std::size_t
    n_slices() const
    {
      return n_slices_;
    }

  private:
    MPI_Comm            communicator_;
    std::size_t         n_slices_;
    std::size_t         n_rows_;
    std::vector<double> matrix_; // slice by slice
  };
} // namespace Evergreen

#endif
