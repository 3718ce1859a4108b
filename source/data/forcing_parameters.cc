#include <evergreen/base/error.h>
#include <evergreen/data/forcing_parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <cmath>

namespace Evergreen
{
  namespace
  {
    void
    check_positive(const std::string &key, const double value)
    {
      if (!(value > 0. && std::isfinite(value)))
        throw UsageError(
          "Forcing/", key, " = ", value, ": it must be a positive number.");
    }


    void
    check_choice(const std::string &key,
                 const std::string &value,
                 const std::string &first,
                 const std::string &second)
    {
      if (value != first && value != second)
        throw UsageError("Forcing/",
                         key,
                         " = ",
                         value,
                         ": it must be ",
                         first,
                         " or ",
                         second,
                         ".");
    }
  } // namespace


  void
  ForcingParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.enter_subsection("Forcing");
    prm.add_parameter(
      "Model",
      model,
      "The random functions: 'band-limited' Fourier series with independent "
      "normal coefficients (Chebfun's randnfun), or a 'gaussian-process' "
      "sampled exactly at the nodes. Both have mean zero and variance one.",
      Selection("band-limited|gaussian-process"));
    prm.add_parameter("Wavelength",
                      wavelength,
                      "The shortest wavelength of the band-limited model, in "
                      "the units of the mesh: less than 1.2 times the domain's "
                      "longest side.",
                      Double(0.));
    prm.add_parameter("Covariance",
                      covariance,
                      "The covariance of the Gaussian process.",
                      Selection("squared-exponential|matern"));
    prm.add_parameter("Length",
                      length,
                      "The correlation length of the Gaussian process, in the "
                      "units of the mesh.",
                      Double(0.));
    prm.add_parameter("Smoothness",
                      smoothness,
                      "The smoothness of the Matern covariance: 0.5 "
                      "(continuous samples), 1.5 (differentiable once) or 2.5 "
                      "(twice).",
                      Double(0.5, 2.5));
    prm.add_parameter("Seed",
                      seed,
                      "The seed of the random numbers. Equal seeds give equal "
                      "samples on any number of processes.",
                      Integer(0));
    prm.add_parameter("Normalise",
                      normalise,
                      "Whether each forcing is scaled to the L2 norm one.",
                      Bool());
    prm.add_parameter("Noise",
                      noise,
                      "The level of the normal noise added to each solution, "
                      "relative to its norm: 0.01 means one per cent.",
                      Double(0.));
    prm.leave_subsection();
  }


  void
  ForcingParameters::check() const
  {
    check_choice("Model", model, "band-limited", "gaussian-process");
    check_choice("Covariance", covariance, "squared-exponential", "matern");
    check_positive("Wavelength", wavelength);
    check_positive("Length", length);
    if (smoothness != 0.5 && smoothness != 1.5 && smoothness != 2.5)
      throw UsageError(
        "Forcing/Smoothness = ", smoothness, ": it must be 0.5, 1.5 or 2.5.");
    if (!(noise >= 0. && std::isfinite(noise)))
      throw UsageError(
        "Forcing/Noise = ", noise, ": it must be zero or a positive number.");
  }
} // namespace Evergreen
