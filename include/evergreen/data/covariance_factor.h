// The factorisation of covariance matrices behind Gaussian processes, which on
// tensor grids are Kronecker products of small ones.

#ifndef evergreen_data_covariance_factor_h
#define evergreen_data_covariance_factor_h

#include <evergreen/base/random.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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


  /** Points that are all combinations of some coordinates in each direction. */
  struct TensorGrid
  {
    /** The coordinates of each direction, in increasing order. */
    std::vector<std::vector<double>> coordinates;

    /**
     * Where each point is if the grid is numbered with the first direction
     * running fastest.
     */
    std::vector<std::size_t> index_of_point;

    /**
     * Recognises a grid in points (m x dim) that may have any order and be
     * displaced by rounding; nothing if there is a point too few or too many.
     */
    static std::optional<TensorGrid>
    find(unsigned int dim, const std::vector<double> &points);
  };


  /**
   * A factor $E$ of the squared-exponential covariance matrix $K$ on a tensor
   * grid, $|K - E E^T| \le$ tolerance in every entry.
   *
   * The covariance is a product over the directions, so $K = K_d \otimes
   * \dots \otimes K_1$ and $E = E_d \otimes \dots \otimes E_1$ with the factors
   * of small matrices (CovarianceFactor). $E$ is never formed: a sample takes
   * one product with each small factor. Of its columns only those are used
   * that are not negligible together. So neither time nor memory limit the
   * grid before the samples themselves do; $65^3$ points are comfortable.
   */
  class TensorCovarianceFactor
  {
  public:
    /** Factorises the covariance of correlation length @p length. */
    TensorCovarianceFactor(double length, const TensorGrid &grid);

    /** The number of columns of $E$, and of random numbers in a sample. */
    std::size_t
    n_coefficients() const
    {
      return n_columns;
    }

    /** The number of grid points. */
    std::size_t
    n_points() const;

    /**
     * Draws the random numbers of a sample. Each belongs to a combination of
     * columns of the small factors: it does not depend on how many others are
     * negligible.
     */
    void
    draw(std::uint64_t  seed,
         Random::Stream stream,
         std::uint64_t  sample,
         double        *coefficients) const;

    /** Computes @p values $= E$ @p coefficients at all grid points. */
    void
    multiply(const double *coefficients, double *values) const;

  private:
    /** The factor of one direction. */
    struct Direction
    {
      std::size_t n_points;

      /** Column by column, in the order of elimination. */
      std::vector<double> matrix;

      /** Bounds of the squares of each column's entries; they decrease. */
      std::vector<double> sizes;
    };

    static Direction
    factorise(double length, const std::vector<double> &coordinates);

    void
    choose_columns();

    /** Always three; those beyond the dimension have a single point. */
    std::vector<Direction> directions;

    /**
     * The columns of $E$ in use: the first row_lengths[r] columns of the first
     * direction combined with column r of all other directions.
     */
    std::vector<std::size_t> row_lengths;
    std::size_t              n_columns = 0;
  };
} // namespace Evergreen

#endif
