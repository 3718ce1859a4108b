// The real Fourier series of bounded frequency behind band-limited random
// functions.

#ifndef evergreen_data_band_limited_basis_h
#define evergreen_data_band_limited_basis_h

#include <array>
#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * The functions $1$, $\sqrt2 \cos(2\pi k\cdot(x-c)/L)$ and
   * $\sqrt2 \sin(2\pi k\cdot(x-c)/L)$ with integer frequencies $k$ such that
   * $\sum_i (k_i/m_i)^2 \le 1$, where $m_i$ is the largest whole number below
   * $L_i/\lambda$: all wavelengths are longer than $\lambda$. The periods $L_i$
   * are 1.2 times the sides of the points' bounding box, whose centre is $c$.
   * All are divided by the root of their number $M$, so that the squares add up
   * to one at every point: with independent standard normal coefficients the
   * series has variance one. This is the model of Chebfun's randnfun2.
   */
  class BandLimitedBasis
  {
  public:
    /**
     * Finds the frequencies. @p local_nodes index into @p points. A wavelength
     * that leaves only the constant function is a UsageError.
     */
    BandLimitedBasis(double                          wavelength,
                     unsigned int                    dim,
                     const std::vector<double>      &points,
                     const std::vector<std::size_t> &local_nodes);

    /** The number $M$ of functions: all frequencies, of both signs. */
    std::size_t
    size() const;

    /**
     * Evaluates all functions at the local nodes <tt>first ... first + count -
     * 1</tt> into a count x size() matrix, stored column by column.
     */
    void
    evaluate(std::size_t first, std::size_t count, double *matrix) const;

  private:
    using Frequency = std::array<int, 3>;

    void
    find_frequencies(double wavelength, const std::array<double, 3> &periods);

    unsigned int dim;

    // (x-c)/L at the local nodes.
    std::vector<double> scaled_points;

    // The largest frequency in each direction.
    Frequency limit = {{0, 0, 0}};

    // One of each pair k, -k, without zero.
    std::vector<Frequency> frequencies;
  };
} // namespace Evergreen

#endif
