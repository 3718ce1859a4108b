// Tutorial 1: Poisson's equation on the disk, from a mesh to a learned Green's
// function.
//
// The solution of -Laplace u = f on the unit disk with u = 0 on its boundary is
//
//     u(x) = int G(x, y) f(y) dy
//
// with a function G of two points, the Green's function. It is the inverse of
// the differential operator, written as an integral: whoever knows G solves the
// equation by integration, for any f. For the disk G has been known for almost
// two hundred years; here we pretend not to know it. We let finite elements
// solve the equation for random f, learn G from the pairs (f, u), and only at
// the end take out the exact formula to see how well this went.
//
// The page doc/tutorials/disk_poisson.md shows what the program prints and
// draws.
//
//     tutorial_disk_poisson [disk_poisson.prm] [--set "Section/Key=value"]...
//                           [-o DIRECTORY]
//
// Under mpirun it gives the same results.

// @sect{Include files}
//
// A program needs one header of ours, and deal.II's for what it uses itself.
#include <evergreen/evergreen.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/function.h>

#include <cmath>
#include <iostream>

namespace DiskPoisson
{
  using namespace dealii;
  using namespace Evergreen;

  constexpr int dim = 2;
  using VectorType  = Space<dim>::VectorType;

  // @sect{The Green's function of the disk}
  //
  // The method of images: a unit charge at x and an opposite one at its mirror
  // image x / |x|^2 outside of the disk make a potential that is zero on the
  // circle. Written without the division, so that x = 0 is no special case,
  //
  //     G(x, y) = -1/(4 pi) log( |x - y|^2 / (|x|^2 |y|^2 - 2 x.y + 1) ).
  double
  greens_function_of_the_disk(const Point<dim> &x, const Point<dim> &y)
  {
    const double charge = (x - y).norm_square();
    const double image  = x.square() * y.square() - 2. * (x * y) + 1.;
    return -std::log(charge / image) / (4. * M_PI);
  }

  // @sect{The problem}
  //
  // The library knows Poisson's equation on any mesh, so it cannot know a
  // formula for G, and measures the errors of kernels against the *discrete*
  // Green's function (see below). A problem that does know one says so through
  // exact_kernel(): deriving a class with this one function is all it takes to
  // have kernel_errors() compare with the truth.
  class PoissonOnTheDisk : public Poisson<dim>
  {
  public:
    Kernel
    exact_kernel() const override
    {
      return greens_function_of_the_disk;
    }
  };

  // @sect{Parameters}
  //
  // RunParameters are those of the mesh, the random forcings, the dataset and
  // of learning. A program changes their defaults (ReLU ridge functions
  // together with fundamental solutions: -log|y - c| is, for this operator, the
  // right one), adds its own, and refuses what makes no sense for it.
  struct Parameters : public RunParameters
  {
    // The response point of the slice that we look at.
    double slice_x = 0.45;
    double slice_y = 0.25;

    Parameters()
    {
      learning.family   = "mixed";
      learning.function = "log";
      learning.neurons  = 128;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      RunParameters::add_parameters(prm);
      prm.enter_subsection("Slice");
      prm.add_parameter("X", slice_x, "The response point of the pictures.");
      prm.add_parameter("Y", slice_y, "Its second coordinate.");
      prm.leave_subsection();
    }

    void
    check() const
    {
      RunParameters::check();
      require_domain("disk", "the exact Green's function is that of the disk");
      require_all_slices();
      if (slice_x * slice_x + slice_y * slice_y > 0.9)
        throw UsageError(
          "The point of the section 'Slice' is too close to the "
          "boundary, where G is zero, or outside of the disk.");
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
    measure_errors();
    void
    use_as_solver();
    void
    look_at_a_slice();
    void
    follow_a_chord(const KernelFunction<dim> &kernel,
                   const Point<dim>          &x,
                   const VectorType          &discrete) const;

    const Parameters  &parameters;
    const std::string  directory;
    const MPI_Comm     communicator;
    ConditionalOStream out;

    // The mesh, the finite element space on it, and the problem on that, each
    // of which refers to the one before.
    Mesh<dim>        mesh;
    MeshSpace<dim>   space;
    PoissonOnTheDisk problem;
    LearningResult   result;
  };

