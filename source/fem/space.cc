#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/mesh.h>
#include <evergreen/fem/space.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_cartesian.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/sparsity_tools.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MultiVector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Points in lexicographic order, and how far apart they must be. */
    template <int dim>
    class PointOrder
    {
    public:
      /**
       * Coordinates are compared after rounding to a small fraction of the
       * domain, since the same point may differ in its last bits on different
       * ranks. @p points are dim numbers each. Of equal points those that are
       * @p hanging come last.
       */
      explicit PointOrder(const std::vector<double> &points,
                          const std::vector<double> &is_hanging = {})
        : keys(points.size() / dim), hanging(is_hanging), positions(keys.size())
      {
        hanging.resize(keys.size(), 0.);
        std::array<double, dim> lower, upper;
        for (unsigned int d = 0; d < dim; ++d)
          lower[d] = upper[d] = points[d];
        for (std::size_t i = 0; i < points.size(); ++i)
          {
            lower[i % dim] = std::min(lower[i % dim], points[i]);
            upper[i % dim] = std::max(upper[i % dim], points[i]);
          }
        double square = 0;
        for (unsigned int d = 0; d < dim; ++d)
          square += std::pow(upper[d] - lower[d], 2);
        diameter                = std::sqrt(square);
        const double resolution = 1.234567e-9 * diameter;
        for (std::size_t i = 0; i < points.size(); ++i)
          keys[i / dim][i % dim] =
            std::llround((points[i] - lower[i % dim]) / resolution);
        std::iota(positions.begin(), positions.end(), 0);
        const auto key = [&](const std::size_t &i) {
          return std::tie(keys[i], hanging[i], i);
        };
        std::sort(positions.begin(),
                  positions.end(),
                  [&](const auto &a, const auto &b) {
                    return key(a) < key(b);
                  });
      }

      /** The numbers of the points from the first to the last. */
      const std::vector<std::size_t> &
      order() const
      {
        return positions;
      }

      /** Whether two points are equal of which none is hanging. */
      bool
      has_equal_points() const
      {
        for (std::size_t i = 1; i < positions.size(); ++i)
          if (keys[positions[i]] == keys[positions[i - 1]] &&
              hanging[positions[i]] == 0)
            return true;
        return false;
      }

      double diameter = 0;

    private:
      std::vector<std::array<std::int64_t, dim>> keys;
      std::vector<double>                        hanging; // 0 or 1
      std::vector<std::size_t>                   positions;
    };


    /** For each point of @p theirs the one of @p ours at the same place. */
    template <int dim>
    std::vector<std::size_t>
    match_points(const std::vector<double> &ours,
                 const std::vector<double> &theirs,
                 const std::string         &origin)
    {
      if (ours.size() != theirs.size())
        throw Error(origin,
                    " has ",
                    theirs.size() / dim,
                    " nodes, but the finite element space has ",
                    ours.size() / dim,
                    ".");
      const PointOrder<dim>    a(ours), b(theirs);
      std::vector<std::size_t> result(a.order().size());
      for (std::size_t i = 0; i < result.size(); ++i)
        {
          const std::size_t k = a.order()[i], l = b.order()[i];
          double            square = 0;
          for (unsigned int d = 0; d < dim; ++d)
            square += std::pow(ours[k * dim + d] - theirs[l * dim + d], 2);
          if (!(std::sqrt(square) <= 1e-7 * b.diameter))
            throw Error(origin,
                        ": node ",
                        l,
                        " is not a support point of the finite element space: "
                        "they belong to different meshes.");
          result[l] = k;
        }
      return result;
    }
  } // namespace


  template <int dim>
  Space<dim>::Space(const DoFHandler<dim>           &dof_handler,
                    const Mapping<dim>              &mapping,
                    const Quadrature<dim>           &quadrature,
                    const AffineConstraints<double> &constraints,
                    const MeshData                  *data,
                    const std::string               &origin)
    : dof_handler_(dof_handler)
    , mapping_(mapping)
    , quadrature_(quadrature)
    , constraints_(constraints)
  {
    collectively(communicator(), [&]() { check(); });
    DoFTools::extract_locally_relevant_dofs(dof_handler_,
                                            locally_relevant_dofs_);
    AffineConstraints<double> hanging(locally_relevant_dofs_);
    DoFTools::make_hanging_node_constraints(dof_handler_, hanging);
    hanging.close();
    hanging_lines_.reinit(dof_handler_, hanging);
    solution_lines_.reinit(dof_handler_, constraints_);

    const auto               support_points = gather_support_points();
    std::vector<std::size_t> order;
    if (data != nullptr)
      order = match_points<dim>(support_points, data->points, origin);
    else
      {
        const PointOrder<dim> ours(support_points,
                                   hanging_lines_.constrained_dofs());
        if (ours.has_equal_points())
          throw Error(
            "The finite element space has several degrees of freedom at "
            "the same point: kernels need continuous Lagrange elements.");
        order = ours.order();
      }
    dof_of_node_.assign(order.begin(), order.end());
    node_of_dof_.resize(order.size());
    for (std::size_t node = 0; node < order.size(); ++node)
      {
        node_of_dof_[order[node]] = node;
        for (unsigned int d = 0; d < dim; ++d)
          points_.push_back(support_points[order[node] * dim + d]);
      }
    for (const auto dof : locally_owned_dofs())
      {
        local_nodes_.push_back(node_of_dof_[dof]);
        is_constrained_.push_back(constraints_.is_constrained(dof));
      }
  }


  template <int dim>
  void
  Space<dim>::check() const
  {
    const auto refuse = [](const auto &...words) {
      throw Error("Kernels cannot be learned on this finite element space: ",
                  words...,
                  ".");
    };
    if (dof_handler_.has_hp_capabilities())
      refuse("it has several kinds of elements (hp); use one for all cells");
    if (n_nodes() == 0)
      refuse("it has no degrees of freedom; call distribute_dofs() before");
    if (fe().n_components() != 1)
      refuse("its element ",
             fe().get_name(),
             " has ",
             fe().n_components(),
             " components; use a scalar one for each");
    if (!fe().has_support_points() || fe().n_dofs_per_vertex() != 1 ||
        !fe().conforms(FiniteElementData<dim>::H1))
      refuse("its element ",
             fe().get_name(),
             " is not a continuous Lagrange element, such as FE_Q or "
             "FE_SimplexP");
    if (quadrature_.size() == 0)
      refuse("its quadrature has no points");
    if (!constraints_.is_closed(communicator()))
      refuse("its constraints are not closed; call close() before");
    for (const auto dof : locally_owned_dofs())
      if (constraints_.is_inhomogeneously_constrained(dof))
        refuse("the constraint of degree of freedom ",
               dof,
               " is not homogeneous; subtract a function with these values "
               "first, so that solutions are linear in forcings");
  }


  template <int dim>
  std::vector<double>
  Space<dim>::gather_support_points() const
  {
    std::map<types::global_dof_index, Point<dim>> points;
    DoFTools::map_dofs_to_support_points(mapping_, dof_handler_, points);
    std::vector<double> coordinates(n_nodes() * dim, 0.);
    for (const auto dof : locally_owned_dofs())
      std::copy_n(points.at(dof).begin_raw(), dim, &coordinates[dof * dim]);
    Utilities::MPI::sum(coordinates, communicator(), coordinates);
    return coordinates;
  }


  template <int dim>
  Point<dim>
  Space<dim>::point(const std::size_t node) const
  {
    Point<dim> result;
    std::copy_n(&points_[node * dim], dim, result.begin_raw());
    return result;
  }


  template <int dim>
  std::vector<std::size_t>
  Space<dim>::match(const std::vector<double> &points,
                    const std::string         &origin) const
  {
    // The usual case needs no search.
    if (points == points_)
      {
        std::vector<std::size_t> same(n_nodes());
        std::iota(same.begin(), same.end(), 0);
        return same;
      }
    return match_points<dim>(points_, points, origin);
  }


  template <int dim>
  const MeshData &
  Space<dim>::mesh_data() const
  {
    if (mesh_data_ == nullptr)
      {
        auto data       = std::make_unique<MeshData>();
        data->dim       = dim;
        data->degree    = degree();
        data->cell_type = cell_type_name(fe().reference_cell());
        data->points    = points_;
        data->is_complete =
          has_straight_cells() && !hanging_lines_.is_coupled();
        gather_cells(*data);
        gather_faces(*data);
        gather_boundary(*data);
        mesh_data_ = std::move(data);
      }
    return *mesh_data_;
  }


  template <int dim>
  bool
  Space<dim>::has_straight_cells() const
  {
    if (const auto *const q = dynamic_cast<const MappingQ<dim> *>(&mapping_))
      return q->get_degree() == 1;
    if (const auto *const fe = dynamic_cast<const MappingFE<dim> *>(&mapping_))
      return fe->get_degree() == 1;
    return dynamic_cast<const MappingCartesian<dim> *>(&mapping_) != nullptr;
  }


  template <int dim>
  void
  Space<dim>::gather_cells(MeshData &data) const
  {
    const ReferenceCell reference_cell = fe().reference_cell();
    const unsigned int  n_vertices     = reference_cell.n_vertices();

    // The last entry is the material.
    using Cell = std::vector<std::size_t>;
    std::vector<Cell> cells;
    for (const auto &cell : dof_handler_.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          cells.emplace_back(n_vertices + 1, cell->material_id());
          for (unsigned int v = 0; v < n_vertices; ++v)
            cells.back()[vtk_vertex(reference_cell, v)] =
              node_of_dof_[cell->vertex_dof_index(v, 0)];
        }
    std::vector<Cell> all_cells;
    for (const auto &part : Utilities::MPI::all_gather(communicator(), cells))
      all_cells.insert(all_cells.end(), part.begin(), part.end());
    // The order of the cells must not depend on the ranks either.
    std::sort(all_cells.begin(), all_cells.end());
    for (const auto &cell : all_cells)
      {
        data.cells.insert(data.cells.end(), cell.begin(), cell.end() - 1);
        data.materials.push_back(cell.back());
      }
    if (std::count(data.materials.begin(), data.materials.end(), 0) ==
        static_cast<std::ptrdiff_t>(data.materials.size()))
      data.materials.clear();
  }


  template <int dim>
  void
  Space<dim>::gather_faces(MeshData &data) const
  {
    // The nodes of a face, and its id.
    using Face = std::pair<std::vector<std::size_t>, std::size_t>;
    std::vector<Face> faces;
    bool              are_usual = true;
    for (const auto &cell : dof_handler_.active_cell_iterators())
      if (cell->is_locally_owned() && cell->at_boundary())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            {
              Face face = {{}, cell->face(f)->boundary_id()};
              for (unsigned int v = 0; v < data.vertices_per_face(); ++v)
                face.first.push_back(
                  node_of_dof_[cell->face(f)->vertex_dof_index(v, 0)]);
              std::sort(face.first.begin(), face.first.end());
              are_usual =
                are_usual && face.second == (dim == 1 && f == 1 ? 1u : 0u);
              faces.push_back(std::move(face));
            }
    if (Utilities::MPI::min(are_usual ? 1 : 0, communicator()) == 1)
      return;
    std::vector<Face> all_faces;
    for (const auto &part : Utilities::MPI::all_gather(communicator(), faces))
      all_faces.insert(all_faces.end(), part.begin(), part.end());
    std::sort(all_faces.begin(), all_faces.end());
    for (const auto &[nodes, id] : all_faces)
      {
        data.faces.insert(data.faces.end(), nodes.begin(), nodes.end());
        data.face_ids.push_back(id);
      }
  }


  template <int dim>
  void
  Space<dim>::gather_boundary(MeshData &data) const
  {
    std::vector<std::size_t> local;
    for (std::size_t i = 0; i < n_local_nodes(); ++i)
      if (is_constrained(i))
        local.push_back(local_nodes_[i]);
    for (const auto &part : Utilities::MPI::all_gather(communicator(), local))
      data.boundary.insert(data.boundary.end(), part.begin(), part.end());
    std::sort(data.boundary.begin(), data.boundary.end());
  }


  template <int dim>
  typename Space<dim>::VectorType
  Space<dim>::make_vector(const bool ghosts) const
  {
    return ghosts ? VectorType(locally_owned_dofs(),
                               locally_relevant_dofs_,
                               communicator())
                  : VectorType(locally_owned_dofs(), communicator());
  }


  template <int dim>
  std::vector<double>
  Space<dim>::values_at_nodes(const std::vector<std::size_t> &nodes,
                              const double                   *columns,
                              const std::size_t               n_columns) const
  {
    const std::size_t   n       = n_local_nodes();
    VectorType          ghosted = make_vector(true);
    const auto          places  = local_places(nodes, ghosted);
    std::vector<double> result;
    result.reserve(nodes.size() * n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        std::copy_n(columns + j * n, n, ghosted.begin());
        ghosted.update_ghost_values();
        for (const unsigned int place : places)
          result.push_back(ghosted.local_element(place));
        ghosted.zero_out_ghost_values();
      }
    return result;
  }


  template <int dim>
  std::vector<double>
  Space<dim>::sums_at_nodes(const std::vector<std::size_t> &nodes,
                            const double                   *columns,
                            const std::size_t               n_columns) const
  {
    const std::size_t   n       = n_local_nodes();
    VectorType          ghosted = make_vector(true);
    const auto          places  = local_places(nodes, ghosted);
    std::vector<double> result(n * n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      {
        ghosted = 0.;
        for (std::size_t i = 0; i < places.size(); ++i)
          ghosted.local_element(places[i]) += columns[j * places.size() + i];
        ghosted.compress(VectorOperation::add);
        std::copy_n(ghosted.begin(), n, result.begin() + j * n);
      }
    return result;
  }


  template <int dim>
  std::vector<unsigned int>
  Space<dim>::local_places(const std::vector<std::size_t> &nodes,
                           const VectorType               &ghosted) const
  {
    std::vector<unsigned int> places;
    for (const std::size_t node : nodes)
      places.push_back(
        ghosted.get_partitioner()->global_to_local(dof_of_node_[node]));
    return places;
  }


  template <int dim>
  std::vector<double>
  Space<dim>::values_of_all(const double *column) const
  {
    std::vector<double> all(n_nodes(), 0.);
    for (std::size_t i = 0; i < n_local_nodes(); ++i)
      all[dof_of_node_[local_nodes_[i]]] = column[i];
    Utilities::MPI::sum(all, communicator(), all);
    return all;
  }


  template <int dim>
  const TrilinosWrappers::SparseMatrix &
  Space<dim>::mass_matrix() const
  {
    if (mass_ == nullptr)
      assemble_mass_matrix();
    return *mass_;
  }


  template <int dim>
  void
  Space<dim>::reinit(TrilinosWrappers::SparseMatrix  &matrix,
                     const AffineConstraints<double> &constraints) const
  {
    DynamicSparsityPattern pattern(locally_relevant_dofs_);
    DoFTools::make_sparsity_pattern(dof_handler_, pattern, constraints, false);
    SparsityTools::distribute_sparsity_pattern(pattern,
                                               locally_owned_dofs(),
                                               communicator(),
                                               locally_relevant_dofs_);
    matrix.reinit(locally_owned_dofs(),
                  locally_owned_dofs(),
                  pattern,
                  communicator());
  }


  template <int dim>
  void
  Space<dim>::assemble_mass_matrix() const
  {
    auto mass = std::make_unique<TrilinosWrappers::SparseMatrix>();
    reinit(*mass, AffineConstraints<double>());
    FEValues<dim>                        values(mapping_,
                         fe(),
                         quadrature_,
                         update_values | update_JxW_values);
    const unsigned int                   n = fe().n_dofs_per_cell();
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
          mass->add(dofs, cell_matrix);
        }
    mass->compress(VectorOperation::add);
    mass_ = std::move(mass);
  }


  template <int dim>
  void
  Space<dim>::multiply_by_mass(const double     *columns,
                               double           *result,
                               const std::size_t n_columns) const
  {
    const auto &mass   = mass_matrix().trilinos_matrix();
    const int   stride = std::max<int>(1, n_local_nodes());
    if (n_columns == 0)
      return; // Epetra has no blocks without columns
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
  Space<dim>::square_norms(const std::vector<double> &columns,
                           const std::size_t          n_columns) const
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
    Utilities::MPI::sum(squares, communicator(), squares);
    return squares;
  }


  template class Space<1>;
  template class Space<2>;
  template class Space<3>;
} // namespace Evergreen
