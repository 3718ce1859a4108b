#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/finite_element_space.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/sparsity_tools.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MultiVector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::unique_ptr<FiniteElement<dim>>
    make_element(const ReferenceCell &reference_cell, const unsigned int degree)
    {
      if (degree < 1)
        throw UsageError("'Degree' in section 'Problem' must be at least 1.");
      if (reference_cell.is_hyper_cube())
        return std::make_unique<FE_Q<dim>>(degree);
      if (degree > 2)
        throw UsageError("'Degree' = ",
                         degree,
                         " is too high for triangles and tetrahedra: degrees "
                         "1 and 2 are possible.");
      return std::make_unique<FE_SimplexP<dim>>(degree);
    }


    /**
     * Positions of the points in lexicographic order. Coordinates are compared
     * after rounding to a small fraction of the domain, since the same point
     * may differ in its last bits on different ranks.
     */
    template <int dim>
    std::vector<std::size_t>
    lexicographic_order(const std::vector<Point<dim>> &points)
    {
      Point<dim> lower = points.front(), upper = points.front();
      for (const auto &p : points)
        for (unsigned int d = 0; d < dim; ++d)
          {
            lower[d] = std::min(lower[d], p[d]);
            upper[d] = std::max(upper[d], p[d]);
          }
      const double resolution = 1.234567e-9 * lower.distance(upper);

      std::vector<std::array<std::int64_t, dim>> keys(points.size());
      for (std::size_t i = 0; i < points.size(); ++i)
        for (unsigned int d = 0; d < dim; ++d)
          keys[i][d] = std::llround((points[i][d] - lower[d]) / resolution);
      std::vector<std::size_t> order(points.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](const auto a, const auto b) {
        return keys[a] < keys[b];
      });
      return order;
    }
  } // namespace


  template <int dim>
  FiniteElementSpace<dim>::FiniteElementSpace(const Mesh<dim>   &mesh,
                                              const unsigned int degree)
    : mesh_(mesh)
    , fe_(make_element<dim>(mesh.reference_cell(), degree))
    , dof_handler_(mesh.triangulation())
  {
    distribute_dofs();
    const auto points = gather_support_points();
    set_node_order(lexicographic_order(points), points);
    gather_cells();
    gather_boundary();
    assemble_mass_matrix();
  }


  template <int dim>
  FiniteElementSpace<dim>::FiniteElementSpace(const Mesh<dim>   &mesh,
                                              const MeshData    &data,
                                              const std::string &origin)
    : mesh_(mesh)
    , fe_(make_element<dim>(mesh.reference_cell(), data.degree))
    , dof_handler_(mesh.triangulation())
  {
    distribute_dofs();
    const auto points = gather_support_points();
    if (points.size() != data.n_nodes())
      throw Error(origin,
                  " has ",
                  data.n_nodes(),
                  " nodes, but elements of degree ",
                  data.degree,
                  " on its cells have ",
                  points.size(),
                  ".");

    // Both sets of points in lexicographic order must be the same.
    std::vector<Point<dim>> file_points(data.n_nodes());
    for (std::size_t i = 0; i < file_points.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
        file_points[i][d] = data.points[i * dim + d];
    const auto   ours   = lexicographic_order(points);
    const auto   theirs = lexicographic_order(file_points);
    const double diameter =
      file_points[theirs.front()].distance(file_points[theirs.back()]);
    std::vector<std::size_t> dof_of_node(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      {
        if (points[ours[i]].distance(file_points[theirs[i]]) > 1e-7 * diameter)
          throw Error(origin,
                      ": node ",
                      theirs[i],
                      " is not a support point of elements of degree ",
                      data.degree,
                      " on its cells.");
        dof_of_node[theirs[i]] = ours[i];
      }
    set_node_order(dof_of_node, points);
    gather_cells();
    gather_boundary();
    assemble_mass_matrix();
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::distribute_dofs()
  {
    quadrature_ =
      mesh_.reference_cell().template get_gauss_type_quadrature<dim>(
        fe_->degree + 1);
    dof_handler_.distribute_dofs(*fe_);
    DoFTools::extract_locally_relevant_dofs(dof_handler_,
                                            locally_relevant_dofs_);
    constraints_.reinit(locally_relevant_dofs_);
    DoFTools::make_zero_boundary_constraints(dof_handler_, constraints_);
    constraints_.close();
  }


  template <int dim>
  std::vector<Point<dim>>
  FiniteElementSpace<dim>::gather_support_points() const
  {
    const Quadrature<dim> support(fe_->get_unit_support_points());
    FEValues<dim> values(mapping(), *fe_, support, update_quadrature_points);
    std::vector<types::global_dof_index> dofs(fe_->n_dofs_per_cell());

    std::vector<double> coordinates(n_nodes() * dim, 0.);
    for (const auto &cell : dof_handler_.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          for (unsigned int i = 0; i < dofs.size(); ++i)
            if (locally_owned_dofs().is_element(dofs[i]))
              for (unsigned int d = 0; d < dim; ++d)
                coordinates[dofs[i] * dim + d] = values.quadrature_point(i)[d];
        }
    Utilities::MPI::sum(
      ArrayView<const double>(coordinates.data(), coordinates.size()),
      communicator(),
      ArrayView<double>(coordinates.data(), coordinates.size()));

    std::vector<Point<dim>> points(n_nodes());
    for (std::size_t i = 0; i < points.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
        points[i][d] = coordinates[i * dim + d];
    return points;
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::set_node_order(
    const std::vector<std::size_t> &dof_of_node,
    const std::vector<Point<dim>>  &support_points)
  {
    dof_of_node_.assign(dof_of_node.begin(), dof_of_node.end());
    node_of_dof_.resize(dof_of_node.size());
    for (std::size_t node = 0; node < dof_of_node.size(); ++node)
      node_of_dof_[dof_of_node[node]] = node;
    for (const auto dof : locally_owned_dofs())
      {
        nodes_.push_back(node_of_dof_[dof]);
        on_boundary_.push_back(constraints_.is_constrained(dof));
      }

    data_.dim       = dim;
    data_.degree    = fe_->degree;
    data_.cell_type = cell_type_name(mesh_.reference_cell());
    for (const auto dof : dof_of_node)
      for (unsigned int d = 0; d < dim; ++d)
        data_.points.push_back(support_points[dof][d]);
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::gather_cells()
  {
    const unsigned int n_vertices = mesh_.reference_cell().n_vertices();
    const auto         to_vtk = deal_ii_to_vtk_vertices(mesh_.reference_cell());

    using Cell = std::vector<std::int64_t>;
    std::vector<Cell> cells;
    for (const auto &cell : dof_handler_.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          cells.emplace_back(n_vertices);
          for (unsigned int v = 0; v < n_vertices; ++v)
            cells.back()[to_vtk[v]] =
              node_of_dof_[cell->vertex_dof_index(v, 0)];
        }
    std::vector<Cell> all_cells;
    for (const auto &part : Utilities::MPI::all_gather(communicator(), cells))
      all_cells.insert(all_cells.end(), part.begin(), part.end());
    // The order of the cells must not depend on the ranks either.
    std::sort(all_cells.begin(), all_cells.end());
    for (const auto &cell : all_cells)
      data_.cells.insert(data_.cells.end(), cell.begin(), cell.end());
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::gather_boundary()
  {
    std::vector<std::int64_t> boundary;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (on_boundary_[i])
        boundary.push_back(nodes_[i]);
    for (const auto &part :
         Utilities::MPI::all_gather(communicator(), boundary))
      data_.boundary.insert(data_.boundary.end(), part.begin(), part.end());
    std::sort(data_.boundary.begin(), data_.boundary.end());
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::assemble_mass_matrix()
  {
    DynamicSparsityPattern pattern(locally_relevant_dofs_);
    DoFTools::make_sparsity_pattern(dof_handler_, pattern);
    SparsityTools::distribute_sparsity_pattern(pattern,
                                               locally_owned_dofs(),
                                               communicator(),
                                               locally_relevant_dofs_);
    mass_matrix_.reinit(locally_owned_dofs(),
                        locally_owned_dofs(),
                        pattern,
                        communicator());

    FEValues<dim>                        values(mapping(),
                         *fe_,
                         quadrature_,
                         update_values | update_JxW_values);
    const unsigned int                   n = fe_->n_dofs_per_cell();
    FullMatrix<double>                   cell_matrix(n, n);
    std::vector<types::global_dof_index> dofs(n);
    for (const auto &cell : dof_handler_.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell_matrix = 0;
          for (const auto q : values.quadrature_point_indices())
            for (unsigned int i = 0; i < n; ++i)
              for (unsigned int j = 0; j < n; ++j)
                cell_matrix(i, j) += values.shape_value(i, q) *
                                     values.shape_value(j, q) * values.JxW(q);
          cell->get_dof_indices(dofs);
          mass_matrix_.add(dofs, cell_matrix);
        }
    mass_matrix_.compress(VectorOperation::add);
  }


  template <int dim>
  void
  FiniteElementSpace<dim>::multiply_by_mass(const double     *columns,
                                            double           *result,
                                            const std::size_t n_columns) const
  {
    const auto              &mass   = mass_matrix_.trilinos_matrix();
    const int                stride = std::max<int>(1, n_local_nodes());
    const Epetra_MultiVector x(View,
                               mass.DomainMap(),
                               const_cast<double *>(columns),
                               stride,
                               static_cast<int>(n_columns));
    Epetra_MultiVector       y(
      View, mass.RangeMap(), result, stride, static_cast<int>(n_columns));
    mass.Multiply(false, x, y);
  }


  template <int dim>
  std::vector<double>
  FiniteElementSpace<dim>::square_norms(const std::vector<double> &columns,
                                        const std::size_t n_columns) const
  {
    const std::size_t   n = n_local_nodes();
    std::vector<double> product(columns.size());
    multiply_by_mass(columns.data(), product.data(), n_columns);
    std::vector<double> squares(n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      squares[j] = std::inner_product(columns.begin() + j * n,
                                      columns.begin() + (j + 1) * n,
                                      product.begin() + j * n,
                                      0.);
    MPI_Allreduce(MPI_IN_PLACE,
                  squares.data(),
                  static_cast<int>(n_columns),
                  MPI_DOUBLE,
                  MPI_SUM,
                  communicator());
    return squares;
  }


  template class FiniteElementSpace<1>;
  template class FiniteElementSpace<2>;
  template class FiniteElementSpace<3>;
} // namespace Evergreen
