#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/twin/coarse_solver.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <umfpack.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    // Columns that pass through the triangles together.
    constexpr std::size_t n_at_once = 8;

    // A dense product is that much faster for each entry, and an inverse may
    // have no more entries than this.
    constexpr double      dense_advantage = 10;
    constexpr std::size_t max_dense       = std::size_t(1) << 26;


    /** UMFPACK's numeric factor, freed in any case. */
    struct Factor
    {
      ~Factor()
      {
        umfpack_dl_free_symbolic(&symbolic);
        umfpack_dl_free_numeric(&numeric);
      }
      void *symbolic = nullptr;
      void *numeric  = nullptr;
    };


    void
    check(const SuiteSparse_long status)
    {
      if (status == UMFPACK_OK)
        return;
      if (status == UMFPACK_WARNING_singular_matrix)
        throw Error(
          "The matrix of the twin is singular: it needs more "
          "samples.");
      throw Error("UMFPACK cannot factor the matrix of the twin (status ",
                  status,
                  ").");
    }


    using Integers = std::vector<SuiteSparse_long>;


    /** The rows are columns for UMFPACK: it factors the transposed matrix. */
    void
    factor_transposed(const CsrMatrix &matrix, Factor &f)
    {
      const Integers starts(matrix.starts.begin(), matrix.starts.end());
      const Integers columns(matrix.columns.begin(), matrix.columns.end());
      const auto     n = static_cast<SuiteSparse_long>(matrix.n_rows());
      check(umfpack_dl_symbolic(n,
                                n,
                                starts.data(),
                                columns.data(),
                                matrix.values.data(),
                                &f.symbolic,
                                nullptr,
                                nullptr));
      check(umfpack_dl_numeric(starts.data(),
                               columns.data(),
                               matrix.values.data(),
                               f.symbolic,
                               &f.numeric,
                               nullptr,
                               nullptr));
    }
  } // namespace


  CoarseSolver::CoarseSolver(const CsrMatrix &matrix, const Form form)
    : n_(matrix.n_rows()), form_(form)
  {
    if (matrix.n_columns != n_ || n_ == 0)
      throw Error("The matrix of a twin has to be square, not ",
                  n_,
                  " x ",
                  matrix.n_columns,
                  ".");
    factor(matrix);
    if (form == Form::automatic)
      form_ = n_ * n_ <= max_dense &&
                  n_ * n_ <= dense_advantage * (lower_.size() + upper_.size())
                ? Form::dense
                : Form::sparse;
    if (form_ == Form::dense)
      invert();
  }


  void
  CoarseSolver::factor(const CsrMatrix &matrix)
  {
    Factor f;
    factor_transposed(matrix, f);

    // P R A^T Q = L U, hence A = (R^-1 P^T L U Q^T)^T = Q U^T L^T P R^-1: first
    // the lower triangle U^T, whose rows are U's columns, then L^T, whose
    // columns are L's rows.
    SuiteSparse_long n_lower, n_upper, rows, cols, unused, reciprocal;
    check(umfpack_dl_get_lunz(
      &n_lower, &n_upper, &rows, &cols, &unused, f.numeric));
    Integers            lp(n_ + 1), lj(n_lower), up(n_ + 1), ui(n_upper);
    Integers            p(n_), q(n_);
    std::vector<double> lx(n_lower), ux(n_upper), d(n_), r(n_);
    check(umfpack_dl_get_numeric(lp.data(),
                                 lj.data(),
                                 lx.data(),
                                 up.data(),
                                 ui.data(),
                                 ux.data(),
                                 p.data(),
                                 q.data(),
                                 d.data(),
                                 &reciprocal,
                                 r.data(),
                                 f.numeric));
    row_order_.assign(q.begin(), q.end());
    column_order_.assign(p.begin(), p.end());
    diagonal_ = std::move(d);
    scaling_  = std::move(r);
    if (!reciprocal)
      for (double &factor : scaling_)
        factor = 1 / factor;

    const auto keep = [&](const Integers            &from_starts,
                          const Integers            &from,
                          const std::vector<double> &from_values,
                          std::vector<std::int64_t> &to_starts,
                          std::vector<std::int32_t> &to,
                          std::vector<double>       &to_values) {
      to_starts = {0};
      for (std::size_t i = 0; i < n_; ++i)
        {
          for (auto k = from_starts[i]; k < from_starts[i + 1]; ++k)
            if (from[k] != static_cast<SuiteSparse_long>(i))
              {
                to.push_back(static_cast<std::int32_t>(from[k]));
                to_values.push_back(from_values[k]);
              }
          to_starts.push_back(to.size());
        }
    };
    keep(up, ui, ux, lower_starts_, lower_columns_, lower_);
    keep(lp, lj, lx, upper_starts_, upper_rows_, upper_);
  }


  void
  CoarseSolver::invert()
  {
    inverse_.assign(n_ * n_, 0.);
    for (std::size_t i = 0; i < n_; ++i)
      inverse_[i * n_ + i] = 1;
    form_ = Form::sparse;
    solve(inverse_.data(), n_);
    form_ = Form::dense;
    for (auto *const values : {&lower_, &upper_, &diagonal_, &scaling_})
      std::vector<double>().swap(*values);
    for (auto *const indices : {&lower_columns_, &upper_rows_})
      std::vector<std::int32_t>().swap(*indices);
  }


  /** No more than n_at_once columns: x(i, c) is at i * n_at_once + c. */
  void
  CoarseSolver::solve_some(double *const columns, const std::size_t n) const
  {
    std::vector<double> x(n_ * n_at_once, 0.);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < n; ++c)
        x[i * n_at_once + c] = columns[c * n_ + row_order_[i]];
    for (std::size_t i = 0; i < n_; ++i)
      {
        double *const row = &x[i * n_at_once];
        for (auto k = lower_starts_[i]; k < lower_starts_[i + 1]; ++k)
          {
            const double *const other = &x[lower_columns_[k] * n_at_once];
            for (std::size_t c = 0; c < n_at_once; ++c)
              row[c] -= lower_[k] * other[c];
          }
        for (std::size_t c = 0; c < n_at_once; ++c)
          row[c] /= diagonal_[i];
      }
    for (std::size_t i = n_; i-- > 0;)
      {
        const double *const row = &x[i * n_at_once];
        for (auto k = upper_starts_[i]; k < upper_starts_[i + 1]; ++k)
          {
            double *const other = &x[upper_rows_[k] * n_at_once];
            for (std::size_t c = 0; c < n_at_once; ++c)
              other[c] -= upper_[k] * row[c];
          }
      }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < n; ++c)
        columns[c * n_ + column_order_[i]] =
          x[i * n_at_once + c] * scaling_[column_order_[i]];
  }


  void
  CoarseSolver::solve(double *columns, const std::size_t n) const
  {
    if (form_ == Form::dense)
      {
        const std::vector<double> rhs(columns, columns + n * n_);
        Blas::gemm('N',
                   'N',
                   1.,
                   MatrixView<const double>(inverse_.data(), n_, n_),
                   MatrixView<const double>(rhs.data(), n_, n),
                   0.,
                   MatrixView<double>(columns, n_, n));
        return;
      }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, n_at_once),
                      [&](const tbb::blocked_range<std::size_t> &range) {
                        for (std::size_t j = range.begin(); j < range.end();
                             j += n_at_once)
                          solve_some(columns + j * n_,
                                     std::min(n_at_once, range.end() - j));
                      });
  }
} // namespace Evergreen
