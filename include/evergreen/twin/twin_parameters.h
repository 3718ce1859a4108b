// What a user says about twins.

#ifndef evergreen_twin_twin_parameters_h
#define evergreen_twin_twin_parameters_h

#include <string>

namespace dealii
{
  class ParameterHandler;
}

namespace Evergreen
{
  /** The subsection "Twin" of the parameters. */
  struct TwinParameters
  {
    /** own, a number of coarsenings, or a mesh file. */
    std::string mesh = "2";

    /**
     * The largest relative error of answers, or 0 for what makes sense: on its
     * own mesh a twin finds the operator or nothing.
     */
    double tolerance = 0;

    /** Declares the keys of the subsection "Twin". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the key unless all values make sense. */
    void
    check() const;

    /** The number of coarsenings, or -1 if a file is meant. */
    int
    n_coarsenings() const;
  };
} // namespace Evergreen

#endif
