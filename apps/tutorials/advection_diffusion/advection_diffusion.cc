// Tutorial 4: bring your own operator. Advection and diffusion in a cube, with
// MPI.
//
// The library has Poisson's and Helmholtz' equations. Yours is another one.
// Here it is
//
//     -div(a grad u) + b . grad u = f    in the unit cube, u = 0 on the
//     boundary,
//
// the concentration of something that diffuses, faster on one side than on the
// other (a depends on x), while a fluid carries it round and upwards (b). The
// program shows how little it takes to learn its Green's function: one class
// with the bilinear form on a cell. Everything else, from the distributed mesh
// (p4est) to the surrogate solver, is used as it is.
//
// What makes this operator special is that it is not symmetric: what is
// released at y arrives at x more easily if y lies upstream, so G(x, y) differs
// from G(y, x). The transposed kernel G(y, x) is the Green's function of the
// adjoint problem, which answers the opposite question: not "where does this go
// to" but "where could this come from". We check that the discrete Green's
// function is not symmetric, that its transpose belongs to the adjoint
// equation, and that the learned kernel has found both.
//
//     [mpirun -n 2] tutorial_advection_diffusion [advection_diffusion.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]
//
// One, two or more ranks give the same numbers.

// @sect{Include files}
#include <evergreen/base/compat.h>

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/field_output.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/table_handler.h>
#include <deal.II/base/tensor.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_precondition.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

namespace AdvectionDiffusionTutorial
{
  using namespace dealii;
  using namespace Evergreen;
  using VectorType = LinearAlgebra::distributed::Vector<double>;

  constexpr int dim = 3;


  // @sect{The coefficients}
  //
  // The diffusion grows from 1 to 1 + contrast across the cube. The fluid turns
  // about the vertical axis through the middle of the cube and rises at the
  // same time. Its divergence is zero, which the adjoint below makes use of.
  struct Coefficients
  {
    double contrast = 2.;
    double speed    = 20.;

    double
    diffusion(const Point<dim> &p) const
    {
      return 1. + contrast * p[0];
    }

    Tensor<1, dim>
    velocity(const Point<dim> &p) const
    {
      Tensor<1, dim> b;
      b[0] = -speed * (p[1] - 0.5);
      b[1] = speed * (p[0] - 0.5);
      b[2] = 0.3 * speed;
      return b;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      prm.enter_subsection("Operator");
      prm.add_parameter("Contrast",
                        contrast,
                        "The diffusion is 1 + Contrast * x.",
                        Patterns::Double(0));
      prm.add_parameter("Speed",
                        speed,
                        "The fluid turns with this angular velocity.",
                        Patterns::Double(0));
      prm.leave_subsection();
    }
  };


  // @sect{The operator}
  //
  // This is all that the library has to be told: the bilinear form
  //
  //     a(u, v) = int a grad u . grad v + (b . grad u) v
  //
  // on one cell, for every pair of shape functions. GalerkinProblem assembles
  // it on all cells of all ranks, eliminates the boundary, chooses and sets up
  // a solver, solves for blocks of right-hand sides, and computes the discrete
  // Green's function. If the matrix were symmetric and positive definite, we
  // would say so in is_definite(), and large problems could be solved by CG.
  class AdvectionDiffusion : public GalerkinProblem<dim>
  {
  public:
    explicit AdvectionDiffusion(const Coefficients &coefficients)
      : coefficients(coefficients)
    {}

    std::string
    name() const override
    {
      return "advection-diffusion";
    }

  protected:
    Coefficients coefficients;

    void
    assemble_cell(const FEValues<dim> &values,
                  FullMatrix<double>  &cell_matrix) const override
    {
      add_cell(values, +1., cell_matrix);
    }

    void
    add_cell(const FEValues<dim> &values,
             const double         direction,
             FullMatrix<double>  &cell_matrix) const
    {
      for (const auto q : values.quadrature_point_indices())
        {
          const double a = coefficients.diffusion(values.quadrature_point(q));
          const auto   b =
            direction * coefficients.velocity(values.quadrature_point(q));
          for (const auto i : values.dof_indices())
            for (const auto j : values.dof_indices())
              cell_matrix(i, j) +=
                (a * values.shape_grad(j, q) * values.shape_grad(i, q) +
                 (b * values.shape_grad(j, q)) * values.shape_value(i, q)) *
                values.JxW(q);
        }
    }
  };


