// What a deal.II program has: its own triangulation, elements and constraints.

#ifndef evergreen_tests_fem_user_spaces_h
#define evergreen_tests_fem_user_spaces_h

#include <evergreen/fem/space.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/numerics/vector_tools.h>

#include <set>

namespace Evergreen
{
  namespace Testing
  {
    /**
     * Elements on a triangulation that the test makes, with zero values where
     * it wants them. Works on all ranks of MPI_COMM_WORLD or alone.
     */
    template <int dim>
    struct UserSpace
    {
      dealii::parallel::distributed::Triangulation<dim> triangulation;
      dealii::FE_Q<dim>                                 fe;
      dealii::MappingQ<dim>                             mapping;
      dealii::QGauss<dim>                               quadrature;
      dealii::DoFHandler<dim>                           dof_handler;
      dealii::AffineConstraints<double>                 constraints;

      UserSpace(const unsigned int degree,
                const unsigned int mapping_degree,
                const MPI_Comm     communicator = MPI_COMM_SELF)
        : triangulation(communicator)
        , fe(degree)
        , mapping(mapping_degree)
        , quadrature(degree + 1)
        , dof_handler(triangulation)
      {}

      /** After the mesh was made: u = 0 where the boundary has these ids. */
      void
      distribute(const std::set<dealii::types::boundary_id> &zero_sides)
      {
        dof_handler.distribute_dofs(fe);
        make_constraints(zero_sides);
      }

      void
      make_constraints(const std::set<dealii::types::boundary_id> &zero_sides)
      {
        dealii::IndexSet relevant;
        dealii::DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);
        constraints.clear();
        constraints.reinit(relevant);
        dealii::DoFTools::make_hanging_node_constraints(dof_handler,
                                                        constraints);
        for (const auto id : zero_sides)
          dealii::DoFTools::make_zero_boundary_constraints(dof_handler,
                                                           id,
                                                           constraints);
        constraints.close();
      }

      Space<dim>
      space() const
      {
        return Space<dim>(dof_handler, mapping, quadrature, constraints);
      }
    };


    /** Refines the cells whose centres are near a point. */
    template <int dim>
    void
    refine_near(dealii::Triangulation<dim> &triangulation,
                const dealii::Point<dim>   &centre,
                const double                radius)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned() &&
            cell->center().distance(centre) < radius)
          cell->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }
  } // namespace Testing
} // namespace Evergreen

#endif
