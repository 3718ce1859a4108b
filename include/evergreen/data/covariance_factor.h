// The factorisation of covariance matrices behind Gaussian processes.

#ifndef evergreen_data_covariance_factor_h
#define evergreen_data_covariance_factor_h

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace Evergreen
{
  /**
   * The squared-exponential covariance $\exp(-r^2/(2\ell^2))$ as a function of
   * the squared distance $r^2$.
   */
  std::function<double(double)>
  squared_exponential_covariance(double length);

  /**
   * The Matérn covariance of smoothness $\nu$ = 0.5, 1.5 or 2.5 as a function
   * of the squared distance: $e^{-s}$, $(1+s)e^{-s}$ or $(1+s+s^2/3)e^{-s}$
   * with $s = \sqrt{2\nu}\, r/\ell$.
   */
  std::function<double(double)>
  matern_covariance(double length, double smoothness);


  /**
   * A factor $E$ of the covariance matrix $K_{ij} = k(|x_i-x_j|^2)$ of all
   * points with $|K - E E^T| \le$ tolerance in every entry (up to rounding).
   *
   * It comes from a Cholesky factorisation that leaves out what is numerically
   * dependent, so that a smooth covariance needs few columns. The usual
   * pivoting by the largest remaining variance is full of ties on a regular
   * mesh; rounding decides them, and another order of elimination gives
   * entirely different samples. So the order here is geometric where stability
   * allows: each point is the one farthest from those before it, and only
   * points whose remaining variance is far below the largest have to wait. The
   * arithmetic does not depend on the number of threads, and each column has
   * its random number by its point's place in the geometric order.
   */
  struct CovarianceFactor
  {
    /** The default of the bound on the error of the covariance. */
    static constexpr double default_tolerance = 1e-12;

    /** How much memory the factor for all points may take. */
    static constexpr std::size_t default_memory_limit = std::size_t(2) << 30;

    /**
     * Factorises the matrix of all points (m x dim) and keeps the rows of
     * @p local_nodes. If it does not fit into memory, that is an Error which
     * says how much it takes; for a covariance of @p full_rank this is known
     * before any work is done.
     */
    CovarianceFactor(const std::function<double(double)> &covariance,
                     bool                                 full_rank,
                     unsigned int                         dim,
                     const std::vector<double>           &points,
                     const std::vector<std::size_t>      &local_nodes,
                     double      tolerance    = default_tolerance,
                     std::size_t memory_limit = default_memory_limit);

    /** The local rows of $E$, stored column by column. */
    std::vector<double> matrix;

    /**
     * The random number of each column: its point's place in the geometric
     * order.
     */
    std::vector<std::uint64_t> positions;
  };
} // namespace Evergreen

#endif
