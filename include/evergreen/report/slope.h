// Rates of convergence: the slope that errors show on a log-log scale, and the
// one that theory promises.

#ifndef evergreen_report_slope_h
#define evergreen_report_slope_h

#include <limits>
#include <vector>

namespace Evergreen
{
  /**
   * The exponent p of the power law \f$e\approx C n^p\f$ that fits the points
   * with <tt>from <= n <= to</tt> best, by least squares of the logarithms.
   * Points whose error is not positive and finite are left out; NaN if fewer
   * than two different n remain.
   */
  double
  fitted_slope(const std::vector<double> &n,
               const std::vector<double> &error,
               const double               from = 0,
               const double to = std::numeric_limits<double>::infinity());

  /**
   * The exponent \f$-\frac12-\frac{2k+1}{2D}\f$ of the optimal approximation by
   * n ReLU^k atoms in D variables: D is the dimension of the domain for
   * slices G(x_s, y), and twice that for a whole kernel G(x, y).
   */
  double
  theoretical_slope(const unsigned int power, const unsigned int n_variables);
} // namespace Evergreen

#endif
