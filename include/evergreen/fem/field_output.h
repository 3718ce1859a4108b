// Fields on a finite element space as files for ParaView.

#ifndef evergreen_fem_field_output_h
#define evergreen_fem_field_output_h

#include <evergreen/fem/space.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Evergreen
{
  /**
   * Writes nodal fields to one VTU file. Each field has a name and the values
   * at the local nodes. Collective; an Error on all ranks if the file cannot be
   * written. If @p units are given, each field must have one; ParaView and
   * others find them in the file ("1" is the unit of a pure number).
   */
  template <int dim>
  void
  write_vtu(
    const Space<dim>                                               &space,
    const std::vector<std::pair<std::string, std::vector<double>>> &fields,
    const std::string                                              &path,
    const std::map<std::string, std::string>                       &units = {});
} // namespace Evergreen

#endif
