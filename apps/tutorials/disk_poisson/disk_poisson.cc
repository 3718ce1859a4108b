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
// The program goes through the rooms of the library one after the other:
// fem/ (mesh, space, problem), data/ (random forcings, datasets), kernel/
// (learning, errors), surrogate/ (using what was learned). The page
// doc/tutorials/disk_poisson.md shows what it prints and draws.
//
//     tutorial_disk_poisson [disk_poisson.prm] [--set "Section/Key=value"]...
//                           [-o DIRECTORY]
//
// Under mpirun it gives the same results.

// @sect{Include files}
//
// A program needs deal.II's headers for what it uses itself, and one of ours
// for each step. compat.h comes first: it makes the same code work with several
// releases of deal.II.
#include <evergreen/base/compat.h>

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/field_output.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_function.h>
#include <evergreen/learning/learner.h>
#include <evergreen/surrogate/surrogate_solver.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/function.h>
#include <deal.II/base/table_handler.h>

#include <cmath>
#include <iostream>

namespace DiskPoisson
{
  using namespace dealii;
  using namespace Evergreen;
  using VectorType = LinearAlgebra::distributed::Vector<double>;

  constexpr int dim = 2;

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
  // Each part of the library has a struct with its parameters, which declares
  // them to a ParameterHandler and checks them. A program collects those that
  // it uses, and adds its own.
  struct Parameters
  {
    DomainParameters   domain;
    ForcingParameters  forcing;
    DatasetParameters  dataset;
    LearningParameters learning;

    // The response point of the slice that we look at; the nearest node is
    // taken.
    double slice_x = 0.45;
    double slice_y = 0.25;

    Parameters()
    {
      // ReLU ridge functions together with fundamental solutions: -log|y - c|
      // is, for this operator, the right one.
      learning.family   = "mixed";
      learning.function = "log";
      learning.neurons  = 128;
    }

    void
    add_parameters(ParameterHandler &prm)
    {
      domain.add_parameters(prm);
      forcing.add_parameters(prm);
      dataset.add_parameters(prm);
      learning.add_parameters(prm);
      prm.enter_subsection("Slice");
      prm.add_parameter("X", slice_x, "The response point of the pictures.");
      prm.add_parameter("Y", slice_y, "Its second coordinate.");
      prm.leave_subsection();
    }

    void
    check() const
    {
      domain.check();
      forcing.check();
      dataset.check();
      learning.check();
      if (domain.name != "disk")
        throw UsageError("'Domain/Name = ",
                         domain.name,
                         "' is not possible here: the exact Green's function "
                         "is that of the disk.");
      if (learning.method != "pw-oga" || !learning.sensors.empty())
        throw UsageError(
          "This program needs all slices of the kernel: leave "
          "'Greedy/Method' and 'Greedy/Sensors' alone.");
      if (dataset.n_test_samples == 0)
        throw UsageError(
          "'Dataset/Test samples = 0' leaves nothing to measure "
          "errors with.");
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
             const std::string &dataset_text,
             const std::string &directory,
             const MPI_Comm     communicator);

    void
    run();

  private:
    void
    check_finite_elements();
    void
    make_data();
    void
    learn();
    void
    measure_errors();
    void
    use_as_solver() const;
    void
    look_at_a_slice();

    Parameters         parameters;
    std::string        dataset_text;
    std::string        directory;
    MPI_Comm           communicator;
    ConditionalOStream out;

    // The mesh, the finite element space on it, and the problem on that, each
    // of which refers to the one before.
    Mesh<dim>        mesh;
    MeshSpace<dim>   space;
    Poisson<dim>     problem;
    PoissonOnTheDisk problem_with_exact_kernel;

    std::unique_ptr<DatasetReader> data;
    LearningResult                 result;

    VectorType
    vector() const
    {
      return VectorType(space.locally_owned_dofs(), communicator);
    }
    VectorType
    exact_solution() const;
    double
    relative_error(const VectorType &v, const VectorType &exact) const;
  };


  // The mesh comes with the library (833 nodes, triangles), refined as often as
  // the parameters say. Space puts linear elements on it, and
  // set_up() assembles and factors the matrix. That is all of a finite element
  // program that we need to write.
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
  {
    problem.set_up(space);
    problem_with_exact_kernel.set_up(space);
    out << "Mesh: " << mesh.triangulation().n_global_active_cells()
        << " cells, " << space.n_nodes() << " nodes, "
        << free_nodes(space.mesh_data()).size() << " of them inside"
        << std::endl;
  }


  // Distances are measured in L2, by the mass matrix of the finite elements.
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


