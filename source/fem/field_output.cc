#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/field_output.h>

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/data_out.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  void
  write_vtu(const Space<dim>                         &space,
            const std::vector<Field>                 &fields,
            const std::string                        &path,
            const std::map<std::string, std::string> &units)
  {
    std::vector<typename Space<dim>::VectorType> vectors;
    vectors.reserve(fields.size());
    DataOut<dim> data_out;
    data_out.attach_dof_handler(space.dof_handler());
    for (const Field &field : fields)
      {
        vectors.push_back(space.make_vector(/*ghosts=*/true));
        std::copy(field.values.begin(),
                  field.values.end(),
                  vectors.back().begin());
        vectors.back().update_ghost_values();
        data_out.add_data_vector(vectors.back(), field.name);
      }
    data_out.build_patches(space.mapping(), space.degree());
    DataOutBase::VtkFlags flags;
    flags.physical_units = units;
    data_out.set_flags(flags);

    // deal.II does not tell whether the file could be opened: find out first.
    collectively(space.communicator(), [&]() {
      if (Utilities::MPI::this_mpi_process(space.communicator()) == 0 &&
          !std::ofstream(path))
        throw Error("Cannot write '", path, "': ", std::strerror(errno), ".");
    });
    data_out.write_vtu_in_parallel(path, space.communicator());
  }


  template void
  write_vtu(const Space<1> &,
            const std::vector<Field> &,
            const std::string &,
            const std::map<std::string, std::string> &);
  template void
  write_vtu(const Space<2> &,
            const std::vector<Field> &,
            const std::string &,
            const std::map<std::string, std::string> &);
  template void
  write_vtu(const Space<3> &,
            const std::vector<Field> &,
            const std::string &,
            const std::map<std::string, std::string> &);
} // namespace Evergreen
