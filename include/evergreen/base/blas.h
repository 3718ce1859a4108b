// The few BLAS and LAPACK routines that Evergreen calls, with C++ overloads.
//
// We call the Fortran symbols: through deal.II's link line the cblas_ ones may
// resolve to GSL's slow reference implementation. All matrices are stored
// column by column.

#ifndef evergreen_base_blas_h
#define evergreen_base_blas_h

#include <evergreen/base/matrix_view.h>

#include <vector>

namespace Evergreen
{
  namespace Blas
  {
    /**
     * C = alpha op(A) op(B) + beta C, with op given by 'N' or 'T', in double
     * or single precision.
     */
    template <typename Number>
    void
    gemm(char          op_a,
         char          op_b,
         int           n_rows,
         int           n_columns,
         int           n_inner,
         Number        alpha,
         const Number *a,
         int           lda,
         const Number *b,
         int           ldb,
         Number        beta,
         Number       *c,
         int           ldc);

    /** The same for matrices that know their sizes. */
    void
    gemm(char                     op_a,
         char                     op_b,
         double                   alpha,
         MatrixView<const double> a,
         MatrixView<const double> b,
         double                   beta,
         MatrixView<double>       c);

    /**
     * The singular value decomposition A = U diag(s) V^T of an m x n matrix
     * with k = min(m, n) singular values in decreasing order; @p u is m x k,
     * @p vt is k x n. Pass nullptr for both to get the values only. The
     * contents of @p a are destroyed.
     */
    void
    singular_values(int                  m,
                    int                  n,
                    std::vector<double> &a,
                    std::vector<double> &s,
                    std::vector<double> *u,
                    std::vector<double> *vt);

    /** y = alpha op(A) x + beta y for an m x n matrix A. */
    void
    gemv(char          op,
         int           m,
         int           n,
         double        alpha,
         const double *a,
         int           lda,
         const double *x,
         double        beta,
         double       *y);

    /**
     * QR factorisation with column pivoting of an m x n matrix, m >= n, which
     * is replaced by the orthonormal factor. Returns the absolute values of
     * the diagonal of R, in decreasing order: the columns whose value is
     * negligible are arbitrary.
     */
    std::vector<double>
    pivoted_qr(int m, int n, double *a);

    /**
     * Sets the number of threads of the BLAS library at run time where the
     * library allows it (OpenBLAS); elsewhere this does nothing.
     */
    void
    set_n_threads(unsigned int n_threads);

    /** The number of threads in use by the BLAS library, 1 if unknown. */
    unsigned int
    n_threads();


    /**
     * Keeps the BLAS library at one thread as long as the object lives: for
     * code that calls it from several threads of its own.
     */
    class SingleThread
    {
    public:
      SingleThread();
      ~SingleThread();
      SingleThread(const SingleThread &) = delete;
      SingleThread &
      operator=(const SingleThread &) = delete;

    private:
      unsigned int n_threads_before;
    };
  } // namespace Blas
} // namespace Evergreen

#endif
