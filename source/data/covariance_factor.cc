#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace Evergreen
{
  namespace
  {
    double
    distance_square(const unsigned int dim, const double *x, const double *y)
    {
      double sum = 0.;
      for (unsigned int d = 0; d < dim; ++d)
        sum += (x[d] - y[d]) * (x[d] - y[d]);
      return sum;
    }


    // Each point is the farthest from all before it; among those that are
    // equally far up to rounding it is the first.
    std::vector<std::size_t>
    farthest_point_order(const unsigned int         dim,
                         const std::vector<double> &points)
    {
      const std::size_t        n = points.size() / dim;
      std::vector<std::size_t> order;
      std::vector<char>        taken(n, 0);
      std::vector<double>      distance(n, 1e300);
      for (std::size_t next = 0; order.size() < n;)
        {
          order.push_back(next);
          taken[next]    = 1;
          distance[next] = -1.;
          double largest = -1.;
          for (std::size_t i = 0; i < n; ++i)
            if (!taken[i])
              {
                distance[i] = std::min(distance[i],
                                       distance_square(dim,
                                                       &points[i * dim],
                                                       &points[next * dim]));
                largest     = std::max(largest, distance[i]);
              }
          next = std::find_if(distance.begin(),
                              distance.end(),
                              [&](const double d) {
                                return d >= 0. && d >= (1. - 1e-9) * largest;
                              }) -
                 distance.begin();
        }
      return order;
    }


    // The state of the factorisation. Its rows are reordered as it goes: those
    // that are eliminated come first, in the order of their columns.
    class Factorisation
    {
    public:
      Factorisation(const std::function<double(double)> &covariance,
                    const unsigned int                   dim,
                    const std::vector<double>           &points,
                    const double                         tolerance)
        : point_of_row(points.size() / dim)
        , covariance(covariance)
        , dim(dim)
        , tolerance(tolerance)
        , n(points.size() / dim)
        , points(points)
        , row_of_point(n)
        , variance(n, covariance(0.))
      {
        std::iota(point_of_row.begin(), point_of_row.end(), 0);
        std::iota(row_of_point.begin(), row_of_point.end(), 0);
      }

      // The rows to eliminate next; empty if what remains is negligible.
      std::vector<std::size_t>
      next_panel()
      {
        double largest = 0.;
        for (std::size_t row = n_columns; row < n; ++row)
          largest = std::max(largest, variance[row]);
        threshold = std::max(tolerance, share * largest);

        std::vector<std::size_t> panel;
        for (std::size_t p = 0; p < n && panel.size() < panel_size; ++p)
          if (const std::size_t row = row_of_point[p];
              row >= n_columns && variance[row] > threshold)
            panel.push_back(row);
        return panel;
      }
      // Adds the columns of these rows to the factor.
      void
      eliminate(const std::vector<std::size_t> &panel)
      {
        const std::vector<double>      columns = remaining_columns(panel);
        std::vector<double>            block;
        const std::vector<std::size_t> pivots =
          factorise_block(panel, columns, block);
        const std::size_t size = pivots.size();
        factor.resize((n_columns + size) * n, 0.);
        tbb::parallel_for(
          tbb::blocked_range<std::size_t>(n_columns, n, chunk_size),
          [&](const tbb::blocked_range<std::size_t> &rows) {
            solve_rows(pivots, block, rows.begin(), rows.end(), columns);
          });

        std::vector<std::size_t> pivot_points;
        for (const std::size_t pivot : pivots)
          pivot_points.push_back(point_of_row[panel[pivot]]);
        for (std::size_t j = 0; j < size; ++j)
          {
            // The pivots' own rows are known exactly.
            const std::size_t row = n_columns + j;
            swap_rows(row, row_of_point[pivot_points[j]]);
            for (std::size_t k = 0; k < size; ++k)
              factor[(n_columns + k) * n + row] =
                (k <= j) ? block[k * size + j] : 0.;
            variance[row] = 0.;
          }
        n_columns += size;
      }
      // E, column by column, and the place of each row in the given points.
      std::vector<double>      factor;
      std::vector<std::size_t> point_of_row;
      std::size_t              n_columns = 0;

    private:
      // The columns of K - E E^T of the panel, rows n_columns to n - 1.
      std::vector<double>
      remaining_columns(const std::vector<std::size_t> &panel) const
      {
        const std::size_t   size   = panel.size();
        const std::size_t   n_rows = n - n_columns;
        std::vector<double> columns(n_rows * size);
        std::vector<double> rows(size * n_columns);
        for (std::size_t k = 0; k < n_columns; ++k)
          for (std::size_t c = 0; c < size; ++c)
            rows[k * size + c] = factor[k * n + panel[c]];

        const std::size_t n_chunks = (n_rows + chunk_size - 1) / chunk_size;
        tbb::parallel_for(
          std::size_t(0), n_chunks, [&](const std::size_t chunk) {
            const std::size_t begin = chunk * chunk_size;
            const std::size_t end   = std::min(begin + chunk_size, n_rows);
            for (std::size_t c = 0; c < size; ++c)
              for (std::size_t i = begin; i < end; ++i)
                columns[c * n_rows + i] =
                  covariance(distance_square(dim,
                                             &points[(n_columns + i) * dim],
                                             &points[panel[c] * dim]));
            if (n_columns > 0)
              Blas::gemm('N',
                         'T',
                         static_cast<int>(end - begin),
                         static_cast<int>(size),
                         static_cast<int>(n_columns),
                         -1.,
                         factor.data() + n_columns + begin,
                         static_cast<int>(n),
                         rows.data(),
                         static_cast<int>(size),
                         1.,
                         columns.data() + begin,
                         static_cast<int>(n_rows));
          });
        return columns;
      }
      // Cholesky factorisation of the panel's own rows. Returns which of them
      // become pivots, and the lower triangle between these. The others have to
      // wait for a later panel.
      std::vector<std::size_t>
      factorise_block(const std::vector<std::size_t> &panel,
                      const std::vector<double>      &columns,
                      std::vector<double>            &block)
      {
        const std::size_t        size   = panel.size();
        const std::size_t        n_rows = n - n_columns;
        std::vector<std::size_t> pivots;
        std::vector<double>      lower(size * size, 0.);
        for (std::size_t c = 0; c < size; ++c)
          {
            const auto remaining = [&](const std::size_t r) {
              double value = columns[c * n_rows + panel[r] - n_columns];
              for (std::size_t k = 0; k < pivots.size(); ++k)
                value -= lower[k * size + r] * lower[k * size + c];
              return value;
            };
            const double pivot = remaining(c);
            if (!(pivot > threshold))
              continue;
            const double root = std::sqrt(pivot);
            for (std::size_t r = c; r < size; ++r)
              lower[pivots.size() * size + r] = remaining(r) / root;
            pivots.push_back(c);
          }
        // Rounding can hide the variance of the first: then it is negligible.
        if (pivots.empty())
          variance[panel[0]] = 0.;

        block.assign(pivots.size() * pivots.size(), 0.);
        for (std::size_t j = 0; j < pivots.size(); ++j)
          for (std::size_t i = j; i < pivots.size(); ++i)
            block[j * pivots.size() + i] = lower[j * size + pivots[i]];
        return pivots;
      }
      // Forward substitution with the panel's triangle, for some rows.
      void
      solve_rows(const std::vector<std::size_t> &pivots,
                 const std::vector<double>      &block,
                 const std::size_t               begin,
                 const std::size_t               end,
                 const std::vector<double>      &columns)
      {
        const std::size_t size   = pivots.size();
        const std::size_t n_rows = n - n_columns;
        double *const     result = factor.data() + n_columns * n;
        for (std::size_t j = 0; j < size; ++j)
          {
            double *const       target = result + j * n;
            const double *const source = columns.data() + pivots[j] * n_rows;
            for (std::size_t i = begin; i < end; ++i)
              target[i] = source[i - n_columns];
            for (std::size_t k = 0; k < j; ++k)
              {
                const double        weight   = block[k * size + j];
                const double *const previous = result + k * n;
                for (std::size_t i = begin; i < end; ++i)
                  target[i] -= weight * previous[i];
              }
            const double inverse = 1. / block[j * size + j];
            for (std::size_t i = begin; i < end; ++i)
              {
                target[i] *= inverse;
                variance[i] -= target[i] * target[i];
              }
          }
      }
      void
      swap_rows(const std::size_t a, const std::size_t b)
      {
        if (a == b)
          return;
        for (std::size_t k = 0; k * n < factor.size(); ++k)
          std::swap(factor[k * n + a], factor[k * n + b]);
        for (unsigned int d = 0; d < dim; ++d)
          std::swap(points[a * dim + d], points[b * dim + d]);
        std::swap(variance[a], variance[b]);
        std::swap(point_of_row[a], point_of_row[b]);
        row_of_point[point_of_row[a]] = a;
        row_of_point[point_of_row[b]] = b;
      }
      static constexpr std::size_t panel_size = 96;
      static constexpr std::size_t chunk_size = 256;

      // A row may be eliminated if its variance is not below this share of the
      // largest. It decides between stability (1) and independence of rounding.
      static constexpr double share = 0.3;

      const std::function<double(double)> &covariance;
      const unsigned int                   dim;
      const double                         tolerance;
      const std::size_t                    n;

      std::vector<double>      points;
      std::vector<std::size_t> row_of_point;

      // The diagonal of K - E E^T, and what a pivot must exceed.
      std::vector<double> variance;
      double              threshold = 0.;
    };


    [[noreturn]] void
    fail_for_memory(const std::size_t n,
                    const double      bytes,
                    const bool        at_least,
                    const std::size_t memory_limit)
    {
      throw Error("A Gaussian process at ",
                  n,
                  " points needs ",
                  at_least ? "more than " : "",
                  std::round(bytes / 0x1p30 * 100.) / 100.,
                  " GiB for the factor of its covariance (",
                  std::round(memory_limit / 0x1p30 * 100.) / 100.,
                  " GiB are allowed): use Forcing/Model = band-limited, a "
                  "longer Forcing/Length or a coarser mesh.");
    }
  } // namespace


  std::function<double(double)>
  squared_exponential_covariance(const double length)
  {
    const double factor = -0.5 / (length * length);
    return [factor](const double square) { return std::exp(factor * square); };
  }


  std::function<double(double)>
  matern_covariance(const double length, const double smoothness)
  {
    const double factor = 2. * smoothness / (length * length);
    if (smoothness == 0.5)
      return [factor](const double square) {
        return std::exp(-std::sqrt(factor * square));
      };
    if (smoothness == 1.5)
      return [factor](const double square) {
        const double s = std::sqrt(factor * square);
        return (1. + s) * std::exp(-s);
      };
    return [factor](const double square) {
      const double s = std::sqrt(factor * square);
      return (1. + s + s * s / 3.) * std::exp(-s);
    };
  }


  CovarianceFactor::CovarianceFactor(
    const std::function<double(double)> &covariance,
    const bool                           full_rank,
    const unsigned int                   dim,
    const std::vector<double>           &points,
    const std::vector<std::size_t>      &local_nodes,
    const double                         tolerance,
    const std::size_t                    memory_limit)
  {
    const std::size_t n     = points.size() / dim;
    const double      limit = static_cast<double>(memory_limit);
    const double      bytes = 8. * static_cast<double>(n) * n;
    if (full_rank && bytes > limit)
      fail_for_memory(n, bytes, false, memory_limit);

    const std::vector<std::size_t> order = farthest_point_order(dim, points);
    std::vector<double>            ordered(n * dim);
    for (std::size_t p = 0; p < n; ++p)
      std::copy_n(&points[order[p] * dim], dim, &ordered[p * dim]);

    // Our threads call the BLAS library on parts of fixed size, so that results
    // do not depend on their number.
    const Blas::SingleThread one_thread;
    Factorisation            work(covariance, dim, ordered, tolerance);
    if (full_rank)
      work.factor.reserve(n * n);
    for (auto panel = work.next_panel(); !panel.empty();
         panel      = work.next_panel())
      {
             const double needed = 8. * n * (work.n_columns + panel.size());
             if (needed > limit)
          fail_for_memory(n, needed, true, memory_limit);
        work.eliminate(panel);
      }

    std::vector<std::size_t> row_of_node(n);
    for (std::size_t row = 0; row < n; ++row)
      row_of_node[order[work.point_of_row[row]]] = row;
    positions.assign(work.point_of_row.begin(),
                     work.point_of_row.begin() + work.n_columns);
    matrix.resize(local_nodes.size() * positions.size());
    for (std::size_t k = 0; k < positions.size(); ++k)
      for (std::size_t i = 0; i < local_nodes.size(); ++i)
        matrix[k * local_nodes.size() + i] =
          work.factor[k * n + row_of_node[local_nodes[i]]];
  }


  namespace
  {
    // How far a point may be from its place: rounding, in the units of the
    // grid's extent and of the numbers themselves.
    double
    rounding_of(const double lower, const double upper)
    {
      return 1e-12 * (upper - lower) +
             8. * std::numeric_limits<double>::epsilon() *
               std::max(std::abs(lower), std::abs(upper));
    }


    // The different values among those given, in increasing order; values
    // closer than rounding are one.
    std::vector<double>
    different_values(std::vector<double> values)
    {
      std::sort(values.begin(), values.end());
      const double        rounding = rounding_of(values.front(), values.back());
      std::vector<double> different;
      for (const double value : values)
        if (different.empty() || value - different.back() > rounding)
          different.push_back(value);
      return different;
    }


    // The index of the largest entry that is not above the value.
    std::size_t
    place_of(const double value, const std::vector<double> &sorted)
    {
      return std::upper_bound(sorted.begin(), sorted.end(), value) -
             sorted.begin() - 1;
    }


    // C = A^T B^T (n_rows x n_columns), in parts so small that the BLAS library
    // uses one thread for each: the samples keep all of ours busy.
    void
    multiply_transposed(const std::size_t n_rows,
                        const std::size_t n_columns,
                        const std::size_t n_inner,
                        const double     *a,
                        const double     *b,
                        double           *c)
    {
      constexpr std::size_t small = 200000;
      const std::size_t     part =
        std::max<std::size_t>(16, small / (n_columns * n_inner));
      for (std::size_t first = 0; first < n_rows; first += part)
        Blas::gemm('T',
                   'T',
                   static_cast<int>(std::min(part, n_rows - first)),
                   static_cast<int>(n_columns),
                   static_cast<int>(n_inner),
                   1.,
                   a + first * n_inner,
                   static_cast<int>(n_inner),
                   b,
                   static_cast<int>(n_columns),
                   0.,
                   c + first,
                   static_cast<int>(n_rows));
    }
  } // namespace


  std::optional<TensorGrid>
  TensorGrid::find(const unsigned int dim, const std::vector<double> &points)
  {
    const std::size_t n = points.size() / dim;
    TensorGrid        grid;
    std::size_t       n_places = 1;
    for (unsigned int d = 0; d < dim; ++d)
      {
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i)
          values[i] = points[i * dim + d];
        grid.coordinates.push_back(different_values(std::move(values)));
        n_places *= grid.coordinates.back().size();
        if (n_places > n)
          return {};
      }
    if (n_places != n)
      return {};

    std::vector<char> taken(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      {
        std::size_t index = 0;
        for (unsigned int d = dim; d-- > 0;)
          index = index * grid.coordinates[d].size() +
                  place_of(points[i * dim + d], grid.coordinates[d]);
        if (std::exchange(taken[index], 1) != 0)
          return {};
        grid.index_of_point.push_back(index);
      }
    return grid;
  }


  TensorCovarianceFactor::TensorCovarianceFactor(const double      length,
                                                 const TensorGrid &grid)
  {
    for (const auto &coordinates : grid.coordinates)
      directions.push_back(factorise(length, coordinates));
    while (directions.size() < 3)
      directions.push_back({1, {1.}, {1.}});
    choose_columns();
  }


  TensorCovarianceFactor::Direction
  TensorCovarianceFactor::factorise(const double               length,
                                    const std::vector<double> &coordinates)
  {
    const std::size_t        n = coordinates.size();
    std::vector<std::size_t> points(n);
    std::iota(points.begin(), points.end(), 0);
    // Three such errors together stay below the tolerance.
    CovarianceFactor factor(squared_exponential_covariance(length),
                            false,
                            1,
                            coordinates,
                            points,
                            0.2 * CovarianceFactor::default_tolerance);

    const std::size_t   n_columns = factor.positions.size();
    std::vector<double> sizes(n_columns, 0.);
    for (std::size_t k = n_columns; k-- > 0;)
      {
        if (k + 1 < n_columns)
          sizes[k] = sizes[k + 1];
        for (std::size_t i = 0; i < n; ++i)
          sizes[k] = std::max(sizes[k], std::pow(factor.matrix[k * n + i], 2));
      }
    return {n, std::move(factor.matrix), std::move(sizes)};
  }


  // Leaves out columns whose variances add up to a share of the tolerance, the
  // smallest first.
  void
  TensorCovarianceFactor::choose_columns()
  {
    const auto         &first = directions[0].sizes;
    std::vector<double> rest;
    for (const double c : directions[2].sizes)
      for (const double b : directions[1].sizes)
        rest.push_back(b * c);

    std::vector<double> sizes;
    for (const double bc : rest)
      for (const double a : first)
        sizes.push_back(a * bc);
    std::sort(sizes.begin(), sizes.end());
    const double limit  = 0.4 * CovarianceFactor::default_tolerance;
    double       sum    = 0.;
    double       cutoff = 0.;
    for (const double size : sizes)
      {
        sum += size;
        if (sum > limit)
          break;
        cutoff = size;
      }

    for (const double bc : rest)
      {
        std::size_t length = 0;
        while (length < first.size() && first[length] * bc > cutoff)
          ++length;
        row_lengths.push_back(length);
        n_columns += length;
      }
  }


  std::size_t
  TensorCovarianceFactor::n_points() const
  {
    std::size_t n = 1;
    for (const Direction &direction : directions)
      n *= direction.n_points;
    return n;
  }


  void
  TensorCovarianceFactor::draw(const std::uint64_t  seed,
                               const Random::Stream stream,
                               const std::uint64_t  sample,
                               double              *coefficients) const
  {
    // Each row of the grid begins at an even number.
    const std::size_t stride =
      directions[0].n_points + directions[0].n_points % 2;
    std::size_t row = 0;
    for (std::size_t c = 0; c < directions[2].sizes.size(); ++c)
      for (std::size_t b = 0; b < directions[1].sizes.size(); ++b, ++row)
        {
          Random::normals(seed,
                          stream,
                          sample,
                          stride * (b + directions[1].n_points * c),
                          row_lengths[row],
                          coefficients);
          coefficients += row_lengths[row];
        }
  }


  void
  TensorCovarianceFactor::multiply(const double *coefficients,
                                   double       *values) const
  {
    // The coefficients as a full tensor, zero where columns are left out.
    const std::size_t   n_first = directions[0].sizes.size();
    std::vector<double> tensor(n_first * row_lengths.size(), 0.);
    for (std::size_t row = 0; row < row_lengths.size(); ++row)
      {
        std::copy_n(coefficients, row_lengths[row], &tensor[row * n_first]);
        coefficients += row_lengths[row];
      }

    // Each product replaces the fastest index by one that becomes the slowest:
    // after three of them the indices are in their order again.
    std::vector<double> result;
    for (const Direction &direction : directions)
      {
        const std::size_t n_others = tensor.size() / direction.sizes.size();
        const bool        last     = (&direction == &directions.back());
        result.resize(last ? 0 : n_others * direction.n_points);
        multiply_transposed(n_others,
                            direction.n_points,
                            direction.sizes.size(),
                            tensor.data(),
                            direction.matrix.data(),
                            last ? values : result.data());
        std::swap(tensor, result);
      }
  }
} // namespace Evergreen
