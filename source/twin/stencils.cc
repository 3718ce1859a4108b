#include "stencils.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/twin/coarse_solver.h>
#include <evergreen/twin/ridge_row.h>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace Evergreen
{
  namespace
  {
    constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

    /** Where the coefficients of each row begin. */
    std::vector<std::size_t>
    starts_of(const Stencils &stencils)
    {
      std::vector<std::size_t> starts = {0};
      for (std::size_t s = 0; s < stencils.values.size(); ++s)
        starts.push_back(starts.back() + stencils.size(s));
      return starts;
    }
  } // namespace


  Stencils::Stencils(const TwinData     &data,
                     const StencilShape &shape,
                     const std::size_t   stride)
    : shape(shape), values(data.free.size()), moments(data.free.size())
  {
    std::vector<std::uint32_t> place(data.mesh.mesh.n_nodes(), nowhere);
    for (std::size_t s = 0; s < data.free.size(); ++s)
      place[data.free[s]] = static_cast<std::uint32_t>(s);
    const MomentFamily &family = data.mesh.families[shape.family];
    tbb::parallel_for(
      std::size_t(0), data.free.size(), stride, [&](std::size_t s) {
        for (const std::size_t k :
             data.mesh.graph.rings(data.free[s], shape.value_rings))
          if (k != data.free[s] && place[k] != nowhere)
            values[s].push_back(place[k]);
        for (const std::size_t k :
             family.graph.rings(data.free[s], shape.moment_rings))
          moments[s].push_back(static_cast<std::uint32_t>(k));
      });
  }


  std::size_t
  Stencils::max_size() const
  {
    std::size_t result = 0;
    for (std::size_t s = 0; s < values.size(); ++s)
      result = std::max(result, size(s));
    return result;
  }


  std::size_t
  longest_row(const TwinData &data, const StencilShape &shape)
  {
    constexpr std::size_t n_probes = 64;
    return Stencils(data, shape, 1 + data.free.size() / n_probes).max_size();
  }


  RowProblem::RowProblem(const TwinData &data, const MPI_Comm communicator)
    : data_(data)
    , communicator_(communicator)
    , n_free_(data.free.size())
    , values_(n_free_ * data.n_samples)
    , norms_(data.n_samples, 0.)
  {
    const std::size_t n_nodes = data.mesh.mesh.n_nodes(), n = data.n_samples;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t s = 0; s < n_free_; ++s)
        {
          const double value = data.values[j * n_nodes + data.free[s]];
          values_[s * n + j] = value;
          norms_[j] += value * value;
        }
    for (double &norm : norms_)
      norm = std::sqrt(norm);
    for (const MomentFamily &family : data.mesh.families)
      {
        std::vector<double> columns = data.moments;
        const CsrMatrix    &map     = family.from_finest;
        if (map.n_rows() > 0)
          {
            columns.resize(map.n_rows() * n);
            map.multiply(data.moments.data(), columns.data(), n);
          }
        const std::size_t   size = family.integrals.size();
        std::vector<double> rows(columns.size());
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < size; ++k)
            rows[k * n + j] = columns[j * size + k];
        moments_.push_back(std::move(rows));
      }
  }


  /** The part [first, last) of some equal pieces of work for this rank. */
  std::pair<std::size_t, std::size_t>
  RowProblem::share(const std::size_t n) const
  {
    int rank, n_ranks;
    MPI_Comm_rank(communicator_, &rank);
    MPI_Comm_size(communicator_, &n_ranks);
    return {n * rank / n_ranks, n * (rank + 1) / n_ranks};
  }


  std::vector<RowFits>
  RowProblem::fit(const Stencils                         &stencils,
                  const std::vector<double>              &ridges,
                  const std::vector<std::vector<double>> &priors) const
  {
    const std::size_t    n      = data_.n_samples;
    const auto           starts = starts_of(stencils);
    std::vector<RowFits> fits(ridges.size());
    for (std::size_t r = 0; r < ridges.size(); ++r)
      fits[r] = {ridges[r],
                 std::vector<double>(starts.back(), 0.),
                 std::vector<double>(n_free_ * n, 0.)};

    std::vector<double> conditions(n_free_, 0.);
    const auto          fit_row = [&](const std::size_t s) {
      std::vector<double> columns;
      columns.reserve(stencils.size(s) * n);
      const auto append = [&](const std::vector<double>        &rows,
                              const std::vector<std::uint32_t> &which) {
        for (const std::uint32_t k : which)
          columns.insert(columns.end(), &rows[k * n], &rows[k * n] + n);
      };
      append(values_, stencils.values[s]);
      append(moments_[stencils.shape.family], stencils.moments[s]);
      const RidgeRow row(std::move(columns),
                         {&values_[s * n], &values_[s * n] + n},
                         stencils.size(s));
      conditions[s] = row.condition();
      for (std::size_t r = 0; r < ridges.size(); ++r)
        {
          std::vector<double> prior;
          if (!priors.empty() && !priors[r].empty())
            prior.assign(&priors[r][starts[s]],
                         &priors[r][starts[s]] + stencils.size(s));
          const auto fit = row.fit(ridges[r], prior);
          std::copy(fit.coefficients.begin(),
                    fit.coefficients.end(),
                    fits[r].coefficients.begin() + starts[s]);
          for (std::size_t j = 0; j < n; ++j)
            fits[r].left_out[j * n_free_ + s] = fit.left_out[j];
        }
    };
    const auto [first, last] = share(n_free_);
    {
      const Blas::SingleThread one_thread;
      collectively(communicator_, [&, first = first, last = last]() {
        tbb::parallel_for(first, last, fit_row);
      });
    }
    const double condition = Collective::maximum(
      communicator_, *std::max_element(conditions.begin(), conditions.end()));
    for (RowFits &fit : fits)
      {
        fit.condition = condition;
        Collective::sum(communicator_, fit.coefficients);
        Collective::sum(communicator_, fit.left_out);
      }
    return fits;
  }


  std::vector<double>
  RowProblem::errors_of_answers(const Stencils &stencils,
                                const RowFits  &fits) const
  {
    const std::size_t   n = data_.n_samples;
    std::vector<double> errors(n, 0.);
    if (!std::all_of(fits.left_out.begin(), fits.left_out.end(), [](double e) {
          return std::isfinite(e);
        }))
      return std::vector<double>(n, std::numeric_limits<double>::infinity());
    const auto [first, last] = share(n);
    std::vector<double> answers(fits.left_out.begin() + first * n_free_,
                                fits.left_out.begin() + last * n_free_);
    try
      {
        CoarseSolver(value_matrix(stencils, fits), CoarseSolver::Form::sparse)
          .solve(answers.data(), last - first);
      }
    catch (const Error &) // a singular matrix, on all ranks
      {
        return std::vector<double>(n, std::numeric_limits<double>::infinity());
      }
    for (std::size_t j = first; j < last; ++j)
      {
        double square = 0;
        for (std::size_t s = 0; s < n_free_; ++s)
          square += std::pow(answers[(j - first) * n_free_ + s], 2);
        errors[j] = norms_[j] > 0 ? std::sqrt(square) / norms_[j] : 0.;
      }
    Collective::sum(communicator_, errors);
    return errors;
  }


  CsrMatrix
  RowProblem::value_matrix(const Stencils &stencils, const RowFits &fits) const
  {
    const auto starts = starts_of(stencils);
    CsrMatrix  a;
    a.n_columns = n_free_;
    for (std::size_t s = 0; s < n_free_; ++s)
      {
        std::vector<std::pair<std::uint32_t, double>> row;
        row.emplace_back(s, 1.);
        for (std::size_t k = 0; k < stencils.values[s].size(); ++k)
          row.emplace_back(stencils.values[s][k],
                           -fits.coefficients[starts[s] + k]);
        std::sort(row.begin(), row.end());
        a.add_row(row);
      }
    return a;
  }


  CsrMatrix
  RowProblem::moment_matrix(const Stencils &stencils, const RowFits &fits) const
  {
    const auto starts = starts_of(stencils);
    CsrMatrix  b;
    b.n_columns = data_.mesh.families[stencils.shape.family].integrals.size();
    for (std::size_t s = 0; s < n_free_; ++s)
      {
        const std::size_t first = starts[s] + stencils.values[s].size();
        std::vector<std::pair<std::uint32_t, double>> row;
        for (std::size_t k = 0; k < stencils.moments[s].size(); ++k)
          row.emplace_back(stencils.moments[s][k],
                           fits.coefficients[first + k]);
        b.add_row(row);
      }
    return b;
  }


  CommonRow::CommonRow(const TwinData &data, const Stencils &stencils)
    : starts_(starts_of(stencils))
  {
    // Fewer rows, of all that there are, have no common shape.
    constexpr double   least_share = 0.1;
    const unsigned int dim         = data.mesh.mesh.dim;
    const auto        &points      = data.mesh.mesh.points;
    const auto  &others = data.mesh.families[stencils.shape.family].points;
    const double unit =
      1e-7 * (*std::max_element(points.begin(), points.end()) -
              *std::min_element(points.begin(), points.end()));

    // Directions are multiples of a small length, of values or of moments.
    std::map<std::vector<std::int64_t>, std::size_t>             numbers;
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> rows_of_shape;
    for (std::size_t s = 0; s < data.free.size(); ++s)
      {
        std::vector<std::size_t> shape;
        const auto add = [&](const double *point, const std::int64_t kind) {
          std::vector<std::int64_t> direction = {kind};
          for (unsigned int d = 0; d < dim; ++d)
            direction.push_back(
              std::llround((point[d] - points[data.free[s] * dim + d]) / unit));
          shape.push_back(numbers.emplace(std::move(direction), numbers.size())
                            .first->second);
        };
        for (const std::uint32_t k : stencils.values[s])
          add(&points[data.free[k] * dim], 0);
        for (const std::uint32_t k : stencils.moments[s])
          add(&others[k * dim], 1);
        directions_.insert(directions_.end(), shape.begin(), shape.end());
        std::sort(shape.begin(), shape.end());
        rows_of_shape[shape].push_back(s);
      }
    n_directions_ = numbers.size();
    for (const auto &[shape, rows] : rows_of_shape)
      if (rows.size() > commonest_.size())
        commonest_ = rows;
    if (commonest_.size() < std::max(5., least_share * data.free.size()))
      commonest_.clear();
  }


  std::vector<double>
  CommonRow::like(const std::vector<double> &coefficients) const
  {
    std::vector<std::vector<double>> samples(n_directions_);
    for (const std::size_t s : commonest_)
      for (std::size_t k = starts_[s]; k < starts_[s + 1]; ++k)
        samples[directions_[k]].push_back(coefficients[k]);
    std::vector<double> medians(n_directions_, 0.);
    for (std::size_t d = 0; d < n_directions_; ++d)
      if (!samples[d].empty())
        {
          const auto middle = samples[d].begin() + samples[d].size() / 2;
          std::nth_element(samples[d].begin(), middle, samples[d].end());
          medians[d] = *middle;
        }
    std::vector<double> result;
    for (const std::size_t direction : directions_)
      result.push_back(medians[direction]);
    return result;
  }
} // namespace Evergreen
