#include <evergreen/base/blas.h>
#include <evergreen/twin/ridge_row.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  namespace
  {
    // Smaller singular values, relative to the largest, are rounding errors.
    constexpr double negligible = 1e-13;
  } // namespace


  RidgeRow::RidgeRow(std::vector<double> columns,
                     std::vector<double> target,
                     const std::size_t   n_columns)
    : n_samples_(target.size())
    , n_columns_(n_columns)
    , columns_(std::move(columns))
    , target_(std::move(target))
    , scales_(n_columns, 1.)
  {
    std::vector<double> scaled = columns_;
    for (std::size_t k = 0; k < n_columns_; ++k)
      {
        double *const column = &scaled[k * n_samples_];
        double        square = 0;
        for (std::size_t n = 0; n < n_samples_; ++n)
          square += column[n] * column[n];
        if (square > 0)
          scales_[k] = std::sqrt(square);
        for (std::size_t n = 0; n < n_samples_; ++n)
          column[n] /= scales_[k];
      }
    const std::size_t size = std::min(n_samples_, n_columns_);
    Blas::singular_values(static_cast<int>(n_samples_),
                          static_cast<int>(n_columns_),
                          scaled,
                          singular_values_,
                          &u_,
                          &vt_);
    for (rank_ = 0; rank_ < size; ++rank_)
      if (!(singular_values_[rank_] > negligible * singular_values_[0]))
        break;
    // All directions together determine a sample that is not left out.
    undetermined_.assign(n_samples_, rank_ == n_samples_ ? 0. : 1.);
    if (rank_ < n_samples_)
      for (std::size_t k = 0; k < rank_; ++k)
        for (std::size_t n = 0; n < n_samples_; ++n)
          undetermined_[n] -= u_[k * n_samples_ + n] * u_[k * n_samples_ + n];
  }


  double
  RidgeRow::condition() const
  {
    return rank_ < n_columns_
             ? std::numeric_limits<double>::infinity()
             : singular_values_.front() / singular_values_[rank_ - 1];
  }


  RidgeRow::Fit
  RidgeRow::fit(const double ridge, const std::vector<double> &prior) const
  {
    const auto one = [](const std::size_t n) { return static_cast<int>(n); };
    std::vector<double> y = target_;
    if (!prior.empty())
      Blas::gemv('N',
                 one(n_samples_),
                 one(n_columns_),
                 -1.,
                 columns_.data(),
                 one(n_samples_),
                 prior.data(),
                 1.,
                 y.data());
    std::vector<double> uy(rank_), by_ridge(rank_);
    Blas::gemv('T',
               one(n_samples_),
               one(rank_),
               1.,
               u_.data(),
               one(n_samples_),
               y.data(),
               0.,
               uy.data());

    // What no direction explains, and what the ridge takes from each of them.
    Fit                 result;
    std::vector<double> rest = y, residuals(n_samples_, 0.);
    std::vector<double> free = undetermined_, weights(rank_);
    Blas::gemv('N',
               one(n_samples_),
               one(rank_),
               -1.,
               u_.data(),
               one(n_samples_),
               uy.data(),
               1.,
               rest.data());
    if (rank_ < n_samples_)
      residuals = rest;
    for (std::size_t k = 0; k < rank_; ++k)
      {
        const double s      = singular_values_[k];
        const double square = s * s + ridge * ridge;
        by_ridge[k]         = uy[k] * ridge * ridge / square;
        weights[k]          = uy[k] * s / square;
        for (std::size_t n = 0; n < n_samples_; ++n)
          {
            const double u = u_[k * n_samples_ + n];
            free[n] += u * u * ridge * ridge / square;
            residuals[n] += u * by_ridge[k];
          }
      }
    const double unknown = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < n_samples_; ++n)
      result.left_out.push_back(
        ridge > 0 || free[n] > 1e-12 ? residuals[n] / free[n] : unknown);

    result.coefficients.assign(n_columns_, 0.);
    Blas::gemv('T',
               one(rank_),
               one(n_columns_),
               1.,
               vt_.data(),
               one(std::min(n_samples_, n_columns_)),
               weights.data(),
               0.,
               result.coefficients.data());
    for (std::size_t k = 0; k < n_columns_; ++k)
      {
        result.coefficients[k] /= scales_[k];
        if (!prior.empty())
          result.coefficients[k] += prior[k];
      }
    return result;
  }
} // namespace Evergreen
