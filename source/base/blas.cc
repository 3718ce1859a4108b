#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>

extern "C"
{
  void
  dgemm_(const char *,
         const char *,
         const int *,
         const int *,
         const int *,
         const double *,
         const double *,
         const int *,
         const double *,
         const int *,
         const double *,
         double *,
         const int *);
  void
  sgemm_(const char *,
         const char *,
         const int *,
         const int *,
         const int *,
         const float *,
         const float *,
         const int *,
         const float *,
         const int *,
         const float *,
         float *,
         const int *);
  void
  dgesdd_(const char *,
          const int *,
          const int *,
          double *,
          const int *,
          double *,
          double *,
          const int *,
          double *,
          const int *,
          double *,
          const int *,
          int *,
          int *);
  void
  dgemv_(const char *,
         const int *,
         const int *,
         const double *,
         const double *,
         const int *,
         const double *,
         const int *,
         const double *,
         double *,
         const int *);
  void
  dgeqp3_(const int *,
          const int *,
          double *,
          const int *,
          int *,
          double *,
          double *,
          const int *,
          int *);
  void
  dorgqr_(const int *,
          const int *,
          const int *,
          double *,
          const int *,
          const double *,
          double *,
          const int *,
          int *);
  void
  dpstrf_(const char *,
          const int *,
          double *,
          const int *,
          int *,
          int *,
          const double *,
          double *,
          int *);
}

namespace Evergreen
{
  namespace Blas
  {
    void
    gemm(const char    op_a,
         const char    op_b,
         const int     n_rows,
         const int     n_columns,
         const int     n_inner,
         const double  alpha,
         const double *a,
         const int     lda,
         const double *b,
         const int     ldb,
         const double  beta,
         double       *c,
         const int     ldc)
    {
      dgemm_(&op_a,
             &op_b,
             &n_rows,
             &n_columns,
             &n_inner,
             &alpha,
             a,
             &lda,
             b,
             &ldb,
             &beta,
             c,
             &ldc);
    }


    void
    gemm(const char   op_a,
         const char   op_b,
         const int    n_rows,
         const int    n_columns,
         const int    n_inner,
         const float  alpha,
         const float *a,
         const int    lda,
         const float *b,
         const int    ldb,
         const float  beta,
         float       *c,
         const int    ldc)
    {
      sgemm_(&op_a,
             &op_b,
             &n_rows,
             &n_columns,
             &n_inner,
             &alpha,
             a,
             &lda,
             b,
             &ldb,
             &beta,
             c,
             &ldc);
    }


    void
    singular_values(const int            m,
                    const int            n,
                    std::vector<double> &a,
                    std::vector<double> &s,
                    std::vector<double> *u,
                    std::vector<double> *vt)
    {
      const int  k            = std::min(m, n);
      const bool with_vectors = (u != nullptr && vt != nullptr);
      const char job          = with_vectors ? 'S' : 'N';

      s.resize(k);
      std::vector<double> unused(1);
      if (with_vectors)
        {
          u->resize(static_cast<std::size_t>(m) * k);
          vt->resize(static_cast<std::size_t>(k) * n);
        }
      double *const    u_data  = with_vectors ? u->data() : unused.data();
      double *const    vt_data = with_vectors ? vt->data() : unused.data();
      const int        ldvt    = with_vectors ? k : 1;
      std::vector<int> iwork(8 * k);

      int        info  = 0;
      int        lwork = -1;
      double     size  = 0;
      const auto call  = [&](double *work) {
        dgesdd_(&job,
                &m,
                &n,
                a.data(),
                &m,
                s.data(),
                u_data,
                &m,
                vt_data,
                &ldvt,
                work,
                &lwork,
                iwork.data(),
                &info);
      };
      call(&size);
      lwork = static_cast<int>(size);
      std::vector<double> work(lwork);
      call(work.data());
      if (info != 0)
        throw Error("The singular value decomposition of a ",
                    m,
                    " x ",
                    n,
                    " matrix failed (dgesdd returned ",
                    info,
                    "): check the data for NaN or infinite values.");
    }


    std::vector<double>
    pivoted_cholesky(const int            n,
                     std::vector<double> &a,
                     const double         tolerance)
    {
      const char          lower = 'L';
      std::vector<int>    pivots(n);
      std::vector<double> work(2 * static_cast<std::size_t>(n));
      int                 rank = 0;
      int                 info = 0;
      dpstrf_(&lower,
              &n,
              a.data(),
              &n,
              pivots.data(),
              &rank,
              &tolerance,
              work.data(),
              &info);
      if (info < 0)
        throw Error("The pivoted Cholesky factorisation of a ",
                    n,
                    " x ",
                    n,
                    " matrix failed (dpstrf returned ",
                    info,
                    ").");

      std::vector<double> factor(static_cast<std::size_t>(n) * rank);
      for (int j = 0; j < rank; ++j)
        for (int i = j; i < n; ++i)
          factor[static_cast<std::size_t>(j) * n + pivots[i] - 1] =
            a[static_cast<std::size_t>(j) * n + i];
      return factor;
    }


    void
    gemv(const char    op,
         const int     m,
         const int     n,
         const double  alpha,
         const double *a,
         const int     lda,
         const double *x,
         const double  beta,
         double       *y)
    {
      const int one = 1;
      dgemv_(&op, &m, &n, &alpha, a, &lda, x, &one, &beta, y, &one);
    }


    std::vector<double>
    pivoted_qr(const int m, const int n, double *a)
    {
      std::vector<int>    pivots(n);
      std::vector<double> tau(n), diagonal(n);
      const int           lwork = 64 * (n + 1);
      std::vector<double> work(lwork);
      int                 info = 0;
      dgeqp3_(
        &m, &n, a, &m, pivots.data(), tau.data(), work.data(), &lwork, &info);
      for (int j = 0; j < n; ++j)
        diagonal[j] = std::abs(a[static_cast<std::size_t>(j) * m + j]);
      if (info == 0)
        dorgqr_(&m, &n, &n, a, &m, tau.data(), work.data(), &lwork, &info);
      if (info != 0)
        throw Error("The QR factorisation of a ",
                    m,
                    " x ",
                    n,
                    " matrix failed (LAPACK returned ",
                    info,
                    ").");
      return diagonal;
    }


    void
    set_n_threads(const unsigned int n_threads)
    {
      using Setter = void (*)(int);
      if (const auto set = reinterpret_cast<Setter>(
            dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
        set(static_cast<int>(n_threads));
    }


    unsigned int
    n_threads()
    {
      using Getter = int (*)();
      if (const auto get = reinterpret_cast<Getter>(
            dlsym(RTLD_DEFAULT, "openblas_get_num_threads")))
        return static_cast<unsigned int>(get());
      return 1;
    }


    SingleThread::SingleThread() : n_threads_before(n_threads())
    {
      set_n_threads(1);
    }


    SingleThread::~SingleThread()
    {
      set_n_threads(n_threads_before);
    }
  } // namespace Blas
} // namespace Evergreen
