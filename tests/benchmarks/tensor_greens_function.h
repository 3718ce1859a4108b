// The exact discrete Green's function of Poisson's problem on a cube, row by
// row: what a hierarchical form is measured with on meshes that take too long
// to learn.

#ifndef evergreen_tests_benchmarks_tensor_greens_function_h
#define evergreen_tests_benchmarks_tensor_greens_function_h

#include <evergreen/base/blas.h>
#include <evergreen/surrogate/kernel_operator.h>

#include <tbb/parallel_for.h>

#include <cmath>
#include <vector>

namespace Evergreen
{
  /**
   * The exact matrix K = A^{-1} M of trilinear elements on n^3 cells: in one
   * dimension S v = lambda M v with sine vectors v, so that
   * K = sum_abc v_a v_b v_c (v_a v_b v_c)^T M / (l_a + l_b + l_c).
   */
  class TensorGreensFunction
  {
  public:
    explicit TensorGreensFunction(const unsigned int n) : n_(n - 1)
    {
      for (unsigned int k = 1; k < n; ++k)
        {
          const double t    = M_PI * k / n;
          const double mass = (4 + 2 * std::cos(t)) / 6 / n;
          masses_.push_back(mass);
          eigenvalues_.push_back((2 - 2 * std::cos(t)) * n / mass);
          for (unsigned int i = 1; i < n; ++i)
            modes_.push_back(std::sqrt(2. / (n * mass)) * std::sin(t * i));
        }
    }

    /** The row of interior node (x, y, z): entries for interior nodes. */
    void
    row(const unsigned int x,
        const unsigned int y,
        const unsigned int z,
        double            *result) const
    {
      // M (v_a v_b v_c) is the product of the masses times the same modes.
      const unsigned int  n = n_;
      std::vector<double> c(n * n * n), t(n * n * n);
      for (unsigned int k = 0; k < n; ++k)
        for (unsigned int j = 0; j < n; ++j)
          for (unsigned int i = 0; i < n; ++i)
            c[(k * n + j) * n + i] =
              modes_[i * n + x] * modes_[j * n + y] * modes_[k * n + z] *
              masses_[i] * masses_[j] * masses_[k] /
              (eigenvalues_[i] + eigenvalues_[j] + eigenvalues_[k]);
      for (unsigned int direction = 0; direction < 3; ++direction)
        {
          // Transforms the first index and makes it the last.
          Blas::gemm('T',
                     'T',
                     n * n,
                     n,
                     n,
                     1.,
                     c.data(),
                     n,
                     modes_.data(),
                     n,
                     0.,
                     t.data(),
                     n * n);
          std::swap(c, t);
        }
      std::copy(c.begin(), c.end(), result);
    }

    unsigned int
    n() const
    {
      return n_;
    }

  private:
    unsigned int        n_;
    std::vector<double> masses_, eigenvalues_, modes_;
  };


  /** Interior nodes in rows and columns; forcings vanish at the boundary. */
  inline RowSource
  tensor_source(const TensorGreensFunction &greens)
  {
    const std::size_t n = greens.n(), m = n * n * n;
    RowSource         source;
    source.dim    = 3;
    source.n_rows = source.n_columns = m;
    for (std::size_t i = 0; i < m; ++i)
      for (const std::size_t k : {i % n, i / n % n, i / n / n})
        source.row_points.push_back((k + 1.) / (n + 1));
    source.column_points = source.row_points;
    source.rows = [&greens, n, m](const std::vector<std::size_t> &rows) {
      std::vector<double>      values(rows.size() * m);
      const Blas::SingleThread quiet_blas;
      tbb::parallel_for(std::size_t(0), rows.size(), [&](const std::size_t i) {
        const auto s = rows[i];
        greens.row(s % n, s / n % n, s / n / n, &values[i * m]);
      });
      return values;
    };
    return source;
  }
} // namespace Evergreen

#endif
