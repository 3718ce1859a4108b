// Coefficients and boundary conditions as a parameter file has them.

#ifndef evergreen_fem_elliptic_parameters_h
#define evergreen_fem_elliptic_parameters_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/medium.h>

#include <deal.II/base/parameter_handler.h>

#include <string>

namespace Evergreen
{
  /** The coefficients of the problem 'elliptic' and its conditions. */
  struct EllipticParameters
  {
    std::string      diffusion = "1";
    std::string      advection = "";
    std::string      reaction  = "";
    std::string      dirichlet = "";
    std::string      neumann   = "";
    std::string      robin     = "";
    MediumParameters medium;

    /** Declares these parameters in the subsections "Problem" and "Medium". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;
  };
} // namespace Evergreen

#endif
