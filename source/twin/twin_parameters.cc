#include <evergreen/base/error.h>
#include <evergreen/twin/twin_parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  void
  TwinParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.enter_subsection("Twin");
    prm.add_parameter(
      "Mesh",
      mesh,
      "The mesh of the twin: 'own' for that of the dataset, how many times the "
      "domain is refined less, or a Gmsh file of the same domain.",
      Anything());
    prm.add_parameter("Tolerance",
                      tolerance,
                      "The largest relative error of its answers to left-out "
                      "samples for which a twin is accepted; 0 takes 1e-6 on "
                      "its own mesh, where a twin finds the operator itself or "
                      "nothing, and 0.2 on others.",
                      Double(0.));
    prm.leave_subsection();
  }


  void
  TwinParameters::check() const
  {
    if (mesh.empty() || mesh == "0")
      throw UsageError("Twin/Mesh = '",
                       mesh,
                       "': it must be own, a number of coarsenings from 1 on, "
                       "or the name of a mesh file.");
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
      throw UsageError("Twin/Tolerance = ",
                       tolerance,
                       ": it must be zero or a positive number.");
  }


  int
  TwinParameters::n_coarsenings() const
  {
    const bool is_number =
      mesh.size() < 3 && std::all_of(mesh.begin(), mesh.end(), [](char c) {
        return c >= '0' && c <= '9';
      });
    return is_number ? std::stoi(mesh) : -1;
  }
} // namespace Evergreen
