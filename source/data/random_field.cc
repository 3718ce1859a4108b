#include "normal_numbers.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/error.h>
#include <evergreen/data/covariance_factor.h>
#include <evergreen/data/random_field.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  namespace
  {
    // The coefficients of this many bytes are made at a time.
    constexpr std::size_t coefficient_memory = std::size_t(64) << 20;


    void
    check_points(const unsigned int              dim,
                 const std::vector<double>      &points,
                 const std::vector<std::size_t> &local_nodes)
    {
      if (dim < 1 || dim > 3 || points.empty() || points.size() % dim != 0)
        throw Error("Random functions need points of 1, 2 or 3 coordinates; ",
                    points.size(),
                    " numbers were given for dimension ",
                    dim,
                    ".");
      for (std::size_t i = 0; i < points.size(); ++i)
        if (!std::isfinite(points[i]))
          throw Error("Node ", i / dim, " is not at a finite point.");
      for (const std::size_t node : local_nodes)
        if (node >= points.size() / dim)
          throw Error("Node ", node, " does not exist.");
    }
  } // namespace


  RandomField::RandomField(const ForcingParameters        &parameters,
                           const unsigned int              dim,
                           const std::vector<double>      &points,
                           const std::vector<std::size_t> &local_nodes,
                           const std::size_t               memory_limit)
    : seed(parameters.seed), n_local_nodes(local_nodes.size())
  {
    parameters.check();
    check_points(dim, points, local_nodes);
    if (parameters.model == "gaussian-process")
      prepare_gaussian_process(parameters, dim, points, local_nodes);
    else
      prepare_series(
        parameters.wavelength, dim, points, local_nodes, memory_limit);
  }


  void
  RandomField::prepare_gaussian_process(
    const ForcingParameters        &parameters,
    const unsigned int              dim,
    const std::vector<double>      &points,
    const std::vector<std::size_t> &local_nodes)
  {
    const bool matern = (parameters.covariance == "matern");
    if (!matern && dim > 1)
      if (const auto grid = TensorGrid::find(dim, points))
        {
          tensor_factor =
            std::make_unique<const TensorCovarianceFactor>(parameters.length,
                                                           *grid);
          for (const std::size_t node : local_nodes)
            grid_indices.push_back(grid->index_of_point[node]);
          return;
        }

    CovarianceFactor factor(
      matern ? matern_covariance(parameters.length, parameters.smoothness)
             : squared_exponential_covariance(parameters.length),
      matern,
      dim,
      points,
      local_nodes);
    matrix              = std::move(factor.matrix);
    coefficient_indices = std::move(factor.positions);
    n_normals           = 1 + *std::max_element(coefficient_indices.begin(),
                                      coefficient_indices.end());
  }


  void
  RandomField::prepare_series(const double                    wavelength,
                              const unsigned int              dim,
                              const std::vector<double>      &points,
                              const std::vector<std::size_t> &local_nodes,
                              const std::size_t               memory_limit)
  {
    basis     = std::make_unique<const BandLimitedBasis>(wavelength,
                                                     dim,
                                                     points,
                                                     local_nodes);
    n_normals = basis->size();
    coefficient_indices.resize(n_normals);
    std::iota(coefficient_indices.begin(), coefficient_indices.end(), 0);
    const std::size_t row_bytes = basis->size() * sizeof(double);
    rows_per_block = std::max<std::size_t>(1, memory_limit / row_bytes);
    if (rows_per_block >= n_local_nodes)
      {
        matrix.resize(n_local_nodes * basis->size());
        basis->evaluate(0, n_local_nodes, matrix.data());
      }
  }


  std::size_t
  RandomField::n_local() const
  {
    return n_local_nodes;
  }


  std::size_t
  RandomField::n_coefficients() const
  {
    return (tensor_factor != nullptr) ? tensor_factor->n_coefficients()
                                      : coefficient_indices.size();
  }


  void
  RandomField::sample(const Random::Stream stream,
                      const std::uint64_t  first,
                      const std::size_t    count,
                      double              *values) const
  {
    if (tensor_factor != nullptr)
      {
        sample_on_grid(stream, first, count, values);
        return;
      }
    const std::size_t n = n_coefficients();
    const std::size_t block =
      std::max<std::size_t>(1, coefficient_memory / (n * sizeof(double)));
    std::vector<double> coefficients(std::min(block, count) * n);
    for (std::size_t start = 0; start < count; start += block)
      {
        const std::size_t n_now = std::min(block, count - start);
        tbb::parallel_for(std::size_t(0), n_now, [&](const std::size_t j) {
          fill_coefficients(stream, first + start + j, &coefficients[j * n]);
        });
        multiply(n_now, coefficients.data(), values + start * n_local_nodes);
      }
  }


  // Sample by sample, on all points of the grid.
  void
  RandomField::sample_on_grid(const Random::Stream stream,
                              const std::uint64_t  first,
                              const std::size_t    count,
                              double              *values) const
  {
    if (n_local_nodes == 0)
      return;
    const auto sample_some = [&](const tbb::blocked_range<std::size_t> &range) {
      std::vector<double> coefficients(n_coefficients());
      std::vector<double> on_grid(tensor_factor->n_points());
      for (std::size_t j = range.begin(); j < range.end(); ++j)
        {
          tensor_factor->draw(seed, stream, first + j, coefficients.data());
          tensor_factor->multiply(coefficients.data(), on_grid.data());
          for (std::size_t i = 0; i < n_local_nodes; ++i)
            values[j * n_local_nodes + i] = on_grid[grid_indices[i]];
        }
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), sample_some);
  }


  void
  RandomField::fill_coefficients(const Random::Stream stream,
                                 const std::uint64_t  sample,
                                 double              *coefficients) const
  {
    const std::size_t n = n_coefficients();
    if (basis != nullptr)
      {
        Internal::fast_normals(seed, stream, sample, 0, n, coefficients);
        return;
      }
    std::vector<double> sequence(n_normals);
    Internal::fast_normals(seed, stream, sample, 0, n_normals, sequence.data());
    for (std::size_t k = 0; k < n; ++k)
      coefficients[k] = sequence[coefficient_indices[k]];
  }


  void
  RandomField::multiply(const std::size_t count,
                        const double     *coefficients,
                        double           *values) const
  {
    // In parts of some rows, each on one of our threads.
    const Blas::SingleThread one_thread;
    constexpr std::size_t    part    = 128;
    const auto               product = [&](const double     *rows,
                             const std::size_t first,
                             const std::size_t n_rows) {
      const int         n = static_cast<int>(n_coefficients());
      const std::size_t n_parts = (n_rows + part - 1) / part;
      tbb::parallel_for(std::size_t(0), n_parts, [&](const std::size_t p) {
        Blas::gemm('N',
                   'N',
                   static_cast<int>(std::min(part, n_rows - p * part)),
                   static_cast<int>(count),
                   n,
                   1.,
                   rows + p * part,
                   static_cast<int>(n_rows),
                   coefficients,
                   n,
                   0.,
                   values + first + p * part,
                   static_cast<int>(n_local_nodes));
      });
    };
    if (n_local_nodes == 0 || count == 0)
      return;
    if (!matrix.empty())
      {
        product(matrix.data(), 0, n_local_nodes);
        return;
      }

    std::vector<double> rows(rows_per_block * n_coefficients());
    for (std::size_t first = 0; first < n_local_nodes; first += rows_per_block)
      {
        const std::size_t n_rows =
          std::min(rows_per_block, n_local_nodes - first);
        basis->evaluate(first, n_rows, rows.data());
        product(rows.data(), first, n_rows);
      }
  }
} // namespace Evergreen
