// The finite element space that forcings and solutions live in, with its nodes
// in an order that does not depend on the number of ranks.

#ifndef evergreen_fem_finite_element_space_h
#define evergreen_fem_finite_element_space_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/mesh.h>
#include <evergreen/fem/mesh_data.h>

#include <deal.II/base/index_set.h>
#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <memory>
#include <vector>

namespace Evergreen
{
  /**
   * Continuous Lagrange elements of a given degree on a Mesh, with Gauss
   * quadrature and homogeneous Dirichlet constraints on the whole boundary.
   *
   * <b>Nodes.</b> deal.II numbers degrees of freedom rank by rank. Files must
   * not depend on that, so every degree of freedom also has a <i>node</i>
   * number: the position of its support point in lexicographic order of the
   * coordinates (x first), or, for a space read from a file, the position that
   * the file gives it. node(i) maps the i-th locally owned degree of freedom
   * to its node.
   */
  template <int dim>
  class FiniteElementSpace
  {
  public:
    /** Nodes in lexicographic order. */
    FiniteElementSpace(const Mesh<dim> &mesh, const unsigned int degree);

    /**
     * Nodes in the order of @p data, from which @p mesh was made. An Error
     * starting with @p origin is thrown if the points of the data are not the
     * support points of the elements.
     */
    FiniteElementSpace(const Mesh<dim>   &mesh,
                       const MeshData    &data,
                       const std::string &origin);

    const Mesh<dim> &
    mesh() const
    {
      return mesh_;
    }
    const dealii::Mapping<dim> &
    mapping() const
    {
      return mesh_.mapping();
    }
    MPI_Comm
    communicator() const
    {
      return mesh_.communicator();
    }
    const dealii::FiniteElement<dim> &
    fe() const
    {
      return *fe_;
    }
    const dealii::Quadrature<dim> &
    quadrature() const
    {
      return quadrature_;
    }
    const dealii::DoFHandler<dim> &
    dof_handler() const
    {
      return dof_handler_;
    }
    const dealii::IndexSet &
    locally_owned_dofs() const
    {
      return dof_handler_.locally_owned_dofs();
    }
    const dealii::IndexSet &
    locally_relevant_dofs() const
    {
      return locally_relevant_dofs_;
    }

    /** u = 0 on the boundary. */
    const dealii::AffineConstraints<double> &
    constraints() const
    {
      return constraints_;
    }

    /** \f$M_{kl}=\int\varphi_k\varphi_l\f$ over all nodes, boundary too. */
    const dealii::TrilinosWrappers::SparseMatrix &
    mass_matrix() const
    {
      return mass_matrix_;
    }

    /**
     * Multiplies blocks of local nodal values by the mass matrix; column j
     * starts at j * n_local_nodes(). Collective.
     */
    void
    multiply_by_mass(const double     *columns,
                     double           *result,
                     const std::size_t n_columns) const;

    /** The squares of the L2 norms of such columns. Collective. */
    std::vector<double>
    square_norms(const std::vector<double> &columns,
                 const std::size_t          n_columns) const;

    unsigned int
    degree() const
    {
      return fe_->degree;
    }
    /** The number of nodes of the whole mesh. */
    std::size_t
    n_nodes() const
    {
      return dof_handler_.n_dofs();
    }
    /** The number of nodes that this rank owns. */
    std::size_t
    n_local_nodes() const
    {
      return nodes_.size();
    }
    /** The nodes of the locally owned degrees of freedom. */
    const std::vector<std::size_t> &
    local_nodes() const
    {
      return nodes_;
    }
    /** The degree of freedom of a node; known on every rank. */
    dealii::types::global_dof_index
    dof_of_node(const std::size_t node) const
    {
      return dof_of_node_[node];
    }
    /** The node of any degree of freedom; known on every rank. */
    std::size_t
    node_of_dof(const dealii::types::global_dof_index dof) const
    {
      return node_of_dof_[dof];
    }
    /** Whether the @p i-th local node lies on the boundary. */
    bool
    is_on_boundary(const std::size_t i) const
    {
      return on_boundary_[i];
    }

    /** Nodes, cells and boundary as plain arrays; the same on every rank. */
    const MeshData &
    mesh_data() const
    {
      return data_;
    }

  private:
    const Mesh<dim>                             &mesh_;
    std::unique_ptr<dealii::FiniteElement<dim>>  fe_;
    dealii::Quadrature<dim>                      quadrature_;
    dealii::DoFHandler<dim>                      dof_handler_;
    dealii::IndexSet                             locally_relevant_dofs_;
    dealii::AffineConstraints<double>            constraints_;
    dealii::TrilinosWrappers::SparseMatrix       mass_matrix_;
    std::vector<std::size_t>                     nodes_;
    std::vector<bool>                            on_boundary_;
    std::vector<dealii::types::global_dof_index> dof_of_node_;
    std::vector<std::size_t>                     node_of_dof_;
    MeshData                                     data_;

    void
    distribute_dofs();
    std::vector<dealii::Point<dim>>
    gather_support_points() const;
    void
    set_node_order(const std::vector<std::size_t>        &dof_of_node,
                   const std::vector<dealii::Point<dim>> &support_points);
    void
    gather_cells();
    void
    gather_boundary();
    void
    assemble_mass_matrix();
  };
} // namespace Evergreen

#endif
