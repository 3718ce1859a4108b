#include <evergreen/report/slope.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace Evergreen
{
  double
  fitted_slope(const std::vector<double> &n,
               const std::vector<double> &error,
               const double               from,
               const double               to)
  {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < std::min(n.size(), error.size()); ++i)
      if (n[i] > 0 && n[i] >= from && n[i] <= to && error[i] > 0 &&
          std::isfinite(error[i]))
        {
          x.push_back(std::log(n[i]));
          y.push_back(std::log(error[i]));
        }
    double mean_x = 0, mean_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      {
        mean_x += x[i] / x.size();
        mean_y += y[i] / x.size();
      }
    double covariance = 0, variance = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      {
        covariance += (x[i] - mean_x) * (y[i] - mean_y);
        variance += (x[i] - mean_x) * (x[i] - mean_x);
      }
    return variance > 1e-20 ? covariance / variance
                            : std::numeric_limits<double>::quiet_NaN();
  }


  double
  theoretical_slope(const unsigned int power, const unsigned int n_variables)
  {
    return -0.5 - (2. * power + 1.) / (2. * n_variables);
  }
} // namespace Evergreen