  // @sect{Are the finite elements right?}
  //
  // A kernel can only be as good as the data it is learned from. For f = 4 the
  // solution is 1 - |x|^2. space.local_nodes() are the numbers of this rank's
  // nodes, in the order of the local elements of a vector; their coordinates
  // are in mesh_data().
  VectorType
  Tutorial::exact_solution() const
  {
    VectorType u = vector();
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      {
        const auto   node  = space.local_nodes()[i];
        const double x     = space.mesh_data().points[node * dim];
        const double y     = space.mesh_data().points[node * dim + 1];
        u.local_element(i) = 1. - x * x - y * y;
      }
    return u;
  }

  void
  Tutorial::check_finite_elements()
  {
    VectorType f = vector(), u = vector();
    f = 4.;
    problem.solve(f, u);
    out << "Finite elements: error " << relative_error(u, exact_solution())
        << " for f = 4, where u = 1 - |x|^2" << std::endl;
  }


  // @sect{Data}
  //
  // Random forcings with wavelengths down to 'Forcing/Wavelength', and their
  // solutions, go to an HDF5 file that h5py reads without us. With the
  // parameters as text in it, the commands `evergreen info`, `evaluate` and
  // `solve` know what they have in front of them, and a run that was
  // interrupted can be continued if it is still the same one.
  void
  Tutorial::make_data()
  {
    GenerationOptions options;
    options.resume                = true;
    options.parameter_text        = dataset_text;
    const std::string      file   = directory + "/data.h5";
    const GenerationReport report = generate_dataset(
      problem, parameters.forcing, parameters.dataset, file, options);
    if (report.interrupted)
      throw Error("Interrupted. The next run will continue with the data.");
    data = open_dataset(file, communicator);
    out << "Data: " << data->n_samples(Split::train) << " training and "
        << data->n_samples(Split::test) << " test pairs in " << report.seconds
        << " s" << std::endl;
  }