  // The mesh comes with the library (833 nodes, triangles), refined as often as
  // the parameters say. MeshSpace puts linear elements on it, and set_up()
  // assembles and factors the matrix. That is all of a finite element program
  // that we need to write. (A program that has a DoFHandler already makes a
  // Space of it and leaves the mesh to deal.II.)
  Tutorial::Tutorial(const Parameters  &parameters,
                     const std::string &directory,
                     const MPI_Comm     communicator)
    : parameters(parameters)
    , directory(directory)
    , communicator(communicator)
    , out(std::cout, Utilities::MPI::this_mpi_process(communicator) == 0)
    , mesh(parameters.domain, communicator)
    , space(mesh, /*degree=*/1)
  {
    problem.set_up(space);
    out << "Mesh: " << mesh.triangulation().n_global_active_cells()
        << " cells, " << space.n_nodes() << " nodes, "
        << space.free_nodes().size() << " of them inside" << std::endl;
  }

  // @sect{Learning}
  //
  // Samples are random forcings, with wavelengths down to 'Forcing/Wavelength',
  // and their solutions: plain nodal values, which may as well come from
  // another program or, by load_samples(), from a file.
  //
  // Point-wise OGA learns a function of y, the slice G(x_s, .), for each inner
  // node x_s. In every iteration it draws a few hundred random atoms, takes for
  // each slice the one that correlates best with what is still unexplained, and
  // projects again. The result is plain data, the same on every rank, and can
  // be saved for other programs and the command `evergreen`.
  void
  Tutorial::learn()
  {
    const Samples samples =
      generate_samples(problem,
                       parameters.forcing,
                       Split::train,
                       parameters.dataset.n_training_samples);
    result = learn_kernel(space, samples, parameters.learning);
    if (result.interrupted)
      throw Error("Interrupted.");
    out << "Learned: " << result.kernel.response.size() << " slices of up to "
        << result.kernel.n_neurons() << " atoms from " << samples.n_samples
        << " pairs in " << result.seconds
        << " s (atoms: " << result.dictionary.description() << ")" << std::endl;
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) == 0)
        result.kernel.save(directory + "/kernel.h5");
    });
  }

  // @sect{Errors}
  //
  // Three errors, for the kernel with its first 1, 2, 4, 8, ... atoms:
  //
  // - eps_u, the mean relative L2 error of solutions on test forcings,
  // - eps_G against the discrete Green's function G_h, the one for which
  //   u_h(x_s) = int G_h(x_s, y) f(y) dy gives the finite element solution,
  // - eps_G against the exact one.
  //
  // The first two can be had for every problem. They measure what learning has
  // done. The third contains the error of the finite elements as well, so it
  // cannot go to zero on a fixed mesh, however long we learn.
  void
  Tutorial::measure_errors()
  {
    const Samples tests = generate_samples(problem,
                                           parameters.forcing,
                                           Split::test,
                                           parameters.dataset.n_test_samples);

    std::vector<double> atoms, eps_u;
    for (const auto &level : result.kernel.expansions.levels)
      {
        const SurrogateSolver<dim> solver(
          result.kernel.with_neurons(level.n_neurons), space);
        atoms.push_back(level.n_neurons);
        eps_u.push_back(mean_relative_error(solver, tests));
      }
    Poisson<dim> problem_without_formula;
    problem_without_formula.set_up(space);
    const auto errors_of_kernel = [&](LinearProblem<dim> &reference) {
      return kernel_errors<dim>(result.kernel, space, nullptr, &reference)
        .eps_G;
    };
    const auto eps_Gh = errors_of_kernel(problem_without_formula);
    const auto eps_G  = errors_of_kernel(problem);

    const std::vector<TableColumn> table = {{"atoms", atoms},
                                            {"eps_u", eps_u},
                                            {"eps_G_discrete", eps_Gh},
                                            {"eps_G_exact", eps_G}};
    print_table(table, communicator);
    write_csv(table, directory + "/errors.csv", communicator);
  }

  // @sect{The kernel as a solver}
  //
  // SurrogateSolver turns the kernel into a matrix K with
  // K_sk = int G(x_s, y) phi_k(y) dy, so that one product maps the nodal values
  // of a forcing to those of the solution. Here is one that is not random and
  // has no wavelength at all: for f = 4 the solution is 1 - |x|^2. A kernel can
  // only be as good as the finite elements it has learned from, so we ask both.
  void
  Tutorial::use_as_solver()
  {
    const SurrogateSolver<dim> solver(result.kernel, space);
    const VectorType exact = interpolate<dim>(space, [](const Point<dim> &p) {
      return 1. - p.square();
    });
    VectorType       f = space.make_vector(), by_fem = f, by_kernel = f;
    f = 4.;
    problem.solve(f, by_fem);
    solver.vmult(by_kernel, f);
    out << "For f = 4: error " << relative_error(space, by_fem, exact)
        << " of finite elements, " << relative_error(space, by_kernel, exact)
        << " of the learned kernel" << std::endl;
  }

  // @sect{A look at a slice}
  //
  // KernelFunction is G(x, y) at any two points. It belongs to one process, so
  // that every rank can ask for what it likes.
  void
  Tutorial::look_at_a_slice()
  {
    const KernelFunction<dim> kernel(result.kernel);

    // The node nearest to the point of the parameters.
    std::size_t      node = 0;
    const Point<dim> wanted(parameters.slice_x, parameters.slice_y);
    for (const auto other : result.kernel.response)
      if (space.point(other).distance(wanted) <
          space.point(node).distance(wanted))
        node = other;
    const Point<dim> x = space.point(node);

    // Three functions of y: learned, exact, discrete. The first two are
    // infinite at y = x and so have no nodal values there. What we draw are
    // their L2 projections on the finite element space, which is also what the
    // discrete one is meant to approximate.
    const auto projection = [&](const auto &function) {
      return project(space, ScalarFunctionFromFunctionObject<dim>(function));
    };
    const VectorType learned =
      projection([&](const Point<dim> &y) { return kernel.value(x, y); });
    const VectorType exact = projection(
      [&](const Point<dim> &y) { return greens_function_of_the_disk(x, y); });
    VectorType discrete, error = learned;
    problem.greens_function(node, discrete);
    error -= exact;
    write_vtu(space,
              {{"learned", learned},
               {"exact", exact},
               {"discrete", discrete},
               {"error", error}},
              directory + "/slice.vtu");
    out << "Slice at x = (" << x << "): error "
        << relative_error(space, learned, exact) << std::endl;

    // Nothing in the data says that G(x, y) = G(y, x), and each slice was
    // learned for itself. How nearly it is true is a test that needs no exact
    // solution.
    const Point<dim> y(-x[1], x[0]);
    out << "Symmetry: G(x, y) = " << kernel.value(x, y)
        << ", G(y, x) = " << kernel.value(y, x)
        << ", exact = " << greens_function_of_the_disk(x, y) << " at y = (" << y
        << ")" << std::endl;
    follow_a_chord(kernel, x, discrete);
  }

  // The same slice along the horizontal chord through x, where the kernel
  // itself can be evaluated as close to the singularity as we like.
  void
  Tutorial::follow_a_chord(const KernelFunction<dim> &kernel,
                           const Point<dim>          &x,
                           const VectorType          &discrete) const
  {
    std::vector<double>     y1, y2, learned, exact;
    std::vector<Point<dim>> points;
    const double            half_chord = 0.99 * std::sqrt(1. - x[1] * x[1]);
    constexpr unsigned int  n          = 401;
    for (unsigned int i = 0; i < n; ++i)
      {
        const Point<dim> y(half_chord * (2. * (i + 0.5) / n - 1.), x[1]);
        points.push_back(y);
        y1.push_back(y[0]);
        y2.push_back(y[1]);
        learned.push_back(kernel.value(x, y));
        exact.push_back(greens_function_of_the_disk(x, y));
      }
    const SurrogateSolver<dim> solver(result.kernel, space);
    write_csv({{"y1", y1},
               {"y2", y2},
               {"learned", learned},
               {"exact", exact},
               {"discrete", solver.values_at(points, discrete)}},
              directory + "/profile.csv",
              communicator);
  }

  void
  Tutorial::run()
  {
    learn();
    measure_errors();
    use_as_solver();
    look_at_a_slice();
    out << "Written: " << directory
        << "/{kernel.h5, errors.csv, profile.csv, slice.vtu}" << std::endl;
  }
} // namespace DiskPoisson

// @sect{The main function}
//
// run_with_parameters() starts MPI, shares the cores among the ranks, reads the
// command line and the .prm file into the parameters, and turns exceptions into
// one line and an exit status.
int
main(int argc, char **argv)
{
  using namespace DiskPoisson;
  return run_with_parameters<Parameters, Tutorial>(
    argc,
    argv,
    "tutorial_disk_poisson",
    "Learns the Green's function of the disk and compares it with the exact "
    "one.",
    "disk_poisson_output");
}
