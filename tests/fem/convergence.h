// Errors against exact solutions, and the rates at which they fall.

#ifndef evergreen_tests_fem_convergence_h
#define evergreen_tests_fem_convergence_h

#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh_space.h>

#include <deal.II/base/function.h>
#include <deal.II/fe/fe_values.h>

#include <cmath>
#include <functional>

namespace Evergreen
{
  namespace Testing
  {
    template <int dim>
    using Field = std::function<double(const dealii::Point<dim> &)>;

    /** The nodal values of a function. */
    template <int dim>
    typename LinearProblem<dim>::VectorType
    interpolate(const Space<dim> &space, const Field<dim> &field)
    {
      typename LinearProblem<dim>::VectorType values(
        space.locally_owned_dofs(),
        space.locally_relevant_dofs(),
        space.communicator());
      for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
        {
          dealii::Point<dim> p;
          for (unsigned int d = 0; d < dim; ++d)
            p[d] = space.mesh_data().points[space.local_nodes()[i] * dim + d];
          values.local_element(i) = field(p);
        }
      return values;
    }

    /** The L2 norm of u_h - u, by quadrature of a higher order. */
    template <int dim>
    double
    l2_error(const Space<dim>                        &space,
             typename LinearProblem<dim>::VectorType &solution,
             const Field<dim>                        &exact)
    {
      solution.update_ghost_values();
      const auto quadrature =
        space.fe().reference_cell().template get_gauss_type_quadrature<dim>(
          std::min(4u, space.degree() + 2));
      dealii::FEValues<dim> values(space.mapping(),
                                   space.fe(),
                                   quadrature,
                                   dealii::update_values |
                                     dealii::update_quadrature_points |
                                     dealii::update_JxW_values);
      std::vector<double>   numbers(quadrature.size());
      double                square = 0;
      for (const auto &cell : space.dof_handler().active_cell_iterators())
        if (cell->is_locally_owned())
          {
            values.reinit(cell);
            values.get_function_values(solution, numbers);
            for (const auto q : values.quadrature_point_indices())
              square +=
                std::pow(numbers[q] - exact(values.quadrature_point(q)), 2) *
                values.JxW(q);
          }
      return std::sqrt(
        dealii::Utilities::MPI::sum(square, space.communicator()));
    }

    /** Solves on one mesh and returns the L2 error. */
    template <int dim>
    double
    solution_error(LinearProblem<dim>     &problem,
                   const DomainParameters &domain,
                   const unsigned int      degree,
                   const Field<dim>       &forcing,
                   const Field<dim>       &exact,
                   const MPI_Comm          communicator = MPI_COMM_SELF)
    {
      const Mesh<dim>      mesh(domain, communicator);
      const MeshSpace<dim> space(mesh, degree, problem);
      problem.set_up(space);
      auto f = interpolate(space, forcing);
      auto u = f;
      problem.solve(f, u);
      return l2_error(space, u, exact);
    }

    /** The observed order between a mesh and its refinement. */
    template <int dim>
    double
    convergence_order(LinearProblem<dim> &problem,
                      DomainParameters    domain,
                      const unsigned int  degree,
                      const Field<dim>   &forcing,
                      const Field<dim>   &exact)
    {
      const double coarse =
        solution_error(problem, domain, degree, forcing, exact);
      ++domain.refinements;
      const double fine =
        solution_error(problem, domain, degree, forcing, exact);
      return std::log2(coarse / fine);
    }
  } // namespace Testing
} // namespace Evergreen

#endif
