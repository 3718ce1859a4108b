// Fields on a finite element space as files for ParaView.

#ifndef evergreen_fem_field_output_h
#define evergreen_fem_field_output_h

#include <evergreen/fem/finite_element_space.h>

#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * Writes nodal fields to one VTU file. Each field has a name and the values
   * at the local nodes. Collective; an Error on all ranks if the file cannot be
   * written.
   */
  template <int dim>
  void
  write_vtu(
    const FiniteElementSpace<dim>                                  &space,
    const std::vector<std::pair<std::string, std::vector<double>>> &fields,
    const std::string                                              &path);
} // namespace Evergreen

#endif
