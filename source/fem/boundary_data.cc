#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/boundary_data.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/hp/q_collection.h>
#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    // Boundary kernels are nearly singular on the faces next to a response
    // point: at half a cell's distance n Gauss points err by about 2.4^(-2n).
    // There are few faces, so all of them have that many.
    constexpr unsigned int n_points_on_lines     = 10;
    constexpr unsigned int n_points_on_squares   = 6;
    constexpr unsigned int n_points_on_triangles = 6;

    // Shape functions of nodes off a face are zero there but for rounding.
    constexpr double zero_on_face = 1e-10;


    template <int dim>
    hp::QCollection<dim - 1>
    fine_face_quadratures(const ReferenceCell &cell, const unsigned int degree)
    {
      hp::QCollection<dim - 1> result;
      if constexpr (dim == 1)
        result.push_back(QGauss<0>(1));
      else if constexpr (dim == 2)
        result.push_back(QGauss<1>(std::max(n_points_on_lines, degree + 2)));
      else
        for (const auto f : cell.face_indices())
          if (cell.face_reference_cell(f).is_hyper_cube())
            result.push_back(
              QGauss<2>(std::max(n_points_on_squares, degree + 2)));
          else
            result.push_back(
              QWitherdenVincentSimplex<2>(n_points_on_triangles));
      return result;
    }


    /** Whether constraints say that a degree of freedom is zero. */
    bool
    is_zero(const AffineConstraints<double> &constraints,
            const types::global_dof_index    dof)
    {
      return constraints.is_constrained(dof) &&
             constraints.get_constraint_entries(dof)->empty();
    }
  } // namespace


  std::string
  input_name(const Input input)
  {
    switch (input)
      {
        case Input::boundary_values:
          return "boundary-values";
        case Input::boundary_fluxes:
          return "boundary-fluxes";
        default:
          return "forcing";
      }
  }


  std::string
  input_words(const Input input)
  {
    switch (input)
      {
        case Input::boundary_values:
          return "boundary values";
        case Input::boundary_fluxes:
          return "boundary fluxes";
        default:
          return "forcings";
      }
  }


  Input
  input_from_name(const std::string &name)
  {
    for (const Input input :
         {Input::forcing, Input::boundary_values, Input::boundary_fluxes})
      if (name == input_name(input))
        return input;
    throw UsageError("There is no input '",
                     name,
                     "': use forcing, boundary-values or boundary-fluxes.");
  }


  template <int dim>
  void
  visit_boundary(const Space<dim>                                   &space,
                 const Input                                         input,
                 const std::function<void(const FaceShapes<dim> &)> &function)
  {
    FEFaceValues<dim> values(
      space.mapping(),
      space.fe(),
      fine_face_quadratures<dim>(space.fe().reference_cell(), space.degree()),
      update_values | update_quadrature_points | update_JxW_values);
    const unsigned int                   n = space.fe().n_dofs_per_cell();
    std::vector<types::global_dof_index> dofs(n);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned() && cell->at_boundary())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f))
            {
              values.reinit(cell, f);
              cell->get_dof_indices(dofs);
              FaceShapes<dim> face{values, {}, {}};
              bool            takes_values = true;
              for (unsigned int k = 0; k < n; ++k)
                {
                  double largest = 0;
                  for (const auto q : values.quadrature_point_indices())
                    largest =
                      std::max(largest, std::abs(values.shape_value(k, q)));
                  if (largest < zero_on_face)
                    continue;
                  face.shapes.push_back(k);
                  face.dofs.push_back(dofs[k]);
                  takes_values =
                    takes_values && is_zero(space.constraints(), dofs[k]);
                }
              if (takes_values == (input == Input::boundary_values))
                function(face);
            }
  }


  template <int dim>
  std::vector<double>
  boundary_weights(const Space<dim> &space, const Input input)
  {
    auto weights = space.make_vector(/*ghosts=*/true);
    visit_boundary<dim>(space, input, [&](const FaceShapes<dim> &face) {
      std::vector<double> squares;
      double              measure = 0;
      for (const auto q : face.values.quadrature_point_indices())
        measure += face.values.JxW(q);
      for (const unsigned int k : face.shapes)
        {
          squares.push_back(0.);
          for (const auto q : face.values.quadrature_point_indices())
            squares.back() +=
              std::pow(face.values.shape_value(k, q), 2) * face.values.JxW(q);
        }
      const double sum = std::accumulate(squares.begin(), squares.end(), 0.);
      for (std::size_t i = 0; i < squares.size(); ++i)
        weights(face.dofs[i]) += measure * squares[i] / sum;
    });
    weights.compress(VectorOperation::add);
    if (!(weights.l1_norm() > 0))
      throw Error("There are no ",
                  input_words(input),
                  " on this finite element space: its constraints fix the "
                  "solution ",
                  input == Input::boundary_values ? "nowhere" : "everywhere",
                  " on the boundary.");
    return std::vector<double>(weights.begin(),
                               weights.begin() + weights.locally_owned_size());
  }


  template <int dim>
  void
  assemble_boundary_mass(const Space<dim>               &space,
                         const Input                     input,
                         TrilinosWrappers::SparseMatrix &matrix)
  {
    space.reinit(matrix, AffineConstraints<double>());
    visit_boundary<dim>(space, input, [&](const FaceShapes<dim> &face) {
      const std::size_t  n = face.shapes.size();
      FullMatrix<double> products(n, n);
      for (const auto q : face.values.quadrature_point_indices())
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            products(i, j) += face.values.shape_value(face.shapes[i], q) *
                              face.values.shape_value(face.shapes[j], q) *
                              face.values.JxW(q);
      matrix.add(face.dofs, products);
    });
    matrix.compress(VectorOperation::add);
  }


  template <int dim>
  void
  restrict_to_boundary(const Space<dim>          &space,
                       const std::vector<double> &weights,
                       double                    *columns,
                       const std::size_t          n_columns)
  {
    const std::size_t n = space.n_local_nodes();
    for (std::size_t j = 0; j < n_columns; ++j)
      for (std::size_t i = 0; i < n; ++i)
        if (!(weights[i] > 0))
          columns[j * n + i] = 0;
    space.hanging_nodes().distribute(columns, n_columns);
  }


  template <int dim>
  typename Space<dim>::VectorType
  boundary_data(const Space<dim>    &space,
                const Input          input,
                const Function<dim> &formula)
  {
    const auto weights = boundary_weights(space, input);
    auto       result  = space.make_vector();
    collectively(space.communicator(), [&]() {
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0)
          {
            const auto   x     = space.point(space.local_nodes()[i]);
            const double value = formula.value(x);
            if (!std::isfinite(value))
              throw Error("The boundary data are not finite at the point (",
                          x,
                          ").");
            result.local_element(i) = value;
          }
    });
    restrict_to_boundary(space, weights, result.begin(), 1);
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(visit_boundary<dim>)         visit_boundary<dim>;          \
  template decltype(boundary_weights<dim>)       boundary_weights<dim>;        \
  template decltype(assemble_boundary_mass<dim>) assemble_boundary_mass<dim>;  \
  template decltype(restrict_to_boundary<dim>)   restrict_to_boundary<dim>;    \
  template decltype(boundary_data<dim>)          boundary_data<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
