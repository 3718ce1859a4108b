// Tutorial 5: learning in a program of your own.
//
// The other tutorials use Evergreen's meshes and problems. Most people have a
// program already: a distributed triangulation, refined where it is needed,
// their own elements, constraints, assembly and solver. This one is such a
// program, in the manner of deal.II's step-40. It solves
//
//     -div(a grad u) = f  in the L-shaped domain (-1,1)^2 \ (0,1)^2,
//                  u = 0  on the boundary,
//
// with a = 10 in a disk and 1 elsewhere, by elements of any degree on a mesh
// that is refined at the corner and around the disk, with hanging nodes, by CG
// with algebraic multigrid, on any number of ranks.
//
// Then the function learn_and_use() makes pairs (f, u) with this solver, learns
// the Green's function from them, and gives it back as a solver that needs no
// equations any more, as values at a few points, and as a preconditioner.
//
//     tutorial_refined_l [refined_l.prm] [--set "Section/Key=value"]...
//         [-o DIRECTORY]
//     mpirun -n 2 tutorial_refined_l

// @sect{Include files}
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/timer.h>
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/numerics/error_estimator.h>

#include <cmath>
#include <iostream>
#include <memory>

namespace RefinedL
{
  using namespace dealii;
  using VectorType = LinearAlgebra::distributed::Vector<double>;

  constexpr int dim = 2;


  // @sect{Parameters}
  //
  // Two of the program, and those of Evergreen's rooms that it uses.
  struct Parameters
  {
    unsigned int                  n_cycles = 3;
    unsigned int                  degree   = 2;
    Evergreen::ForcingParameters  forcing;
    Evergreen::DatasetParameters  dataset;
    Evergreen::LearningParameters learning;

    Parameters()
    {
      forcing.wavelength         = 0.25;
      dataset.n_training_samples = 400;
      dataset.n_test_samples     = 50;
      learning.neurons           = 192;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      prm.enter_subsection("Mesh");
      prm.add_parameter("Cycles",
                        n_cycles,
                        "How often the mesh is refined where it is needed.",
                        Patterns::Integer(0, 12));
      prm.add_parameter("Degree",
                        degree,
                        "The polynomial degree of the elements.",
                        Patterns::Integer(1, 8));
      prm.leave_subsection();
      forcing.add_parameters(prm);
      dataset.add_parameters(prm);
      learning.add_parameters(prm);
    }

    void
    check() const
    {
      forcing.check();
      dataset.check();
      learning.check();
    }
  };


  // @sect{The program's class}
  //
  // Nothing here is Evergreen's but the last function.
  class LaplaceProblem
  {
  public:
    LaplaceProblem(const Parameters  &parameters,
                   const std::string &directory,
                   const MPI_Comm     communicator);

    void
    run();

  private:
    void
    setup_system();
    void
    assemble_system();
    unsigned int
    solve(const VectorType &rhs, VectorType &solution) const;
    void
    refine_mesh();
    void
    learn_and_use();
    void
    use(const Evergreen::SurrogateSolver<dim> &surrogate) const;

    Parameters         parameters;
    std::string        directory;
    MPI_Comm           communicator;
    ConditionalOStream out;

    parallel::distributed::Triangulation<dim> triangulation;
    FE_Q<dim>                                 fe;
    MappingQ<dim>                             mapping;
    QGauss<dim>                               quadrature;
    DoFHandler<dim>                           dof_handler;
    AffineConstraints<double>                 constraints;
    IndexSet                                  owned, relevant;
    TrilinosWrappers::SparseMatrix            system_matrix;
    TrilinosWrappers::PreconditionAMG         amg;
    VectorType                                system_rhs; // for f = 1
  };


  double
  coefficient(const Point<dim> &x)
  {
    return x.distance(Point<dim>(-0.5, 0.5)) < 0.3 ? 10. : 1.;
  }


  LaplaceProblem::LaplaceProblem(const Parameters  &parameters,
                                 const std::string &directory,
                                 const MPI_Comm     communicator)
    : parameters(parameters)
    , directory(directory)
    , communicator(communicator)
    , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    , triangulation(communicator)
    , fe(parameters.degree)
    , mapping(1)
    , quadrature(parameters.degree + 1)
    , dof_handler(triangulation)
  {
    GridGenerator::hyper_L(triangulation);
    triangulation.refine_global(3);
  }


