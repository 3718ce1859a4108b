#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>

#include <deal.II/lac/lapack_templates.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>

extern "C" void
dgeqp3_(const int *,
        const int *,
        double *,
        const int *,
        int *,
        double *,
        double *,
        const int *,
        int *);

namespace Evergreen
{
  namespace Blas
  {
    template <typename Number>
    void
    gemm(const char    op_a,
         const char    op_b,
         const int     n_rows,
         const int     n_columns,
         const int     n_inner,
         const Number  alpha,
         const Number *a,
         const int     lda,
         const Number *b,
         const int     ldb,
         const Number  beta,
         Number       *c,
         const int     ldc)
    {
      dealii::gemm(&op_a,
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


    template decltype(gemm<double>) gemm<double>;
    template decltype(gemm<float>)  gemm<float>;


    void
    gemm(const char                     op_a,
         const char                     op_b,
         const double                   alpha,
         const MatrixView<const double> a,
         const MatrixView<const double> b,
         const double                   beta,
         const MatrixView<double>       c)
    {
      const auto as_int = [](const std::size_t n) {
        return static_cast<int>(n);
      };
      gemm(op_a,
           op_b,
           as_int(c.n_rows),
           as_int(c.n_columns),
           as_int(op_a == 'N' ? a.n_columns : a.n_rows),
           alpha,
           a.data,
           as_int(a.ld),
           b.data,
           as_int(b.ld),
           beta,
           c.data,
           as_int(c.ld));
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
        dealii::gesdd(&job,
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
      dealii::gemv(&op, &m, &n, &alpha, a, &lda, x, &one, &beta, y, &one);
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
        dealii::orgqr(
          &m, &n, &n, a, &m, tau.data(), work.data(), &lwork, &info);
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
