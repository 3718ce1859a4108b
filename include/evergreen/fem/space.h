// The finite element space that forcings and solutions live in: borrowed from
// the program that has it, with nodes in an order that does not depend on the
// number of ranks.

#ifndef evergreen_fem_space_h
#define evergreen_fem_space_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/constraint_lines.h>
#include <evergreen/fem/mesh_data.h>

#include <deal.II/base/index_set.h>
#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * A view of a finite element space that somebody else owns: scalar,
   * continuous Lagrange elements of any degree on any kind of triangulation,
   * also distributed ones, refined locally or with curved cells.
   *
   * The constraints are those of the solutions: hanging nodes, u = 0 on a part
   * of the boundary or all of it, periodicity. They must be closed and
   * homogeneous, as solutions depend linearly on forcings. Forcings are any
   * functions of the space, which are continuous at hanging nodes, too.
   *
   * <b>Nodes.</b> deal.II numbers degrees of freedom rank by rank. Kernels and
   * files must not depend on that, so every degree of freedom also has a
   * <i>node</i> number: the position of its support point in lexicographic
   * order of the coordinates (x first), or the position that a file gives it.
   * <i>Free</i> nodes are those that no constraint determines.
   */
  template <int dim>
  class Space
  {
  public:
    using VectorType = dealii::LinearAlgebra::distributed::Vector<double>;

    /**
     * Borrows a space, all parts of which must outlive this object. Throws an
     * Error on all ranks if its elements or constraints are of a kind that
     * kernels cannot be learned on. If @p data are given, the nodes have their
     * order; an Error that starts with @p origin is thrown if their points are
     * not the support points of the elements. Collective.
     */
    Space(const dealii::DoFHandler<dim>           &dof_handler,
          const dealii::Mapping<dim>              &mapping,
          const dealii::Quadrature<dim>           &quadrature,
          const dealii::AffineConstraints<double> &constraints,
          const MeshData                          *data   = nullptr,
          const std::string                       &origin = "");

    /** Objects refer to each other's parts, so they are not copied. */
    Space(const Space &) = delete;
    Space &
    operator=(const Space &) = delete;

    /** @name What is borrowed */
    //@{
    const dealii::DoFHandler<dim> &
    dof_handler() const
    {
      return dof_handler_;
    }
    const dealii::Mapping<dim> &
    mapping() const
    {
      return mapping_;
    }
    const dealii::Quadrature<dim> &
    quadrature() const
    {
      return quadrature_;
    }
    const dealii::AffineConstraints<double> &
    constraints() const
    {
      return constraints_;
    }
    const dealii::FiniteElement<dim> &
    fe() const
    {
      return dof_handler_.get_fe();
    }
    unsigned int
    degree() const
    {
      return fe().degree;
    }
    MPI_Comm
    communicator() const
    {
      return Compat::communicator(dof_handler_);
    }
    //@}

    /** @name Degrees of freedom and nodes */
    //@{
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
      return local_nodes_.size();
    }
    /** The nodes of the locally owned degrees of freedom. */
    const std::vector<std::size_t> &
    local_nodes() const
    {
      return local_nodes_;
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
    /** Where a node is; known on every rank. */
    dealii::Point<dim>
    point(const std::size_t node) const;
    /** Where all nodes are, dim numbers each. */
    const std::vector<double> &
    points() const
    {
      return points_;
    }
    /** Whether a constraint determines the @p i-th local node. */
    bool
    is_constrained(const std::size_t i) const
    {
      return is_constrained_[i];
    }
    /**
     * The free nodes of all ranks in increasing order: where solutions may be
     * anything. Collective.
     */
    std::vector<std::size_t>
    free_nodes() const
    {
      return Evergreen::free_nodes(mesh_data());
    }
    /**
     * For each of some points (dim numbers each) the node there. An Error that
     * starts with @p origin is thrown unless they are the nodes of this space,
     * in any order.
     */
    std::vector<std::size_t>
    match(const std::vector<double> &points, const std::string &origin) const;
    /**
     * Nodes, cells, the nodes with u = 0 and the ids of materials and boundary
     * faces as plain arrays, the same on every rank; gathered at the first
     * call, which is collective.
     */
    const MeshData &
    mesh_data() const;
    //@}

    /** @name Functions of the space: columns of local nodal values */
    //@{
    /** A vector of zeros; with those of the neighbours if @p ghosts are. */
    VectorType
    make_vector(const bool ghosts = false) const;
    /**
     * From columns of local values those of the same functions at other
     * @p nodes, which this rank's cells have. Collective.
     */
    std::vector<double>
    values_at_nodes(const std::vector<std::size_t> &nodes,
                    const double                   *columns,
                    const std::size_t               n_columns) const;
    /**
     * The transposed map: adds what ranks have for the same node, and returns
     * columns of local sums. Collective.
     */
    std::vector<double>
    sums_at_nodes(const std::vector<std::size_t> &nodes,
                  const double                   *columns,
                  const std::size_t               n_columns) const;
    /** The values of one function at all degrees of freedom. Collective. */
    std::vector<double>
    values_of_all(const double *column) const;
    /**
     * Gives constrained nodes the values that the constraints say. Column j
     * starts at j * n_local_nodes(). Collective.
     */
    void
    distribute(double *columns, const std::size_t n_columns) const
    {
      solution_lines_.distribute(columns, n_columns);
    }
    /**
     * The transposed map, for functionals: moves what belongs to constrained
     * nodes to those that they depend on. Collective.
     */
    void
    condense(double *columns, const std::size_t n_columns) const
    {
      solution_lines_.condense(columns, n_columns);
    }
    /** Whether constrained values depend on others, or are all zero. */
    bool
    has_coupled_constraints() const
    {
      return solution_lines_.is_coupled();
    }
    /** The same for all functions of the space: hanging nodes only. */
    const ConstraintLines<dim> &
    hanging_nodes() const
    {
      return hanging_lines_;
    }
    /**
     * \f$M_{kl}=\int\varphi_k\varphi_l\f$ over all nodes, constrained ones,
     * too; assembled at the first call, which is collective.
     */
    const dealii::TrilinosWrappers::SparseMatrix &
    mass_matrix() const;
    /** Gives a matrix the rows and entries that @p constraints leave. */
    void
    reinit(dealii::TrilinosWrappers::SparseMatrix  &matrix,
           const dealii::AffineConstraints<double> &constraints) const;
    /** Multiplies columns by the mass matrix. Collective. */
    void
    multiply_by_mass(const double     *columns,
                     double           *result,
                     const std::size_t n_columns) const;
    /** The squares of the L2 norms of columns. Collective. */
    std::vector<double>
    square_norms(const std::vector<double> &columns,
                 const std::size_t          n_columns) const;
    //@}

  private:
    const dealii::DoFHandler<dim>               &dof_handler_;
    const dealii::Mapping<dim>                  &mapping_;
    const dealii::Quadrature<dim>               &quadrature_;
    const dealii::AffineConstraints<double>     &constraints_;
    dealii::IndexSet                             locally_relevant_dofs_;
    std::vector<std::size_t>                     local_nodes_;
    std::vector<bool>                            is_constrained_;
    std::vector<dealii::types::global_dof_index> dof_of_node_;
    std::vector<std::size_t>                     node_of_dof_;
    std::vector<double>                          points_; // by node
    ConstraintLines<dim>                         solution_lines_;
    ConstraintLines<dim>                         hanging_lines_;

    mutable std::unique_ptr<MeshData>                               mesh_data_;
    mutable std::unique_ptr<dealii::TrilinosWrappers::SparseMatrix> mass_;

    void
    check() const;
    std::vector<double>
    gather_support_points() const;
    std::vector<unsigned int>
    local_places(const std::vector<std::size_t> &nodes,
                 const VectorType               &ghosted) const;
    void
    gather_cells(MeshData &data) const;
    void
    gather_faces(MeshData &data) const;
    void
    gather_boundary(MeshData &data) const;
    bool
    has_straight_cells() const;
    void
    assemble_mass_matrix() const;
  };
} // namespace Evergreen

#endif
