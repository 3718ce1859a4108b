// Gaussian processes on tensor grids: the covariance matrix is a Kronecker
// product of small ones.

#ifndef evergreen_data_tensor_covariance_factor_h
#define evergreen_data_tensor_covariance_factor_h

#include <evergreen/base/random.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace Evergreen
{
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
    n_coefficients() const;

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
