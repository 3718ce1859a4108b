#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/greedy/collective.h>
#include <evergreen/greedy/row_space.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace Evergreen
{
  void
  parallel_gemm(const char        op_a,
                const char        op_b,
                const std::size_t n_rows,
                const std::size_t n_columns,
                const std::size_t n_inner,
                const double      alpha,
                const double     *a,
                const std::size_t lda,
                const double     *b,
                const std::size_t ldb,
                const double      beta,
                double           *c,
                const std::size_t ldc)
  {
    constexpr std::size_t width = 32;
    if (n_rows == 0)
      return;
    tbb::parallel_for(
      std::size_t(0), (n_columns + width - 1) / width, [&](std::size_t i) {
        const std::size_t j = i * width;
        Blas::gemm(op_a,
                   op_b,
                   static_cast<int>(n_rows),
                   static_cast<int>(std::min(width, n_columns - j)),
                   static_cast<int>(n_inner),
                   alpha,
                   a,
                   static_cast<int>(lda),
                   b + (op_b == 'N' ? j * ldb : j),
                   static_cast<int>(ldb),
                   beta,
                   c + j * ldc,
                   static_cast<int>(ldc));
      });
  }


  namespace
  {
    // How many random combinations of rows are drawn at a time.
    constexpr std::size_t sketch_block = 64;


    // S <- S - V (V^T S), S with n_columns columns of n entries.
    void
    remove_span(const std::size_t          n,
                const std::vector<double> &v,
                const std::size_t          n_columns,
                double                    *s)
    {
      const std::size_t   k = v.size() / n;
      std::vector<double> products(k * n_columns);
      if (k == 0)
        return;
      parallel_gemm('T',
                    'N',
                    k,
                    n_columns,
                    n,
                    1.,
                    v.data(),
                    n,
                    s,
                    n,
                    0.,
                    products.data(),
                    k);
      parallel_gemm('N',
                    'N',
                    n,
                    n_columns,
                    k,
                    -1.,
                    v.data(),
                    n,
                    products.data(),
                    k,
                    1.,
                    s,
                    n);
    }

  } // namespace


  std::vector<double>
  row_space(const std::vector<double> &f,
            const std::size_t          n_f_rows,
            const std::size_t          n_owned,
            const std::size_t          n_samples,
            const MPI_Comm             comm)
  {
    // The number of the rank's first row among all.
    double offset = 0, owned = static_cast<double>(n_owned);
    MPI_Exscan(&owned, &offset, 1, MPI_DOUBLE, MPI_SUM, comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::uint64_t first    = (rank == 0) ? 0 : std::uint64_t(offset);
    const std::size_t   n_nodes  = std::size_t(Collective::sum(comm, owned));
    const std::size_t   max_rank = std::min(n_nodes, n_samples);
    const double        tolerance =
      8 * std::numeric_limits<double>::epsilon() *
      std::sqrt(static_cast<double>(std::max(n_nodes, n_samples)));

    std::vector<double> v;
    std::size_t         r     = 0;
    double              scale = 0;
    while (r < max_rank)
      {
        const std::size_t   width = std::min(sketch_block, max_rank - r);
        std::vector<double> omega(n_owned * width), s(n_samples * width);
        for (std::size_t j = 0; j < width; ++j)
          for (std::size_t i = 0; i < n_owned; ++i)
            omega[j * n_owned + i] =
              2 * Random::uniform(0,
                                  Random::Stream::validation,
                                  r + j,
                                  first + i) -
              1;
        parallel_gemm('T',
                      'N',
                      n_owned > 0 ? n_samples : 0,
                      width,
                      n_owned,
                      1.,
                      f.data(),
                      n_f_rows,
                      omega.data(),
                      n_owned,
                      0.,
                      s.data(),
                      n_samples);
        Collective::sum(comm, s.data(), s.size());
        scale =
          std::max(scale,
                   std::sqrt(
                     std::inner_product(s.begin(), s.end(), s.begin(), 0.) /
                     width));
        if (scale == 0)
          throw Error("All forcings are zero: there is nothing to learn from.");

        // Twice, the second time with unit vectors, is enough.
        remove_span(n_samples, v, width, s.data());
        remove_span(n_samples, v, width, s.data());
        const auto sizes =
          Blas::pivoted_qr(int(n_samples), int(width), s.data());
        std::size_t n_new = 0;
        while (n_new < width && sizes[n_new] > tolerance * scale)
          ++n_new;
        remove_span(n_samples, v, n_new, s.data());
        if (n_new > 0)
          Blas::pivoted_qr(int(n_samples), int(n_new), s.data());
        s.resize(n_samples * n_new);
        Collective::broadcast(comm, s.data(), s.size());
        v.insert(v.end(), s.begin(), s.end());
        r += n_new;
        if (n_new < width)
          break;
      }
    return v;
  }
} // namespace Evergreen