  // @sect{The adjoint operator}
  //
  // Integration by parts moves the derivatives to the other function. Because
  // div b = 0 and all functions vanish on the boundary, what comes out is the
  // same equation with the fluid running backwards,
  //
  //     -div(a grad v) - b . grad v = g.
  //
  // We do not transpose the matrix, we discretise this equation. That its
  // matrix is the transpose of the other one is then a check of both (the
  // integrals are exact, since b is linear).
  class Adjoint : public AdvectionDiffusion
  {
  public:
    using AdvectionDiffusion::AdvectionDiffusion;

    std::string
    name() const override
    {
      return "adjoint of advection-diffusion";
    }

  protected:
    void
    assemble_cell(const FEValues<dim> &values,
                  FullMatrix<double>  &cell_matrix) const override
    {
      add_cell(values, -1., cell_matrix);
    }
  };


  // @sect{Small matrices}
  //
  // What we will say about them.
  FullMatrix<double>
  transpose(const FullMatrix<double> &matrix)
  {
    FullMatrix<double> result(matrix.n(), matrix.m());
    result.copy_transposed(matrix);
    return result;
  }

  FullMatrix<double>
  difference(FullMatrix<double> a, const FullMatrix<double> &b)
  {
    a.add(-1., b);
    return a;
  }

  FullMatrix<double>
  asymmetry(const FullMatrix<double> &matrix)
  {
    return difference(matrix, transpose(matrix));
  }


  // @sect{Parameters}
  struct Parameters
  {
    DomainParameters   domain;
    Coefficients       coefficients;
    ForcingParameters  forcing;
    DatasetParameters  dataset;
    LearningParameters learning;

    Parameters()
    {
      domain.name                = "cube";
      domain.subdivisions        = 10;
      forcing.model              = "gaussian-process";
      forcing.length             = 0.2;
      dataset.n_training_samples = 2000;
      dataset.n_test_samples     = 200;
      learning.family            = "mixed";
      learning.function          = "inverse";
      learning.neurons           = 192;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      domain.add_parameters(prm);
      coefficients.add_parameters(prm);
      forcing.add_parameters(prm);
      dataset.add_parameters(prm);
      learning.add_parameters(prm);
    }

    void
    check() const
    {
      domain.check();
      forcing.check();
      dataset.check();
      learning.check();
      if (domain.name != "cube")
        throw UsageError("'Domain/Name = ",
                         domain.name,
                         "' is not possible here: the coefficients are made "
                         "for the cube.");
      if (learning.method != "pw-oga" || !learning.sensors.empty())
        throw UsageError(
          "This program needs all slices of the kernel: leave "
          "'Greedy/Method' and 'Greedy/Sensors' alone.");
      if (dataset.n_test_samples == 0)
        throw UsageError(
          "'Dataset/Test samples = 0' leaves nothing to measure "
          "errors with.");
    }
  };


  // @sect{The program's class}
  class Tutorial
  {
  public:
    Tutorial(const Parameters  &parameters,
             const std::string &dataset_text,
             const std::string &directory,
             const MPI_Comm     communicator);

    void
    run();

  private:
    void
    check_operator();
    void
    learn();
    void
    compare_greens_functions();
    void
    compare_stations();
    void
    solve_backwards();
    void
    look_at_a_plane();

    VectorType
    vector() const
    {
      return VectorType(space.locally_owned_dofs(), communicator);
    }
    template <typename Function>
    VectorType
    interpolate(const Function &function) const;
    double
    relative_error(const VectorType &v, const VectorType &exact) const;
    Point<dim>
    point(const std::size_t node) const;

    Parameters         parameters;
    std::string        dataset_text;
    std::string        directory;
    MPI_Comm           communicator;
    ConditionalOStream out;

    Mesh<dim>          mesh;
    MeshSpace<dim>     space;
    AdvectionDiffusion problem;
    Adjoint            adjoint;

    std::unique_ptr<DatasetReader>        data;
    LearnedKernel                         kernel;
    std::unique_ptr<SurrogateSolver<dim>> solver;
  };


  // Hexahedra live on a parallel::distributed::Triangulation: p4est gives every
  // rank its share of the cells, and nobody has all of them.
  Tutorial::Tutorial(const Parameters  &parameters,
                     const std::string &dataset_text,
                     const std::string &directory,
                     const MPI_Comm     communicator)
    : parameters(parameters)
    , dataset_text(dataset_text)
    , directory(directory)
    , communicator(communicator)
    , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    , mesh(parameters.domain, communicator)
    , space(mesh, /*degree=*/1)
    , problem(parameters.coefficients)
    , adjoint(parameters.coefficients)
  {
    problem.set_up(space);
    adjoint.set_up(space);
    out << "Mesh: " << mesh.triangulation().n_global_active_cells()
        << " cells, " << space.n_nodes() << " nodes, on "
        << Utilities::MPI::n_mpi_processes(communicator) << " rank(s)"
        << std::endl;
  }


