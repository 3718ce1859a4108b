#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/random.h>
#include <evergreen/greedy/coordinates.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace Evergreen
{
  void
  parallel_gemm(const char                     op_a,
                const char                     op_b,
                const double                   alpha,
                const MatrixView<const double> a,
                const MatrixView<const double> b,
                const double                   beta,
                const MatrixView<double>       c)
  {
    constexpr std::size_t width = 32;
    if (c.n_rows == 0)
      return;
    tbb::parallel_for(
      std::size_t(0), (c.n_columns + width - 1) / width, [&](std::size_t i) {
        const std::size_t j = i * width, n = std::min(width, c.n_columns - j);
        Blas::gemm(op_a,
                   op_b,
                   alpha,
                   a,
                   op_b == 'N' ? b.columns(j, n)
                               : MatrixView<const double>(
                                   b.data + j, n, b.n_columns, b.ld),
                   beta,
                   c.columns(j, n));
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
      const MatrixView<const double> v_view(v.data(), n, k);
      const MatrixView<double>       s_view(s, n, n_columns),
        c(products.data(), k, n_columns);
      parallel_gemm('T', 'N', 1., v_view, s_view, 0., c);
      parallel_gemm('N', 'N', -1., v_view, c, 1., s_view);
    }


    // S = F^T Omega summed over the ranks, with a random matrix Omega whose
    // entries depend on the numbers of row and column alone.
    std::vector<double>
    random_combinations(const std::vector<double> &f,
                        const std::size_t          n_rows,
                        const std::size_t          n_owned,
                        const std::size_t          n_columns,
                        const std::uint64_t        first_row,
                        const std::size_t          first_combination,
                        const std::size_t          n_combinations,
                        const MPI_Comm             comm)
    {
      std::vector<double> omega(n_owned * n_combinations);
      for (std::size_t j = 0; j < n_combinations; ++j)
        for (std::size_t i = 0; i < n_owned; ++i)
          omega[j * n_owned + i] = Random::uniform(0,
                                                   Random::Stream::validation,
                                                   1 + first_combination + j,
                                                   first_row + i) -
                                   0.5;
      std::vector<double> s(n_columns * n_combinations);
      if (n_owned > 0)
        parallel_gemm('T',
                      'N',
                      1.,
                      {f.data(), n_owned, n_columns, n_rows},
                      {omega.data(), n_owned, n_combinations},
                      0.,
                      {s.data(), n_columns, n_combinations});
      Collective::sum(comm, s);
      return s;
    }


    // Replaces S by an orthonormal basis of what it adds to the span of V:
    // directions larger than the threshold.
    void
    orthonormalise(const std::size_t          n,
                   const std::vector<double> &v,
                   const double               threshold,
                   std::vector<double>       &s)
    {
      const std::size_t width = s.size() / n;
      remove_span(n, v, width, s.data());
      remove_span(n, v, width, s.data());
      const auto  sizes = Blas::pivoted_qr(static_cast<int>(n),
                                          static_cast<int>(width),
                                          s.data());
      std::size_t n_new = 0;
      while (n_new < width && sizes[n_new] > threshold)
        ++n_new;

      // Small directions carry rounding along V: once more as unit vectors.
      s.resize(n * n_new);
      remove_span(n, v, n_new, s.data());
      if (n_new > 0)
        Blas::pivoted_qr(static_cast<int>(n),
                         static_cast<int>(n_new),
                         s.data());
    }
  } // namespace


  std::vector<double>
  row_space(const std::vector<double> &f,
            const std::size_t          n_rows,
            const std::size_t          n_owned,
            const std::size_t          n_columns,
            const MPI_Comm             comm)
  {
    int    rank   = 0;
    double offset = 0;
    MPI_Comm_rank(comm, &rank);
    const double owned = static_cast<double>(n_owned);
    MPI_Exscan(&owned, &offset, 1, MPI_DOUBLE, MPI_SUM, comm);
    const std::uint64_t first_row = (rank == 0) ? 0 : std::uint64_t(offset);
    const std::size_t   all_rows  = std::size_t(Collective::sum(comm, owned));
    const std::size_t   max_rank  = std::min(all_rows, n_columns);
    const double        tolerance =
      8 * std::numeric_limits<double>::epsilon() *
      std::sqrt(static_cast<double>(std::max(all_rows, n_columns)));

    std::vector<double> v;
    double              scale = 0;
    for (std::size_t r = 0; r < max_rank;)
      {
        const std::size_t width = std::min(sketch_block, max_rank - r);
        auto              s     = random_combinations(
          f, n_rows, n_owned, n_columns, first_row, r, width, comm);
        scale =
          std::max(scale,
                   std::sqrt(
                     std::inner_product(s.begin(), s.end(), s.begin(), 0.) /
                     static_cast<double>(width)));
        if (scale == 0)
          throw Error("All forcings are zero: there is nothing to learn from.");
        orthonormalise(n_columns, v, tolerance * scale, s);

        // All ranks go on with exactly the same numbers.
        double n_new = static_cast<double>(s.size() / n_columns);
        Collective::broadcast(comm, &n_new, 1);
        s.resize(static_cast<std::size_t>(n_new) * n_columns);
        Collective::broadcast(comm, s.data(), s.size());
        v.insert(v.end(), s.begin(), s.end());
        r = v.size() / n_columns;
        if (n_new < static_cast<double>(width))
          break;
      }
    return v;
  }
} // namespace Evergreen
