#include "commands.h"
#include "console.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/dataset_space.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/surrogate/checked_solver.h>
#include <evergreen/surrogate/forcing_expression.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    using VectorType = LinearAlgebra::distributed::Vector<double>;

    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    /** What `solve` finds out; NaN is what nobody asked for. */
    struct Answer
    {
      std::string         form;
      std::string         path           = "surrogate";
      unsigned int        iterations     = 0;
      double              estimate       = unknown;
      double              error          = unknown;
      double              seconds_set_up = unknown;
      double              seconds        = unknown;
      double              fem_set_up     = unknown;
      double              fem_seconds    = unknown;
      std::vector<double> values;
    };


    /** The question in the terms of the library. */
    template <int dim>
    struct Question
    {
      std::vector<Point<dim>>        points;
      SurrogateOptions               options;
      std::unique_ptr<Function<dim>> formula; // or a dataset
    };


    /** Nodal values of the forcing, and of a solution if one is known. */
    struct Fields
    {
      VectorType forcing, solution, reference;
      bool       has_reference = false;
    };


    /** All lines of a file as one list of points. */
    std::string
    list_in_file(const std::string &path)
    {
      std::ifstream in(path);
      if (!in)
        throw Error("Cannot open the file of points '", path, "'.");
      std::string list;
      for (std::string line; std::getline(in, line);)
        if (line.find_first_not_of(" \t\r") != std::string::npos &&
            line[0] != '#')
          list += (list.empty() ? "" : ";") + line;
      return list;
    }


    template <int dim>
    std::vector<Point<dim>>
    read_points(const CommandOptions &options)
    {
      std::vector<Point<dim>> points;
      for (const auto &list :
           {options.sensors,
            options.points.empty() ? "" : list_in_file(options.points)})
        {
          std::istringstream items(list);
          for (std::string item; std::getline(items, item, ';');)
            {
              std::replace(item.begin(), item.end(), ',', ' ');
              std::istringstream  numbers(item);
              std::vector<double> x;
              for (double number; numbers >> number;)
                x.push_back(number);
              if (!numbers.eof() || x.size() != dim)
                throw UsageError("'",
                                 item,
                                 "' is not a point with ",
                                 dim,
                                 " coordinates: write points as in '0.1, "
                                 "0.2; 0.3, 0.4'.");
              points.emplace_back();
              std::copy(x.begin(), x.end(), points.back().begin_raw());
            }
        }
      return points;
    }


    template <int dim>
    Question<dim>
    understand(const CommandOptions &options)
    {
      Question<dim> question;
      question.points       = read_points<dim>(options);
      question.options.form = form_from_name(options.form);
      const bool is_file =
        std::filesystem::exists(options.forcing) ||
        std::filesystem::path(options.forcing).extension() == ".h5";
      if (!is_file)
        question.formula = parse_forcing<dim>(options.forcing);
      return question;
    }


    /** The forcing and the solution of a sample of a dataset. */
    template <int dim>
    void
    read_sample(const CommandOptions &options,
                const LearnedKernel  &kernel,
                const Space<dim>     &space,
                Fields               &fields)
    {
      const auto reader = open_dataset(options.forcing, space.communicator());
      collectively(space.communicator(), [&]() {
        check_same_mesh(kernel, options.kernel, *reader);
        const Split split =
          options.split == "train" ? Split::train : Split::test;
        if (options.sample >= reader->n_samples(split))
          throw UsageError("There is no sample ",
                           options.sample,
                           " in '",
                           options.forcing,
                           "': the split '",
                           options.split,
                           "' has ",
                           reader->n_samples(split),
                           ".");
        std::vector<double> f(space.n_nodes()), u(space.n_nodes());
        reader->read_forcings(split, options.sample, 1, f.data());
        const auto failed = reader->failed_samples(split);
        fields.has_reference =
          !std::binary_search(failed.begin(), failed.end(), options.sample);
        if (fields.has_reference)
          reader->read_solutions(split, options.sample, 1, u.data());
        for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
          {
            fields.forcing.local_element(i)   = f[space.local_nodes()[i]];
            fields.reference.local_element(i) = u[space.local_nodes()[i]];
          }
      });
    }


    /** The problem that the kernel's data came from, set up. */
    template <int dim>
    std::unique_ptr<LinearProblem<dim>>
    problem_of(const LearnedKernel &kernel, const Space<dim> &space)
    {
      std::unique_ptr<LinearProblem<dim>> problem;
      collectively(space.communicator(), [&]() {
        if (kernel.parameters.find("subsection Problem") == std::string::npos)
          throw UsageError(
            "The kernel's file does not tell from which "
            "problem it was learned, so that --estimate, "
            "--tolerance and --compare are not possible.");
        Configuration    configuration;
        ParameterHandler prm;
        configuration.add_parameters(prm);
        parse_parameter_text(kernel.parameters, "the kernel", prm);
        problem = make_problem<dim>(configuration.problem);
      });
      problem->set_up(space);
      return problem;
    }


    template <int dim>
    double
    relative_error(const Space<dim> &space, const Fields &fields)
    {
      const auto norm = [&](const VectorType &v) {
        return std::sqrt(
          space.square_norms(std::vector<double>(v.begin(), v.end()), 1)
            .front());
      };
      VectorType difference = fields.solution;
      difference -= fields.reference;
      return norm(difference) / norm(fields.reference);
    }


    template <int dim>
    void
    write_fields(const Space<dim>  &space,
                 const Fields      &fields,
                 const std::string &path)
    {
      std::vector<Field> output = {{"f", fields.forcing},
                                   {"u", fields.solution}};
      if (fields.has_reference)
        output.emplace_back("u_reference", fields.reference);
      write_vtu(space, output, path);
    }


    /** The whole solution, checked and improved if somebody asks for it. */
    template <int dim>
    void
    solve_field(const SurrogateSolver<dim> &solver,
                LinearProblem<dim>         *problem,
                const CommandOptions       &options,
                Fields                     &fields,
                Answer                     &answer)
    {
      if (!options.estimate && options.tolerance == 0)
        {
          const double start = MPI_Wtime();
          solver.vmult(fields.solution, fields.forcing);
          answer.seconds = MPI_Wtime() - start;
          return;
        }
      auto *const galerkin = dynamic_cast<GalerkinProblem<dim> *>(problem);
      if (galerkin == nullptr)
        throw UsageError(
          "Errors can be estimated for differential equations "
          "only, and this kernel's problem is '",
          problem->name(),
          "': omit --estimate and --tolerance.");
      const CheckedSolver<dim> checked(solver, *galerkin);
      const double             start = MPI_Wtime();
      const auto               report =
        checked.solve(fields.forcing,
                      fields.solution,
                      options.tolerance > 0
                        ? options.tolerance
                        : std::numeric_limits<double>::infinity());
      answer.seconds    = MPI_Wtime() - start;
      answer.estimate   = report.relative_error;
      answer.iterations = report.iterations;
      answer.path       = path_name(report.path);
    }


    template <int dim>
    Answer
    solve(const LearnedKernel  &kernel,
          const CommandOptions &options,
          const MPI_Comm        communicator)
    {
      Question<dim> question;
      collectively(communicator,
                   [&]() { question = understand<dim>(options); });
      const std::string    origin = "'" + options.kernel + "'";
      const Mesh<dim>      mesh(kernel.mesh, origin, communicator);
      const MeshSpace<dim> space(mesh, kernel.mesh, origin);

      // Values at a few points need no matrix for all nodes.
      const bool only_points = !question.points.empty() &&
                               options.output.empty() && !options.compare &&
                               !options.estimate && options.tolerance == 0;
      if (only_points && question.options.form == SurrogateForm::automatic)
        question.options.form = SurrogateForm::atoms;

      Answer                     answer;
      const double               start = MPI_Wtime();
      const SurrogateSolver<dim> solver(kernel, space, question.options);
      answer.seconds_set_up = MPI_Wtime() - start;
      answer.form           = form_name(solver.local_operator().form());

      Fields fields;
      fields.forcing.reinit(space.locally_owned_dofs(), communicator);
      fields.solution.reinit(fields.forcing);
      fields.reference.reinit(fields.forcing);
      if (question.formula != nullptr)
        fields.forcing = project<dim>(space, *question.formula);
      else
        read_sample(options, kernel, space, fields);

      if (only_points)
        {
          const auto   sensors = solver.sensors(question.points);
          const double begin   = MPI_Wtime();
          answer.values        = sensors(fields.forcing);
          answer.seconds       = MPI_Wtime() - begin;
          return answer;
        }

      std::unique_ptr<LinearProblem<dim>> problem;
      if (options.compare || options.estimate || options.tolerance > 0)
        {
          const double begin = MPI_Wtime();
          problem            = problem_of(kernel, space);
          answer.fem_set_up  = MPI_Wtime() - begin;
        }
      solve_field(solver, problem.get(), options, fields, answer);
      answer.values = solver.values_at(question.points, fields.solution);
      if (options.compare)
        {
          const double begin = MPI_Wtime();
          problem->solve(fields.forcing, fields.reference);
          answer.fem_seconds   = MPI_Wtime() - begin;
          fields.has_reference = true;
        }
      if (fields.has_reference)
        answer.error = relative_error(space, fields);
      if (!options.output.empty())
        write_fields(space, fields, options.output);
      return answer;
    }


    void
    print_json(const Answer &answer)
    {
      std::cout << "{\"form\": \"" << answer.form << "\", \"path\": \""
                << answer.path << "\", \"iterations\": " << answer.iterations
                << ", \"estimated_error\": " << json_number(answer.estimate)
                << ", \"error\": " << json_number(answer.error)
                << ", \"seconds_set_up\": "
                << json_number(answer.seconds_set_up)
                << ", \"seconds\": " << json_number(answer.seconds)
                << ", \"fem_seconds_set_up\": "
                << json_number(answer.fem_set_up)
                << ", \"fem_seconds\": " << json_number(answer.fem_seconds)
                << ", \"values\": [";
      for (std::size_t i = 0; i < answer.values.size(); ++i)
        std::cout << (i > 0 ? ", " : "") << json_number(answer.values[i]);
      std::cout << "]}" << std::endl;
    }


    void
    print_text(const Answer &answer, const CommandOptions &options)
    {
      const auto row = [](const std::string &name,
                          const double       value,
                          const std::string &unit = "") {
        if (std::isfinite(value))
          std::cout << "  " << std::left << std::setw(36) << name << std::right
                    << std::scientific << std::setprecision(3) << value << unit
                    << "\n";
      };
      std::cout << "Solution by the kernel '" << options.kernel << "' ("
                << answer.form << ", " << answer.path << ", "
                << answer.iterations << " iterations)\n";
      row("time of the surrogate", answer.seconds, " s");
      row("  after setting it up", answer.seconds_set_up, " s");
      row("time of finite elements", answer.fem_seconds, " s");
      row("  after setting them up", answer.fem_set_up, " s");
      row("estimated relative error", answer.estimate);
      row("relative error", answer.error);
      std::cout << std::setprecision(12) << std::defaultfloat;
      for (const double value : answer.values)
        std::cout << value << "\n";
      if (!options.output.empty())
        std::cout << "Fields: " << options.output << "\n";
      std::cout << std::flush;
    }
  } // namespace


  int
  command_solve(const CommandOptions &options, const MPI_Comm communicator)
  {
    if (!options.twin.empty())
      return solve_by_twin(options, communicator);
    LearnedKernel kernel;
    collectively(communicator,
                 [&]() { kernel = LearnedKernel::load(options.kernel); });
    const Answer answer = with_dimension(kernel.mesh.dim, [&](const auto dim) {
      return solve<dim.value>(kernel, options, communicator);
    });
    if (Utilities::MPI::this_mpi_process(communicator) == 0)
      {
        if (options.json)
          print_json(answer);
        else
          print_text(answer, options);
      }
    return 0;
  }
} // namespace Evergreen
