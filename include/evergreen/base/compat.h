// The differences between the deal.II versions that Evergreen supports (9.4 and
// later) live here and nowhere else.

#ifndef evergreen_base_compat_h
#define evergreen_base_compat_h

#include <deal.II/base/config.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/types.h>

namespace Evergreen
{
  namespace Compat
  {
    /** The communicator of a triangulation or DoFHandler. */
    template <typename MeshType>
    MPI_Comm
    communicator(const MeshType &mesh)
    {
#if DEAL_II_VERSION_GTE(9, 7, 0)
      return mesh.get_mpi_communicator();
#else
      return mesh.get_communicator();
#endif
    }
  } // namespace Compat
} // namespace Evergreen

#endif
