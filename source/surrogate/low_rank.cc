#include <evergreen/base/blas.h>
#include <evergreen/surrogate/low_rank.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace
  {
    /** The position of the largest entry and the sum of all squares. */
    struct Survey
    {
      std::size_t row = 0, column = 0;
      double      largest = 0;
      double      square  = 0;
    };


    /** Subtracts u v^T (nothing if u is empty) and surveys what is left. */
    Survey
    subtract_cross(const std::size_t          n_rows,
                   const std::size_t          n_columns,
                   const double              *u,
                   const std::vector<double> &v,
                   std::vector<double>       &block)
    {
      Survey survey;
      for (std::size_t i = 0; i < n_rows; ++i)
        {
          double *const row     = block.data() + i * n_columns;
          double        square  = 0;
          double        largest = 0;
          if (u != nullptr)
            for (std::size_t j = 0; j < n_columns; ++j)
              row[j] -= u[i] * v[j];
          for (std::size_t j = 0; j < n_columns; ++j)
            {
              square += row[j] * row[j];
              largest = std::max(largest, std::abs(row[j]));
            }
          survey.square += square;
          if (largest > survey.largest)
            {
              survey.largest = largest;
              survey.row     = i;
              survey.column  = std::find_if(row,
                                           row + n_columns,
                                           [&](const double x) {
                                             return std::abs(x) == largest;
                                           }) -
                              row;
            }
        }
      return survey;
    }


    /** Replaces a by its orthonormal factor and returns R with a = Q R. */
    std::vector<double>
    orthonormalise(const std::size_t n, const std::size_t k, double *a)
    {
      const std::vector<double> copy(a, a + n * k);
      std::vector<double>       r(k * k);
      Blas::pivoted_qr(n, k, a);
      Blas::gemm('T', 'N', k, k, n, 1., a, n, copy.data(), n, 0., r.data(), k);
      return r;
    }


    /** How many singular values are needed for a relative tolerance. */
    std::size_t
    truncated_rank(const std::vector<double> &values, const double tolerance)
    {
      double total = 0;
      for (const double s : values)
        total += s * s;
      double      rest = 0;
      std::size_t rank = values.size();
      while (rank > 0 && rest + values[rank - 1] * values[rank - 1] <=
                           tolerance * tolerance * total)
        {
          --rank;
          rest += values[rank] * values[rank];
        }
      return rank;
    }
  } // namespace


  LowRankMatrix
  cross_approximation(const std::size_t    n_rows,
                      const std::size_t    n_columns,
                      std::vector<double> &block,
                      const double         tolerance,
                      const std::size_t    max_rank)
  {
    LowRankMatrix       result = {n_rows, n_columns, 0, {}, {}};
    std::vector<double> u, v;
    Survey       survey = subtract_cross(n_rows, n_columns, nullptr, v, block);
    const double goal   = tolerance * tolerance * survey.square;
    while (survey.square > goal && survey.largest > 0 && result.rank < max_rank)
      {
        const double *const pivot_row = &block[survey.row * n_columns];
        const double        pivot     = pivot_row[survey.column];
        v.assign(pivot_row, pivot_row + n_columns);
        u.resize(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i)
          u[i] = block[i * n_columns + survey.column] / pivot;
        result.u.insert(result.u.end(), u.begin(), u.end());
        result.v.insert(result.v.end(), v.begin(), v.end());
        ++result.rank;
        survey = subtract_cross(n_rows, n_columns, u.data(), v, block);
      }
    return result;
  }


  void
  recompress(LowRankMatrix &matrix, const double tolerance)
  {
    const std::size_t k = matrix.rank;
    if (k == 0 || k > std::min(matrix.n_rows, matrix.n_columns))
      return;
    const auto ru = orthonormalise(matrix.n_rows, k, matrix.u.data());
    const auto rv = orthonormalise(matrix.n_columns, k, matrix.v.data());
    std::vector<double> core(k * k), s, left, right;
    Blas::gemm(
      'N', 'T', k, k, k, 1., ru.data(), k, rv.data(), k, 0., core.data(), k);
    Blas::singular_values(k, k, core, s, &left, &right);

    const std::size_t   rank = truncated_rank(s, tolerance);
    std::vector<double> u(matrix.n_rows * rank), v(matrix.n_columns * rank);
    for (std::size_t j = 0; j < rank; ++j)
      for (std::size_t i = 0; i < k; ++i)
        left[j * k + i] *= s[j];
    if (rank > 0)
      {
        Blas::gemm('N',
                   'N',
                   1.,
                   {matrix.u.data(), matrix.n_rows, k},
                   {left.data(), k, rank},
                   0.,
                   {u.data(), matrix.n_rows, rank});
        Blas::gemm('N',
                   'T',
                   1.,
                   {matrix.v.data(), matrix.n_columns, k},
                   {right.data(), k, k},
                   0.,
                   {v.data(), matrix.n_columns, rank});
      }
    matrix.rank = rank;
    matrix.u    = std::move(u);
    matrix.v    = std::move(v);
  }


  LowRankMatrix
  stack(const LowRankMatrix &upper,
        const LowRankMatrix &lower,
        const double         tolerance)
  {
    LowRankMatrix result = {upper.n_rows + lower.n_rows,
                            upper.n_columns,
                            upper.rank + lower.rank,
                            {},
                            upper.v};
    result.v.insert(result.v.end(), lower.v.begin(), lower.v.end());
    result.u.assign(result.n_rows * result.rank, 0.);
    for (std::size_t j = 0; j < upper.rank; ++j)
      std::copy_n(&upper.u[j * upper.n_rows],
                  upper.n_rows,
                  &result.u[j * result.n_rows]);
    for (std::size_t j = 0; j < lower.rank; ++j)
      std::copy_n(&lower.u[j * lower.n_rows],
                  lower.n_rows,
                  &result.u[(upper.rank + j) * result.n_rows + upper.n_rows]);
    recompress(result, tolerance);
    return result;
  }
} // namespace Evergreen