  // @sect{Learning}
  //
  // Point-wise OGA learns a function of y, the slice G(x_s, .), for each inner
  // node x_s. In every iteration it draws a few hundred random atoms, takes for
  // each slice the one that correlates best with what is still unexplained, and
  // projects again. The result is plain data, the same on every rank, and can
  // be saved.
  void
  Tutorial::learn()
  {
    LearningOptions options;
    options.parameter_text = dataset_text;
    result                 = learn_kernel(space,
                          load_samples(*data, Split::train, space),
                          parameters.learning,
                          options);
    if (result.interrupted)
      throw Error("Interrupted.");
    collectively(communicator, [&]() {
      if (Utilities::MPI::this_mpi_process(communicator) == 0)
        result.kernel.save(directory + "/kernel.h5");
    });
    out << "Learned: " << result.kernel.response.size() << " slices of up to "
        << result.kernel.n_neurons() << " atoms in " << result.seconds
        << " s (atoms: " << result.dictionary.description() << ")" << std::endl;
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
  //
  // The honest rival is the last line: least squares, G = U F^+ without any
  // atoms. With more pairs than degrees of freedom in the forcings it is exact
  // for the *solutions*. It gives no function G(x, y), and it breaks down when
  // there are few pairs or noise; try --set "Dataset/Training samples=100".
  void
  Tutorial::measure_errors()
  {
    const auto tests =
      read_test_set(space, *data, Split::test, result.kernel.response);

    std::vector<LearnedKernel> kernels;
    std::vector<double>        atoms;
    for (const auto &level : result.levels)
      {
        kernels.push_back(result.kernel_with(level.first));
        atoms.push_back(level.first);
      }
    const auto rule   = make_rule(space);
    const auto eps_u  = tests.errors_of(kernels, rule);
    const auto eps_Gh = kernel_errors<dim>(kernels, problem);
    const auto eps_G  = kernel_errors<dim>(kernels, problem_with_exact_kernel);

    TableHandler table;
    for (std::size_t i = 0; i < atoms.size(); ++i)
      {
        table.add_value("atoms", static_cast<unsigned int>(atoms[i]));
        table.add_value("eps_u", eps_u[i]);
        table.add_value("eps_G discrete", eps_Gh[i]);
        table.add_value("eps_G exact", eps_G[i]);
      }
    for (const char *column : {"eps_u", "eps_G discrete", "eps_G exact"})
      {
        table.set_scientific(column, true);
        table.set_precision(column, 2);
      }
    if (out.is_active())
      table.write_text(std::cout);
    write_csv({{"atoms", atoms},
               {"eps_u", eps_u},
               {"eps_G_discrete", eps_Gh},
               {"eps_G_exact", eps_G}},
              directory + "/errors.csv",
              communicator);

    const double least_squares = tests.mean_relative_error(
      least_squares_predictions(*data, result.kernel.response, communicator));
    out << "Least squares: eps_u " << least_squares << std::endl;
  }


  // @sect{The kernel as a solver}
  //
  // SurrogateSolver turns the kernel into a matrix K with
  // K_sk = int G(x_s, y) phi_k(y) dy, so that one product maps the nodal values
  // of a forcing to those of the solution. The forcing 4 again: it is not
  // random and has no wavelength at all.
  void
  Tutorial::use_as_solver() const
  {
    const SurrogateSolver<dim> solver(result.kernel, space);
    VectorType                 u = vector();
    solver.solve(Functions::ConstantFunction<dim>(4.), u);
    out << "Learned kernel: error " << relative_error(u, exact_solution())
        << " for f = 4" << std::endl;
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
    const std::size_t node =
      response_nodes(space.mesh_data(),
                     {{parameters.slice_x, parameters.slice_y}})
        .front();
    const Point<dim> x(space.mesh_data().points[node * dim],
                       space.mesh_data().points[node * dim + 1]);

    // Three functions of y: learned, exact, discrete. The first two are
    // infinite at y = x and so have no nodal values there. What we draw are
    // their L2 projections on the finite element space, which is also what the
    // discrete one is meant to approximate.
    const auto project = [&](const auto &function) {
      return Evergreen::project<dim>(
        space, ScalarFunctionFromFunctionObject<dim>(function));
    };
    const VectorType learned =
      project([&](const Point<dim> &y) { return kernel.value(x, y); });
    const VectorType exact = project(
      [&](const Point<dim> &y) { return greens_function_of_the_disk(x, y); });
    VectorType discrete;
    problem.greens_function(node, discrete);

    VectorType error = learned;
    error -= exact;
    const auto values_of = [](const VectorType &v) {
      return std::vector<double>(v.begin(), v.end());
    };
    write_vtu<dim>(space,
                   {{"learned", values_of(learned)},
                    {"exact", values_of(exact)},
                    {"discrete", values_of(discrete)},
                    {"error", values_of(error)}},
                   directory + "/slice.vtu");

    // The same along the horizontal chord through x, where the kernel itself
    // can be evaluated as close to the singularity as we like.
    std::vector<double>     t, learned_values, exact_values;
    std::vector<Point<dim>> points;
    const double            half_chord = 0.99 * std::sqrt(1. - x[1] * x[1]);
    constexpr unsigned int  n          = 401;
    for (unsigned int i = 0; i < n; ++i)
      {
        const Point<dim> y(half_chord * (2. * (i + 0.5) / n - 1.), x[1]);
        points.push_back(y);
        t.push_back(y[0]);
        learned_values.push_back(kernel.value(x, y));
        exact_values.push_back(greens_function_of_the_disk(x, y));
      }
    write_csv({{"y1", t},
               {"y2", std::vector<double>(n, x[1])},
               {"learned", learned_values},
               {"exact", exact_values},
               {"discrete", solver.values_at(points, discrete)}},
              directory + "/profile.csv",
              communicator);

    double difference = 0, square = 0;
    for (unsigned int i = 0; i < n; ++i)
      {
        difference += std::pow(learned_values[i] - exact_values[i], 2);
        square += std::pow(exact_values[i], 2);
      }
    out << "Slice at x = (" << x << "): error "
        << relative_error(learned, exact) << " on the disk, "
        << std::sqrt(difference / square) << " along a chord" << std::endl;

    // Nothing in the data says that G(x, y) = G(y, x), and each slice was
    // learned for itself. How nearly it is true is a test that needs no exact
    // solution.
    const Point<dim> y(-x[1], x[0]);
    out << "Symmetry: G(x, y) = " << kernel.value(x, y)
        << ", G(y, x) = " << kernel.value(y, x)
        << ", exact = " << greens_function_of_the_disk(x, y) << " at y = (" << y
        << ")" << std::endl;
  }


  void
  Tutorial::run()
  {
    check_finite_elements();
    make_data();
    learn();
    measure_errors();
    use_as_solver();
    look_at_a_slice();
    out << "Written: " << directory
        << "/{data.h5, kernel.h5, errors.csv, profile.csv, slice.vtu}"
        << std::endl;
  }
} // namespace DiskPoisson


// @sect{The main function}
//
// run_program() starts MPI, shares the cores among the ranks, and turns
// exceptions into one line and an exit status. read_program_options() reads the
// command line and the .prm file.
int
main(int argc, char **argv)
{
  using namespace DiskPoisson;
  const std::string name = "tutorial_disk_poisson";

  return run_program(argc, argv, name, [&](const MPI_Comm communicator) {
    Parameters       parameters;
    ParameterHandler prm;
    parameters.add_parameters(prm);
    const ProgramOptions options =
      read_program_options(argc,
                           argv,
                           name,
                           "Learns the Green's function of the disk and "
                           "compares it with the exact one.",
                           "disk_poisson_output",
                           prm,
                           communicator);
    if (options.finished)
      return 0;
    parameters.check();

    const std::string dataset_text = text_of_sections(prm,
                                                      parameters.domain,
                                                      parameters.forcing,
                                                      parameters.dataset);
    Tutorial(parameters, dataset_text, options.output, communicator).run();
    return 0;
  });
}
