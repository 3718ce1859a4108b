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
// with the bilinear form on a cell. Everything else is used as it is.
//
// What makes this operator special is that it is not symmetric: what is
// released at y arrives at x more easily if y lies upstream, so G(x, y) differs
// from G(y, x). The transposed kernel G(y, x) is the Green's function of the
// adjoint problem, which answers the opposite question: not "where does this go
// to" but "where could this come from". The learned kernel knows both.
//
//     [mpirun -n 2] tutorial_advection_diffusion [advection_diffusion.prm]
//         [--set "Section/Key=value"]... [-o DIRECTORY]
//
// One, two or more ranks give the same numbers.

// @sect{Include files}
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/tensor.h>
#include <deal.II/lac/full_matrix.h>

#include <cmath>
#include <iostream>

namespace AdvectionDiffusionTutorial
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 3;
  using VectorType  = Space<dim>::VectorType;

  // @sect{The coefficients}
  //
  // The diffusion grows across the cube. The fluid turns about the vertical
  // axis through its middle and rises at the same time.
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
      return Point<dim>(-speed * (p[1] - 0.5),
                        speed * (p[0] - 0.5),
                        0.3 * speed);
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
  // a solver, and solves for blocks of right-hand sides.
  //
  // The adjoint operator comes by integration by parts, which moves the
  // derivatives to the other function. Because div b = 0 and all functions
  // vanish on the boundary, it is the same with the fluid running backwards,
  //
  //     -div(a grad v) - b . grad v = g,
  //
  // so one class is enough for both, with a direction of +1 or -1.
  class AdvectionDiffusion : public GalerkinProblem<dim>
  {
  public:
    AdvectionDiffusion(const Coefficients &coefficients, const double direction)
      : coefficients(coefficients), direction(direction)
    {}

    std::string
    name() const override
    {
      return "advection-diffusion";
    }

  protected:
    void
    assemble_cell(const FEValues<dim> &values,
                  FullMatrix<double>  &cell_matrix) const override
    {
      for (const auto q : values.quadrature_point_indices())
        {
          const double a = coefficients.diffusion(values.quadrature_point(q));
          const Tensor<1, dim> b =
            direction * coefficients.velocity(values.quadrature_point(q));
          for (const auto i : values.dof_indices())
            for (const auto j : values.dof_indices())
              cell_matrix(i, j) +=
                (a * values.shape_grad(j, q) * values.shape_grad(i, q) +
                 (b * values.shape_grad(j, q)) * values.shape_value(i, q)) *
                values.JxW(q);
        }
    }

  private:
    const Coefficients coefficients;
    const double       direction;
  };

  // @sect{Parameters}
  //
  // The fundamental solutions 1/|y - c| are those of Laplace's operator and not
  // of ours, for which there is no formula; but the singularity at y = x is of
  // the same kind, and ReLU atoms take care of the rest.
  struct Parameters : public RunParameters
  {
    Coefficients coefficients;

    Parameters()
    {
      domain.name                = "cube";
      domain.subdivisions        = 10;
      forcing.model              = "gaussian-process";
      dataset.n_training_samples = 2000;
      dataset.n_test_samples     = 200;
      learning.family            = "mixed";
      learning.function          = "inverse";
      learning.neurons           = 192;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      RunParameters::add_parameters(prm);
      prm.enter_subsection("Operator");
      prm.add_parameter("Contrast",
                        coefficients.contrast,
                        "The diffusion is 1 + Contrast * x.",
                        Patterns::Double(0));
      prm.add_parameter("Speed",
                        coefficients.speed,
                        "The fluid turns with this angular velocity.",
                        Patterns::Double(0));
      prm.leave_subsection();
    }

    void
    check() const
    {
      RunParameters::check();
      require_domain("cube", "the coefficients are made for the cube");
      require_all_slices();
    }
  };

  // @sect{The program's class}
  class Tutorial
  {
  public:
    Tutorial(const Parameters  &parameters,
             const std::string &directory,
             const MPI_Comm     communicator);

    void
    run();

  private:
    void
    learn();
    void
    compare_stations();
    void
    solve_backwards();
    void
    look_at_a_plane();

    const Parameters  &parameters;
    const std::string  directory;
    const MPI_Comm     communicator;
    ConditionalOStream out;

    Mesh<dim>          mesh;
    MeshSpace<dim>     space;
    AdvectionDiffusion problem, adjoint;

    std::unique_ptr<SurrogateSolver<dim>> solver;
  };

  // Hexahedra are distributed by p4est: nobody has all of them.
  Tutorial::Tutorial(const Parameters  &parameters,
                     const std::string &directory,
                     const MPI_Comm     communicator)
    : parameters(parameters)
    , directory(directory)
    , communicator(communicator)
    , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    , mesh(parameters.domain, communicator)
    , space(mesh, /*degree=*/1)
    , problem(parameters.coefficients, +1)
    , adjoint(parameters.coefficients, -1)
  {
    problem.set_up(space);
    adjoint.set_up(space);
    out << "Mesh: " << mesh.triangulation().n_global_active_cells()
        << " cells, " << space.n_nodes() << " nodes, on "
        << Utilities::MPI::n_mpi_processes(communicator) << " rank(s)"
        << std::endl;
  }

  // @sect{Learning}
  //
  // As in the first tutorial: nothing here knows which operator it is.
  void
  Tutorial::learn()
  {
    const auto samples = [&](const Split split, const std::size_t n) {
      return generate_samples(problem, parameters.forcing, split, n);
    };
    const auto &[n_train, n_test] = parameters.dataset;
    const LearningResult result =
      learn_kernel(space, samples(Split::train, n_train), parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");
    solver = std::make_unique<SurrogateSolver<dim>>(result.kernel, space);
    out << "Learned: " << result.kernel.response.size() << " slices of up to "
        << result.kernel.n_neurons() << " atoms; eps_u "
        << mean_relative_error(*solver, samples(Split::test, n_test))
        << std::endl;
  }

  // @sect{Traffic between stations}
  //
  // Eight stations stand in the cube, each a small cloud p_i. How much of what
  // is released at station j arrives at station i?
  //
  //     E_ij = int int p_i(x) G(x, y) p_j(y) dy dx
  //
  // Without the fluid E would be symmetric: E - E^T is what the fluid does, and
  // the diffusion, most of E, cancels in it.
  VectorType
  cloud(const Space<dim> &space, const Point<dim> &centre)
  {
    return interpolate<dim>(space, [&](const Point<dim> &p) {
      return std::exp(-p.distance_square(centre) / 0.02);
    });
  }

  void
  Tutorial::compare_stations()
  {
    std::vector<VectorType> clouds;
    for (const double z : {0.3, 0.7})
      for (const double y : {0.3, 0.7})
        for (const double x : {0.3, 0.7})
          clouds.push_back(cloud(space, Point<dim>(x, y, z)));

    const std::size_t        n = clouds.size();
    FullMatrix<double>       by_fem(n, n), by_kernel(n, n);
    std::vector<TableColumn> table = {{"from", {}},
                                      {"to", {}},
                                      {"fem", {}},
                                      {"kernel", {}}};
    VectorType u_fem = space.make_vector(), u_kernel = u_fem, weighted = u_fem;
    for (std::size_t j = 0; j < n; ++j)
      {
        problem.solve(clouds[j], u_fem);
        solver->vmult(u_kernel, clouds[j]);
        for (std::size_t i = 0; i < n; ++i)
          {
            space.mass_matrix().vmult(weighted, clouds[i]);
            by_fem(i, j)    = weighted * u_fem;
            by_kernel(i, j) = weighted * u_kernel;
            table[0].second.push_back(j);
            table[1].second.push_back(i);
            table[2].second.push_back(by_fem(i, j));
            table[3].second.push_back(by_kernel(i, j));
          }
      }
    write_csv(table, directory + "/traffic.csv", communicator);

    // relative_symmetry_norm2() is |E - E^T| / |E|.
    FullMatrix<double> error = by_kernel;
    error.add(-1., by_fem);
    const double fluid = by_fem.relative_symmetry_norm2();
    const double share = error.frobenius_norm() / by_fem.frobenius_norm();
    out << "Traffic: asymmetry " << fluid << " by finite elements, "
        << by_kernel.relative_symmetry_norm2()
        << " by the kernel; errors of the kernel: " << share << " in E, "
        << share * error.relative_symmetry_norm2() / fluid << " in E - E^T"
        << std::endl;
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
  // the integrals of v against the shape functions are M v = K^T M g, which is
  // what Tvmult() gives.
  void
  Tutorial::solve_backwards()
  {
    const VectorType g  = cloud(space, Point<dim>(0.3, 0.5, 0.7));
    VectorType       Mg = space.make_vector(), v = Mg, Mv = Mg, KMg = Mg;
    adjoint.solve(g, v);
    space.mass_matrix().vmult(Mv, v);
    space.mass_matrix().vmult(Mg, g);
    solver->Tvmult(KMg, Mg);

    const VectorType f = cloud(space, Point<dim>(0.4, 0.3, 0.4));
    VectorType       u = space.make_vector();
    problem.solve(f, u);
    out << "Detector: " << Mg * u << " from the solution, " << Mv * f
        << " from the adjoint solution, " << KMg * f
        << " from the transposed kernel" << std::endl;

    write_vtu(space,
              {{"detector", g}, {"adjoint", v}},
              directory + "/adjoint.vtu");
    KMg -= Mv;
    out << "Adjoint: error " << KMg.l2_norm() / Mv.l2_norm()
        << " of the transposed kernel against finite elements" << std::endl;
  }

  // @sect{A picture}
  //
  // Two functions of y in the plane through x, which would be the same if the
  // operator were symmetric: G(x, y), how much of what is released at y arrives
  // at x, and G(y, x), where what is released at x goes to.
  void
  Tutorial::look_at_a_plane()
  {
    constexpr unsigned int    n = 24;
    const Point<dim>          x(0.5, 0.3, 0.5);
    const KernelFunction<dim> kernel(solver->kernel());
    std::vector<TableColumn>  table = {{"y1", {}},
                                       {"y2", {}},
                                       {"from", {}},
                                       {"to", {}}};
    for (unsigned int i = 0; i < n * n; ++i)
      {
        const Point<dim> y((i % n + 0.5) / n, (i / n + 0.5) / n, x[2]);
        table[0].second.push_back(y[0]);
        table[1].second.push_back(y[1]);
        table[2].second.push_back(kernel.value(x, y));
        table[3].second.push_back(kernel.value(y, x));
      }
    write_csv(table, directory + "/plane.csv", communicator);
  }

  void
  Tutorial::run()
  {
    learn();
    compare_stations();
    solve_backwards();
    look_at_a_plane();
    out << "Written: " << directory << "/{traffic.csv, adjoint.vtu, plane.csv}"
        << std::endl;
  }
} // namespace AdvectionDiffusionTutorial

int
main(int argc, char **argv)
{
  using namespace AdvectionDiffusionTutorial;
  return run_with_parameters<Parameters, Tutorial>(
    argc,
    argv,
    "tutorial_advection_diffusion",
    "Learns the Green's function of an operator of our own, advection and "
    "diffusion in a cube.",
    "advection_diffusion_output");
}
