// The parameters of the random forcings, and how they are read from a .prm
// file.

#ifndef evergreen_data_forcing_parameters_h
#define evergreen_data_forcing_parameters_h

#include <string>

namespace dealii
{
  class ParameterHandler;
}

namespace Evergreen
{
  /** The subsection "Forcing" of the parameters. */
  struct ForcingParameters
  {
    /** band-limited or gaussian-process. */
    std::string model = "band-limited";

    /** The shortest wavelength of the band-limited model. */
    double wavelength = 0.2;

    /** squared-exponential or matern (for Gaussian processes). */
    std::string covariance = "squared-exponential";

    /** The correlation length of Gaussian processes. */
    double length = 0.2;

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
  };
} // namespace Evergreen

#endif
