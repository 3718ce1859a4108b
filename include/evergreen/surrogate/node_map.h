// Which degree of freedom of a DoFHandler is which node of a kernel's mesh.

#ifndef evergreen_surrogate_node_map_h
#define evergreen_surrogate_node_map_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/mesh_data.h>

#include <deal.II/base/index_set.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>

#include <mpi.h>

#include <vector>

namespace Evergreen
{
  /**
   * Finds the degrees of freedom of a mesh by their support points, and gathers
   * distributed vectors. Collective.
   */
  template <int dim>
  class NodeMap
  {
  public:
    /**
     * Throws an Error on all ranks unless @p dof_handler has just the nodes of
     * @p mesh, which is a kernel's.
     */
    NodeMap(const MeshData                &mesh,
            const dealii::DoFHandler<dim> &dof_handler,
            const dealii::Mapping<dim>    &mapping);

    /** The degree of freedom of a node; known on every rank. */
    std::size_t
    dof_of_node(const std::size_t node) const
    {
      return dof_of_node_[node];
    }

    /** The node of the i-th locally owned degree of freedom. */
    const std::vector<std::size_t> &
    local_nodes() const
    {
      return local_nodes_;
    }

    const dealii::IndexSet &
    locally_owned_dofs() const
    {
      return owned_;
    }

    std::size_t
    n_dofs() const
    {
      return owned_.size();
    }

    std::size_t
    n_local() const
    {
      return local_nodes_.size();
    }

    MPI_Comm
    communicator() const
    {
      return communicator_;
    }

    bool
    is_distributed() const
    {
      return counts_.size() > 1;
    }

    /**
     * Columns with the values of all degrees of freedom from columns with those
     * of the local ones. Collective.
     */
    std::vector<double>
    gather(const double *local, const std::size_t n_columns) const;

  private:
    MPI_Comm                 communicator_;
    dealii::IndexSet         owned_;
    std::vector<std::size_t> local_nodes_;
    std::vector<std::size_t> dof_of_node_;
    std::vector<int>         counts_, starts_;
  };
} // namespace Evergreen

#endif
