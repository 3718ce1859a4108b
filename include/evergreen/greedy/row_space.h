// The space spanned by the rows of a matrix that is distributed by rows.

#ifndef evergreen_greedy_row_space_h
#define evergreen_greedy_row_space_h

#include <evergreen/base/matrix_view.h>

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * C = alpha op(A) op(B) + beta C as Blas::gemm(), with the columns of C
   * shared among the threads of TBB; BLAS must have one thread.
   */
  void
  parallel_gemm(char                     op_a,
                char                     op_b,
                double                   alpha,
                MatrixView<const double> a,
                MatrixView<const double> b,
                double                   beta,
                MatrixView<double>       c);

  /**
   * An orthonormal basis V (n_columns x rank) of the row space of a matrix F,
   * of which this rank holds @p n_rows rows and owns the first @p n_owned.
   * Collective; all ranks get the same V.
   *
   * Random combinations of the rows are drawn in blocks and orthonormalised
   * by QR with pivoting until a block adds nothing beyond rounding. The loss
   * $\|F - F V V^T\|$ is that of a QR or singular value decomposition of F,
   * a small multiple of the rounding unit, at a fraction of their cost; no
   * Gram matrix is formed, and the ranks exchange one sum per block.
   */
  std::vector<double>
  row_space(const std::vector<double> &f,
            std::size_t                n_rows,
            std::size_t                n_owned,
            std::size_t                n_columns,
            MPI_Comm                   comm);
} // namespace Evergreen

#endif