  // @sect{Setting up, assembling, solving, refining}
  //
  // As in step-40. The constraints are hanging nodes and boundary values.
  void
  LaplaceProblem::setup_system()
  {
    dof_handler.distribute_dofs(fe);
    owned = dof_handler.locally_owned_dofs();
    DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);

    constraints.clear();
    constraints.reinit(relevant);
    DoFTools::make_hanging_node_constraints(dof_handler, constraints);
    DoFTools::make_zero_boundary_constraints(dof_handler, constraints);
    constraints.close();

    DynamicSparsityPattern pattern(relevant);
    DoFTools::make_sparsity_pattern(dof_handler, pattern, constraints, false);
    SparsityTools::distribute_sparsity_pattern(pattern,
                                               owned,
                                               communicator,
                                               relevant);
    system_matrix.reinit(owned, owned, pattern, communicator);
    system_rhs.reinit(owned, relevant, communicator);
  }


  void
  LaplaceProblem::assemble_system()
  {
    FEValues<dim>                        values(mapping,
                         fe,
                         quadrature,
                         update_values | update_gradients |
                           update_quadrature_points | update_JxW_values);
    const unsigned int                   n = fe.n_dofs_per_cell();
    FullMatrix<double>                   cell_matrix(n, n);
    Vector<double>                       cell_rhs(n);
    std::vector<types::global_dof_index> dofs(n);
    for (const auto &cell : dof_handler.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          cell_matrix = 0;
          cell_rhs    = 0;
          for (const auto q : values.quadrature_point_indices())
            {
              const double a = coefficient(values.quadrature_point(q));
              for (const auto i : values.dof_indices())
                {
                  for (const auto j : values.dof_indices())
                    cell_matrix(i, j) += a * values.shape_grad(i, q) *
                                         values.shape_grad(j, q) *
                                         values.JxW(q);
                  cell_rhs(i) += values.shape_value(i, q) * values.JxW(q);
                }
            }
          cell->get_dof_indices(dofs);
          constraints.distribute_local_to_global(
            cell_matrix, cell_rhs, dofs, system_matrix, system_rhs);
        }
    system_matrix.compress(VectorOperation::add);
    system_rhs.compress(VectorOperation::add);
    amg.initialize(system_matrix);
  }


  // The number of iterations is returned for a comparison below.
  unsigned int
  LaplaceProblem::solve(const VectorType &rhs, VectorType &solution) const
  {
    SolverControl control(1000, 1e-10 * rhs.l2_norm(), false, false);
    solution = 0.;
    SolverCG<VectorType>(control).solve(system_matrix, solution, rhs, amg);
    constraints.distribute(solution);
    return control.last_step();
  }


  void
  LaplaceProblem::refine_mesh()
  {
    VectorType solution(owned, communicator),
      ghosted(owned, relevant, communicator);
    solve(system_rhs, solution);
    ghosted = solution;
    ghosted.update_ghost_values();
    Vector<float> estimated_error(triangulation.n_active_cells());
    KellyErrorEstimator<dim>::estimate(mapping,
                                       dof_handler,
                                       QGauss<dim - 1>(fe.degree + 1),
                                       {},
                                       ghosted,
                                       estimated_error);
    parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(
      triangulation, estimated_error, 0.2, 0.03);
    triangulation.execute_coarsening_and_refinement();
  }


  // @sect{What Evergreen adds}
  //
  // Space borrows what the program has. Forcings are drawn at random, solutions
  // come from solve(): a forcing is a finite element function, whose right-hand
  // side is the mass matrix times its nodal values, condensed as every
  // right-hand side on a mesh with hanging nodes. Nobody looks into the matrix:
  // the kernel is learned from pairs alone.
  void
  LaplaceProblem::learn_and_use()
  {
    using namespace Evergreen;
    const Space<dim> space(dof_handler, mapping, quadrature, constraints);

    UserProblem<dim> problem("own",
                             space,
                             [&](const VectorType &f, VectorType &u) {
                               VectorType rhs = space.make_vector();
                               space.mass_matrix().vmult(rhs, f);
                               space.condense(rhs.begin(), 1);
                               solve(rhs, u);
                             });

    Timer      timer;
    const auto training =
      generate_samples(problem,
                       parameters.forcing,
                       Split::train,
                       parameters.dataset.n_training_samples);
    const auto   tests = generate_samples(problem,
                                        parameters.forcing,
                                        Split::test,
                                        parameters.dataset.n_test_samples);
    const double seconds =
      timer.wall_time() / (training.n_samples + tests.n_samples);
    const LearningResult result =
      learn_kernel(space, training, parameters.learning);
    out << "Learned: " << result.kernel.response.size() << " slices from "
        << training.n_samples << " solves (" << 1e3 * seconds << " ms each) in "
        << result.seconds << " s" << std::endl;

    // The surrogate on samples that it has not seen.
    const SurrogateSolver<dim> surrogate(result.kernel, space);
    std::vector<double>        answers(tests.forcings.size());
    timer.restart();
    surrogate.apply(tests.forcings.data(), answers.data(), tests.n_samples);
    out << "Surrogate: eps_u " << mean_relative_error(surrogate, tests) << ", "
        << 1e3 * timer.wall_time() / tests.n_samples << " ms a solution"
        << std::endl;

    use(surrogate);
  }


  // A forcing of another kind than those of the training, at three points only
  // (the first is in the disk, the last near the corner), and the kernel as a
  // preconditioner of the program's own matrix.
  void
  LaplaceProblem::use(const Evergreen::SurrogateSolver<dim> &surrogate) const
  {
    using namespace Evergreen;
    const Space<dim> &space = surrogate.space();
    const VectorType  f     = interpolate<dim>(space, [](const Point<dim> &p) {
      return std::exp(-8 * p.distance_square(Point<dim>(-0.5, -0.5)));
    });
    VectorType        rhs = space.make_vector(), exact = rhs, u = rhs;
    space.mass_matrix().vmult(rhs, f);
    space.condense(rhs.begin(), 1);
    const unsigned int n_amg = solve(rhs, exact);

    const std::vector<Point<dim>> points  = {{-0.5, 0.5},
                                             {0.5, -0.5},
                                             {-0.05, 0.05}};
    const auto                    sensors = surrogate.sensors(points)(f);
    const auto                    truth   = surrogate.values_at(points, exact);
    for (std::size_t p = 0; p < points.size(); ++p)
      out << "Sensor at (" << points[p] << "): " << sensors[p]
          << ", by the program " << truth[p] << std::endl;

    GreensPreconditionerOptions options;
    options.symmetric = true;
    const GreensPreconditioner<dim> greens(surrogate, system_matrix, options);
    SolverControl control(1000, 1e-10 * rhs.l2_norm(), false, false);
    SolverCG<VectorType>(control).solve(system_matrix, u, rhs, greens);
    out << "CG to 1e-10: " << control.last_step()
        << " iterations with the kernel, " << n_amg << " with AMG" << std::endl;

    surrogate.vmult(u, f);
    write_vtu<dim>(space,
                   {{"forcing", f}, {"learned", u}, {"solution", exact}},
                   directory + "/solution.vtu");
    out << "Written: " << directory << "/solution.vtu" << std::endl;
  }


  void
  LaplaceProblem::run()
  {
    for (unsigned int cycle = 0; cycle <= parameters.n_cycles; ++cycle)
      {
        if (cycle > 0)
          refine_mesh();
        setup_system();
        assemble_system();
      }
    out << "Mesh: " << triangulation.n_global_active_cells() << " cells, "
        << dof_handler.n_dofs() << " degrees of freedom, "
        << "elements of degree " << fe.degree << std::endl;
    learn_and_use();
  }
} // namespace RefinedL


// @sect{The main function}
int
main(int argc, char **argv)
{
  using namespace RefinedL;
  return Evergreen::run_with_parameters<Parameters, LaplaceProblem>(
    argc,
    argv,
    "tutorial_refined_l",
    "Learns the Green's function of a program's own solver.",
    "refined_l_output");
}