  Point<dim>
  Tutorial::point(const std::size_t node) const
  {
    Point<dim> p;
    for (unsigned int d = 0; d < dim; ++d)
      p[d] = space.mesh_data().points[node * dim + d];
    return p;
  }

  template <typename Function>
  VectorType
  Tutorial::interpolate(const Function &function) const
  {
    VectorType v = vector();
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      v.local_element(i) = function(point(space.local_nodes()[i]));
    return v;
  }

  double
  Tutorial::relative_error(const VectorType &v, const VectorType &exact) const
  {
    const auto norm = [&](const VectorType &w) {
      const std::vector<double> values(w.begin(), w.end());
      return std::sqrt(space.square_norms(values, 1).front());
    };
    VectorType difference = v;
    difference -= exact;
    return norm(difference) / norm(exact);
  }


  // @sect{Is the operator right?}
  //
  // Whoever writes a bilinear form makes mistakes. A manufactured solution
  // finds them: take u = sin(pi x) sin(pi y) sin(pi z), work out f by hand, and
  // see whether f leads back to u. With a = 1 + c x,
  //
  //     f = 3 pi^2 a u - c u_x + b . grad u.
  void
  Tutorial::check_operator()
  {
    const auto u = [](const Point<dim> &p) {
      return std::sin(M_PI * p[0]) * std::sin(M_PI * p[1]) *
             std::sin(M_PI * p[2]);
    };
    const auto gradient = [](const Point<dim> &p) {
      Tensor<1, dim> g;
      for (unsigned int d = 0; d < dim; ++d)
        g[d] = M_PI * std::cos(M_PI * p[d]) *
               std::sin(M_PI * p[(d + 1) % dim]) *
               std::sin(M_PI * p[(d + 2) % dim]);
      return g;
    };
    const Coefficients &c        = parameters.coefficients;
    const VectorType    forcing  = interpolate([&](const Point<dim> &p) {
      return 3. * M_PI * M_PI * c.diffusion(p) * u(p) -
             c.contrast * gradient(p)[0] + c.velocity(p) * gradient(p);
    });
    VectorType          solution = vector();
    problem.solve(forcing, solution);
    out << "Finite elements: error " << relative_error(solution, interpolate(u))
        << " for a manufactured solution" << std::endl;
  }


