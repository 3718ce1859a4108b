#include <evergreen/fem/elliptic.h>

namespace Evergreen
{
  void
  EllipticParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    prm.enter_subsection("Problem");
    prm.add_parameter(
      "Diffusion",
      diffusion,
      "For the problem 'elliptic': a, a formula in x, y, z and pi; or, "
      "separated by commas, the diagonal and the entries xy (xy, xz, yz) of a "
      "symmetric tensor. By material id where the mesh has several, as in "
      "'1: 1; 2: 100*(1+x)'; what has no number is for all others.");
    prm.add_parameter("Advection",
                      advection,
                      "For 'elliptic': the components of b, separated by "
                      "commas, by material as above; empty for none.");
    prm.add_parameter("Reaction",
                      reaction,
                      "For 'elliptic': c, by material as above; empty for "
                      "none.");
    prm.add_parameter(
      "Dirichlet",
      dirichlet,
      "For 'elliptic': the boundary ids with u = 0, as in '0, 2', or 'all' "
      "ids that are named nowhere else. Empty means the same as 'all' unless "
      "another condition says so.");
    prm.add_parameter("Neumann",
                      neumann,
                      "For 'elliptic': the boundary ids with n.a grad u = 0, "
                      "or 'all' others. With nothing else and no reaction, "
                      "the mean of u is zero, and that of f does not matter.");
    prm.add_parameter("Robin",
                      robin,
                      "For 'elliptic': the boundary ids with n.a grad u + "
                      "alpha u = 0 and their alpha, as in '3: 1+x', or 'all: "
                      "2' for all others.");
    prm.leave_subsection();
    medium.add_parameters(prm);
  }


  void
  EllipticParameters::check() const
  {
    medium.check();
    BoundaryConditions conditions(*this);
  }
} // namespace Evergreen
