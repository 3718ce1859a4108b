#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/singular_quadrature.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  GalerkinProblem<dim>::GalerkinProblem(const LinearSolver::Method method)
    : method_(method)
  {}


  template <int dim>
  void
  GalerkinProblem<dim>::set_up(const Space<dim> &space)
  {
    this->space_ = &space;
    this->facts_.clear();
    this->warnings_.clear();
    full_matrix_.reset();
    assemble(space.constraints(), matrix_);
    solver_.initialize(matrix_, method_, is_definite());
    this->facts_.emplace_back("solver",
                              LinearSolver::method_name(solver_.method()));
  }


  template <int dim>
  void
  GalerkinProblem<dim>::assemble(const AffineConstraints<double> &constraints,
                                 TrilinosWrappers::SparseMatrix  &matrix) const
  {
    const auto &space = this->space();
    space.reinit(matrix, constraints);
    FEValues<dim>     values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_gradients |
                           update_quadrature_points | update_JxW_values);
    FEFaceValues<dim> face_values(
      space.mapping(),
      space.fe(),
      face_quadratures<dim>(space.fe().reference_cell(), space.degree() + 1),
      update_values | update_gradients | update_normal_vectors |
        update_quadrature_points | update_JxW_values);
    const unsigned int                   n = space.fe().n_dofs_per_cell();
    FullMatrix<double>                   cell_matrix(n, n);
    std::vector<types::global_dof_index> dofs(n);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell_matrix = 0;
          assemble_cell(values, cell_matrix);
          if (has_face_terms())
            for (const auto f : cell->face_indices())
              if (cell->at_boundary(f))
                {
                  face_values.reinit(cell, f);
                  assemble_face(face_values,
                                cell->face(f)->boundary_id(),
                                cell_matrix);
                }
          cell->get_dof_indices(dofs);
          constraints.distribute_local_to_global(cell_matrix, dofs, matrix);
        }
    matrix.compress(VectorOperation::add);
  }


  template <int dim>
  const TrilinosWrappers::SparseMatrix &
  GalerkinProblem<dim>::full_matrix() const
  {
    if (full_matrix_ == nullptr)
      {
        auto matrix = std::make_unique<TrilinosWrappers::SparseMatrix>();
        assemble(AffineConstraints<double>(
                   this->space().locally_relevant_dofs()),
                 *matrix);
        full_matrix_ = std::move(matrix);
      }
    return *full_matrix_;
  }


  template <int dim>
  void
  GalerkinProblem<dim>::solve(const VectorType &forcing, VectorType &solution)
  {
    this->throw_if_failed(solve_block(forcing.begin(), solution.begin(), 1));
  }


  template <int dim>
  std::vector<SolveFailure>
  GalerkinProblem<dim>::solve_block(const double     *forcings,
                                    double           *solutions,
                                    const std::size_t n_samples)
  {
    const auto         &space   = this->space();
    const std::size_t   n_local = space.n_local_nodes();
    std::vector<double> rhs(n_local * n_samples);
    space.multiply_by_mass(forcings, rhs.data(), n_samples);
    return solve_loads(rhs.data(), solutions, n_samples);
  }


  template <int dim>
  std::vector<SolveFailure>
  GalerkinProblem<dim>::solve_loads(double           *loads,
                                    double           *solutions,
                                    const std::size_t n_columns) const
  {
    const auto       &space   = this->space();
    const std::size_t n_local = space.n_local_nodes();
    space.condense(loads, n_columns);
    const auto failures = solver_.solve(loads, solutions, n_columns);
    space.distribute(solutions, n_columns);
    for (const auto &failure : failures)
      std::fill_n(solutions + failure.sample * n_local,
                  n_local,
                  std::numeric_limits<double>::quiet_NaN());
    return failures;
  }


  template <int dim>
  void
  GalerkinProblem<dim>::greens_function(const std::size_t node,
                                        VectorType       &slice)
  {
    const auto &space = this->space();
    const auto  dof   = space.dof_of_node(node);
    VectorType  unit  = space.make_vector();
    if (space.locally_owned_dofs().is_element(dof) &&
        !space.constraints().is_constrained(dof))
      unit(dof) = 1;
    slice.reinit(unit);
    const bool transposed = !is_definite();
    const auto failures =
      solver_.solve(unit.begin(), slice.begin(), 1, transposed);
    if (!failures.empty())
      throw Error("The Green's function of '",
                  this->name(),
                  "' at node ",
                  node,
                  " could not be computed: ",
                  failures.front().reason,
                  ".");
    space.distribute(slice.begin(), 1);
  }


  template class GalerkinProblem<1>;
  template class GalerkinProblem<2>;
  template class GalerkinProblem<3>;
} // namespace Evergreen
