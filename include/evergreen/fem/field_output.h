// Fields on a finite element space as files for ParaView.

#ifndef evergreen_fem_field_output_h
#define evergreen_fem_field_output_h

#include <evergreen/fem/space.h>

#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Nodal values with the name that they have in a file. */
  struct Field
  {
    /** The values are those at the local nodes, or a distributed vector. */
    template <typename Vector>
    Field(const std::string &name, const Vector &values)
      : name(name), values(values.begin(), values.end())
    {}

    std::string         name;
    std::vector<double> values;
  };


  /**
   * Writes fields to one VTU file. Collective; an Error on all ranks if the
   * file cannot be written. If @p units are given, each field must have one;
   * ParaView and others find them in the file ("1" is the unit of a pure
   * number).
   */
  template <int dim>
  void
  write_vtu(const Space<dim>                         &space,
            const std::vector<Field>                 &fields,
            const std::string                        &path,
            const std::map<std::string, std::string> &units = {});
} // namespace Evergreen

#endif
