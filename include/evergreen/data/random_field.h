// Random functions of mean zero and variance one at the nodes of a mesh: the
// forcings of a dataset.

#ifndef evergreen_data_random_field_h
#define evergreen_data_random_field_h

#include <evergreen/base/random.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Evergreen
{
  class BandLimitedBasis;
  class TensorCovarianceFactor;

  /** The subsection "Forcing" of the parameters. */
  struct ForcingParameters
  {
    /** forcing, boundary-values or boundary-fluxes: what the functions are. */
    std::string input = "forcing";

    /** band-limited or gaussian-process. */
    std::string model = "band-limited";

    /** The shortest wavelength of the band-limited model. */
    double wavelength = 0.2;

    /** squared-exponential or matern (for Gaussian processes). */
    std::string covariance = "squared-exponential";

    /** The correlation length of Gaussian processes. */
    double length = 0.2;

    /**
     * Lengths that samples have in turn, sample j the one of number j modulo
     * how many there are; empty if all have @p length.
     */
    std::vector<double> mixture;

    /** Whether the lengths are to be chosen for a twin: see use_mixture(). */
    bool automatic_length = false;

    /** Takes these lengths in turn. */
    void
    use_mixture(const std::vector<double> &lengths);

    /** The smoothness of the Matérn covariance: 0.5, 1.5 or 2.5. */
    double smoothness = 2.5;

    /** The seed of all random numbers of the dataset. */
    unsigned int seed = 1;

    /** Whether each forcing is scaled to the L2 norm one. */
    bool normalise = false;

    /** The level of noise on the solutions, relative to each one's norm. */
    double noise = 0.;

    /** Declares the keys of the subsection "Forcing". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the key unless all values make sense. */
    void
    check() const;

  private:
    void
    read_length(const std::string &value);
  };


  /**
   * Samples $f_j = E \xi_j$ of a random function at some nodes, where $\xi_j$
   * are standard normal numbers and the matrix $E$ (nodes x coefficients) is
   * the model: a Fourier series (BandLimitedBasis) or the factor of a
   * covariance matrix (CovarianceFactor).
   *
   * Squared-exponential covariances on tensor grids, such as the nodes of the
   * cube, are recognised and never form $E$ (TensorCovarianceFactor): $65^3$
   * nodes are comfortable. Elsewhere the factor of a Gaussian process has to
   * fit into CovarianceFactor::default_memory_limit, which is about 16,000
   * nodes for a covariance of full rank.
   *
   * The numbers $\xi_j$ depend on the seed, the stream and $j$ only. So sample
   * $j$ is the same, up to the rounding of one matrix product, whatever other
   * samples or nodes are asked for at the same time and however many processes
   * and threads do the work.
   */
  class RandomField
  {
  public:
    /** How much memory the matrix of the band-limited model may take. */
    static constexpr std::size_t default_memory_limit = std::size_t(256) << 20;

    /**
     * Prepares the model.
     *
     * @param parameters   Model, lengths and seed.
     * @param dim          The space dimension.
     * @param points       All nodes of the mesh, node by node (m x dim); they
     *                     define the bounding box or the covariance matrix and
     *                     must be the same on all processes.
     * @param local_nodes  The nodes at which samples are wanted here.
     * @param memory_limit The band-limited model computes its matrix again for
     *                     every call of sample(), in parts, if it does not fit.
     */
    RandomField(const ForcingParameters        &parameters,
                unsigned int                    dim,
                const std::vector<double>      &points,
                const std::vector<std::size_t> &local_nodes,
                std::size_t memory_limit = default_memory_limit);

    /** The number of nodes at which samples are computed. */
    std::size_t
    n_local() const
    {
      return n_local_nodes;
    }

    /** The number of random numbers that go into a sample. */
    std::size_t
    n_coefficients() const;

    /**
     * Computes the samples <tt>first ... first + count - 1</tt>:
     * <tt>values[j * n_local() + i]</tt> is sample <tt>first + j</tt> at the
     * local node @p i.
     */
    void
    sample(Random::Stream stream,
           std::uint64_t  first,
           std::size_t    count,
           double        *values) const;

  private:
    void
    sample_mixture(Random::Stream stream,
                   std::uint64_t  first,
                   std::size_t    count,
                   double        *values) const;

    void
    sample_on_grid(Random::Stream stream,
                   std::uint64_t  first,
                   std::size_t    count,
                   double        *values) const;

    void
    multiply(std::size_t   count,
             const double *coefficients,
             double       *values) const;

    std::uint64_t seed;
    std::size_t   n_local_nodes;

    // E, unless it has to be computed in parts.
    std::vector<double> matrix;

    // For the band-limited model only.
    std::shared_ptr<const BandLimitedBasis> basis;

    // For Gaussian processes on tensor grids only, with the places of the local
    // nodes in the grid.
    std::shared_ptr<const TensorCovarianceFactor> tensor_factor;
    std::vector<std::size_t>                      grid_indices;

    // For mixtures only: a model for each length.
    std::vector<RandomField> parts;

    // How many rows of E are computed at a time if it is not stored.
    std::size_t rows_per_block = 0;

    // For Gaussian processes elsewhere: which numbers of the sequence xi belong
    // to the columns of E, and how many numbers that sequence has.
    std::vector<std::uint64_t> coefficient_indices;
    std::size_t                n_normals = 0;
  };
} // namespace Evergreen

#endif