  // @sect{Learning}
  //
  // Nothing here knows which operator it is. The fundamental solution of the
  // dictionary, 1/|y - c|, is that of Laplace's operator and not of ours, for
  // which there is no formula; but the singularity at y = x is of the same
  // kind, and the ReLU atoms take care of the rest.
  void
  Tutorial::learn()
  {
    GenerationOptions options;
    options.resume         = true;
    options.parameter_text = dataset_text;
    const std::string file = directory + "/data.h5";
    const auto        made = generate_dataset(
      problem, parameters.forcing, parameters.dataset, file, options);
    if (made.interrupted)
      throw Error("Interrupted. The next run will continue with the data.");
    data = open_dataset(file, communicator);

    const auto result = learn_kernel(space,
                                     load_samples(*data, Split::train, space),
                                     parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");
    kernel = result.kernel;
    solver = std::make_unique<SurrogateSolver<dim>>(kernel, space);
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) == 0)
        kernel.save(directory + "/kernel.h5");
    });

    const auto tests =
      read_test_set(space, *data, Split::test, kernel.response);
    const auto errors = kernel_errors<dim>(kernel, space, &tests, &problem);
    out << "Learned: " << kernel.response.size() << " slices of up to "
        << kernel.n_neurons() << " atoms from " << data->n_samples(Split::train)
        << " pairs\nErrors: eps_u "
        << tests.errors_of({kernel}, make_rule(space)).front() << ", eps_G "
        << kernel_errors<dim>({kernel}, problem).front()
        << ", least squares eps_u "
        << tests.mean_relative_error(
             least_squares_predictions(*data, kernel.response, communicator))
        << std::endl;
  }


  // @sect{Symmetric or not?}
  //
  // First the discrete Green's functions of the problem and of its adjoint: the
  // matrices with the entries G_h(x_s, x_t) for some nodes, evenly spread. The
  // slices are distributed vectors; a sum over the ranks makes their values
  // known to all.
  void
  Tutorial::compare_greens_functions()
  {
    constexpr std::size_t    n = 24;
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < n; ++i)
      nodes.push_back(
        kernel.response[(2 * i + 1) * kernel.response.size() / (2 * n)]);

    const auto matrix_of = [&](GalerkinProblem<dim> &some_problem) {
      FullMatrix<double>  result(n, n);
      std::vector<double> row(n);
      VectorType          slice;
      for (std::size_t s = 0; s < n; ++s)
        {
          some_problem.greens_function(nodes[s], slice);
          for (std::size_t t = 0; t < n; ++t)
            {
              const auto dof = space.dof_of_node(nodes[t]);
              row[t]         = slice.in_local_range(dof) ? slice(dof) : 0.;
            }
          Utilities::MPI::sum(row, communicator, row);
          for (std::size_t t = 0; t < n; ++t)
            result(s, t) = row[t];
        }
      return result;
    };
    const FullMatrix<double> G         = matrix_of(problem);
    const FullMatrix<double> G_adjoint = matrix_of(adjoint);
    out << "Discrete Green's function: asymmetry |G - G^T| / |G| = "
        << asymmetry(G).frobenius_norm() / G.frobenius_norm()
        << ", distance to the adjoint's transpose "
        << difference(G, transpose(G_adjoint)).frobenius_norm() /
             G.frobenius_norm()
        << std::endl;
  }


  // @sect{Traffic between stations}
  //
  // Values at single nodes are full of effects of the mesh, of which no kernel
  // should be proud or ashamed. So we compare the learned kernel where it will
  // be used, on functions. Eight stations stand in the cube, each a small cloud
  // p_i. How much of what is released at station j arrives at station i?
  //
  //     E_ij = int int p_i(x) G(x, y) p_j(y) dy dx
  //
  // Without the fluid E would be symmetric: E - E^T is what the fluid does, and
  // the diffusion, most of E, cancels in it.
  void
  Tutorial::compare_stations()
  {
    std::vector<VectorType> clouds, functionals;
    for (const double z : {0.3, 0.7})
      for (const double y : {0.3, 0.7})
        for (const double x : {0.3, 0.7})
          {
            clouds.push_back(interpolate([&](const Point<dim> &p) {
              return std::exp(-p.distance_square(Point<dim>(x, y, z)) / 0.02);
            }));
            functionals.push_back(vector());
            space.mass_matrix().vmult(functionals.back(), clouds.back());
          }
    const std::size_t n       = clouds.size();
    const auto        traffic = [&](const auto &solve) {
      FullMatrix<double> E(n, n);
      VectorType         u = vector();
      for (std::size_t j = 0; j < n; ++j)
        {
          solve(clouds[j], u);
          for (std::size_t i = 0; i < n; ++i)
            E(i, j) = functionals[i] * u;
        }
      return E;
    };
    const FullMatrix<double> by_fem =
      traffic([&](const VectorType &f, VectorType &u) { problem.solve(f, u); });
    const FullMatrix<double> by_kernel =
      traffic([&](const VectorType &f, VectorType &u) { solver->vmult(u, f); });

    out
      << "Traffic: asymmetry "
      << asymmetry(by_fem).frobenius_norm() / by_fem.frobenius_norm()
      << " by finite elements, "
      << asymmetry(by_kernel).frobenius_norm() / by_kernel.frobenius_norm()
      << " by the kernel; errors of the kernel: "
      << difference(by_kernel, by_fem).frobenius_norm() /
           by_fem.frobenius_norm()
      << " in E, "
      << difference(asymmetry(by_kernel), asymmetry(by_fem)).frobenius_norm() /
           asymmetry(by_fem).frobenius_norm()
      << " in E - E^T" << std::endl;

    std::vector<TableColumn> table = {{"to", {}},
                                      {"from", {}},
                                      {"fem", {}},
                                      {"kernel", {}}};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        {
          table[0].second.push_back(i);
          table[1].second.push_back(j);
          table[2].second.push_back(by_fem(i, j));
          table[3].second.push_back(by_kernel(i, j));
        }
    write_csv(table, directory + "/traffic.csv", communicator);
  }


  // @sect{Where could it come from?}
  //
  // A detector near the upper side of the cube measures the mean of u with a
  // weight g. How much does a release at y contribute? The answer is v(y), the
  // solution of the adjoint problem with the right-hand side g:
  //
  //     int g u = int v f    for every f.
  //
  // With matrices, v = A^{-T} M g. The surrogate is K = A^{-1} M (nearly), so
  // K^T M g = M v: Tvmult() gives the integrals of v against the shape
  // functions, and a solve with the mass matrix turns these into nodal values.
  void
  Tutorial::solve_backwards()
  {
    const VectorType g      = interpolate([](const Point<dim> &p) {
      return std::exp(-p.distance_square(Point<dim>(0.3, 0.5, 0.7)) / 0.02);
    });
    VectorType       mass_g = vector(), dual = vector(), v = vector(),
               exact = vector();
    space.mass_matrix().vmult(mass_g, g);
    solver->Tvmult(dual, mass_g);

    SolverControl                        control(200, 1e-12 * dual.l2_norm());
    TrilinosWrappers::PreconditionJacobi jacobi;
    jacobi.initialize(space.mass_matrix());
    SolverCG<VectorType>(control).solve(space.mass_matrix(), v, dual, jacobi);
    adjoint.solve(g, exact);
    out << "Adjoint: error " << relative_error(v, exact)
        << " of the transposed kernel against finite elements" << std::endl;

    // And the identity itself, for a forcing of the test set.
    VectorType f = vector(), u = vector();
    collectively(communicator, [&]() {
      const auto forcings = read_columns(*data,
                                         Split::test,
                                         Quantity::forcing,
                                         space.local_nodes());
      std::copy_n(forcings.begin(), space.n_local_nodes(), f.begin());
    });
    problem.solve(f, u);
    VectorType mass_v = vector();
    space.mass_matrix().vmult(mass_v, exact);
    out << "Detector: " << mass_g * u << " from the solution, " << mass_v * f
        << " from the adjoint solution, " << dual * f
        << " from the transposed kernel" << std::endl;

    const auto values_of = [](const VectorType &w) {
      return std::vector<double>(w.begin(), w.end());
    };
    write_vtu<dim>(space,
                   {{"detector", values_of(g)},
                    {"adjoint", values_of(exact)},
                    {"adjoint_by_kernel", values_of(v)}},
                   directory + "/adjoint.vtu");
  }


  // @sect{A picture}
  //
  // Two functions of y in the plane through x_s: G(x_s, y), how much of what is
  // released at y arrives at x_s, and G(y, x_s), where what is released at x_s
  // goes to. If the operator were symmetric, they would be the same. The second
  // needs a value of every slice.
  void
  Tutorial::look_at_a_plane()
  {
    const std::size_t node =
      response_nodes(space.mesh_data(), {{0.5, 0.3, 0.5}}).front();
    const Point<dim> x = point(node);
    VectorType       forward, backward;
    problem.greens_function(node, forward);
    adjoint.greens_function(node, backward);

    std::vector<Point<dim>> points;
    for (const auto response : kernel.response)
      if (std::abs(point(response)[2] - x[2]) < 1e-10)
        points.push_back(point(response));
    const auto from = solver->values_at(points, forward);
    const auto to   = solver->values_at(points, backward);

    std::vector<TableColumn>  table = {{"y1", {}},
                                       {"y2", {}},
                                       {"learned_from", {}},
                                       {"learned_to", {}},
                                       {"discrete_from", from},
                                       {"discrete_to", to}};
    const KernelFunction<dim> function(result.kernel);
    for (const Point<dim> &y : points)
      {
        const bool singular = y.distance(x) < 1e-10;
        table[0].second.push_back(y[0]);
        table[1].second.push_back(y[1]);
        table[2].second.push_back(singular
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : function.value(x, y));
        table[3].second.push_back(singular
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : function.value(y, x));
      }
    write_csv(table, directory + "/plane.csv", communicator);
  }


  void
  Tutorial::run()
  {
    check_operator();
    learn();
    compare_greens_functions();
    compare_stations();
    solve_backwards();
    look_at_a_plane();
    out << "Written: " << directory
        << "/{data.h5, kernel.h5, traffic.csv, adjoint.vtu, plane.csv}"
        << std::endl;
  }
} // namespace AdvectionDiffusionTutorial


// @sect{The main function}
//
// As in the first tutorial.
int
main(int argc, char **argv)
{
  using namespace AdvectionDiffusionTutorial;
  const std::string name = "tutorial_advection_diffusion";

  return run_program(argc, argv, name, [&](const MPI_Comm communicator) {
    Parameters       parameters;
    ParameterHandler prm;
    parameters.add_parameters(prm);
    const ProgramOptions options =
      read_program_options(argc,
                           argv,
                           name,
                           "Learns the Green's function of an operator of our "
                           "own, advection and diffusion in a cube.",
                           "advection_diffusion_output",
                           prm,
                           communicator);
    if (options.finished)
      return 0;
    parameters.check();

    const std::string dataset_text = text_of_sections(prm,
                                                      parameters.domain,
                                                      parameters.coefficients,
                                                      parameters.forcing,
                                                      parameters.dataset);
    Tutorial(parameters, dataset_text, options.output, communicator).run();
    return 0;
  });
}
