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
#include <optional>

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


    /** A kernel and the data for it: a formula or a dataset. */
    struct Source
    {
      std::string   kernel_path, data;
      LearnedKernel kernel;

      Input
      input() const
      {
        return input_of(quadrature_kind(kernel.quadrature));
      }
    };


    /** What is asked for: one source or two, of which the solutions add up. */
    struct Sources
    {
      std::optional<Source> forcing, boundary;

      const LearnedKernel &
      any_kernel() const
      {
        return (forcing ? forcing : boundary)->kernel;
      }
    };


    /** The question in the terms of the library. */
    template <int dim>
    struct Question
    {
      std::vector<Point<dim>>        points;
      SurrogateOptions               options;
      std::unique_ptr<Function<dim>> forcing, boundary; // or datasets
    };


    /** Nodal values of the data, and of a solution if one is known. */
    struct Fields
    {
      VectorType forcing, boundary, solution, reference;
      bool       has_reference = false;
    };


    /** The finite element problems of the kernels. */
    template <int dim>
    struct Problems
    {
      std::unique_ptr<LinearProblem<dim>>   problem;
      std::unique_ptr<BoundaryProblem<dim>> boundary;
    };


    /** The solvers of the kernels. */
    template <int dim>
    struct Solvers
    {
      std::optional<SurrogateSolver<dim>> forcing, boundary;
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


    /** Kernels without data and data without kernels are refused. */
    void
    check_options(const CommandOptions &options)
    {
      const auto need = [](const char *given, const char *missing) {
        throw UsageError("'", given, "' needs '", missing, "' as well.");
      };
      const bool has_boundary = !options.boundary.empty();
      if (options.kernel.empty() && options.boundary_kernel.empty())
        throw UsageError(
          "'solve' needs a kernel: --kernel with --forcing, "
          "--boundary-kernel with --boundary, or all of them.");
      if (options.kernel.empty() && !options.forcing.empty())
        need("--forcing", "--kernel");
      if (options.boundary_kernel.empty() && has_boundary)
        need("--boundary", "--boundary-kernel");
      if (!options.boundary_kernel.empty() && !has_boundary)
        need("--boundary-kernel", "--boundary");
      if (options.forcing.empty() && !has_boundary)
        need("--kernel", "--forcing");
      if (options.kernel.empty() && (options.estimate || options.tolerance > 0))
        throw UsageError(
          "--estimate and --tolerance need the kernel of "
          "forcings, too: give it as --kernel.");
    }


    Source
    load_source(const std::string &path, const std::string &data)
    {
      return {path, data, LearnedKernel::load(path)};
    }


    Sources
    load_sources(const CommandOptions &options)
    {
      check_options(options);
      Sources sources;
      if (!options.kernel.empty())
        {
          sources.forcing = load_source(options.kernel, options.forcing);
          if (sources.forcing->input() != Input::forcing)
            throw UsageError("'",
                             options.kernel,
                             "' is a kernel for ",
                             input_words(sources.forcing->input()),
                             ": give it as --boundary-kernel, with "
                             "--boundary.");
        }
      if (!options.boundary_kernel.empty())
        {
          sources.boundary =
            load_source(options.boundary_kernel, options.boundary);
          if (sources.boundary->input() == Input::forcing)
            throw UsageError("'",
                             options.boundary_kernel,
                             "' is a kernel for forcings: give it as "
                             "--kernel, and as --boundary-kernel one learned "
                             "with 'Forcing/Input = boundary-values'.");
        }
      if (sources.forcing && sources.boundary &&
          !sources.forcing->kernel.mesh.is_same_as(
            sources.boundary->kernel.mesh))
        throw Error("The kernels '",
                    options.kernel,
                    "' and '",
                    options.boundary_kernel,
                    "' do not have the same mesh.");
      return sources;
    }


    /** A formula, or nothing if it is a file. */
    template <int dim>
    std::unique_ptr<Function<dim>>
    formula_of(const std::string &text)
    {
      const bool is_file = std::filesystem::exists(text) ||
                           std::filesystem::path(text).extension() == ".h5";
      return is_file ? nullptr : parse_forcing<dim>(text);
    }


    template <int dim>
    Question<dim>
    understand(const CommandOptions &options)
    {
      Question<dim> question;
      question.points       = read_points<dim>(options);
      question.options.form = form_from_name(options.form);
      if (!options.forcing.empty())
        question.forcing = formula_of<dim>(options.forcing);
      if (!options.boundary.empty())
        question.boundary = formula_of<dim>(options.boundary);
      return question;
    }


    /** The data and the solution of a sample of a dataset. */
    template <int dim>
    void
    read_sample(const CommandOptions &options,
                const Source         &source,
                const Space<dim>     &space,
                VectorType           &data,
                Fields               &fields)
    {
      const auto reader = open_dataset(source.data, space.communicator());
      collectively(space.communicator(), [&]() {
        check_same_mesh(source.kernel, source.kernel_path, *reader);
        check_same_input(source.kernel, source.kernel_path, *reader);
        const Split split =
          options.split == "train" ? Split::train : Split::test;
        if (options.sample >= reader->n_samples(split))
          throw UsageError("There is no sample ",
                           options.sample,
                           " in '",
                           source.data,
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
            data.local_element(i)             = f[space.local_nodes()[i]];
            fields.reference.local_element(i) = u[space.local_nodes()[i]];
          }
      });
    }


    /** The data of all sources at the nodes. */
    template <int dim>
    void
    read_data(const CommandOptions &options,
              const Sources        &sources,
              const Question<dim>  &question,
              const Space<dim>     &space,
              Fields               &fields)
    {
      fields.forcing.reinit(space.locally_owned_dofs(), space.communicator());
      fields.boundary.reinit(fields.forcing);
      fields.solution.reinit(fields.forcing);
      fields.reference.reinit(fields.forcing);
      if (question.forcing)
        fields.forcing = project<dim>(space, *question.forcing);
      else if (!options.forcing.empty())
        read_sample(options, *sources.forcing, space, fields.forcing, fields);
      if (question.boundary)
        fields.boundary = boundary_data<dim>(space,
                                             sources.boundary->input(),
                                             *question.boundary);
      else if (sources.boundary)
        read_sample(options, *sources.boundary, space, fields.boundary, fields);
      // A dataset knows the solution for its own data only.
      if (!options.forcing.empty() && sources.boundary)
        fields.has_reference = false;
    }


    /** The problem parameters that a kernel's data came from. */
    ProblemParameters
    problem_parameters(const LearnedKernel &kernel)
    {
      if (kernel.parameters.find("subsection Problem") == std::string::npos)
        throw UsageError(
          "The kernel's file does not tell from which "
          "problem it was learned, so that --estimate, "
          "--tolerance and --compare are not possible.");
      Configuration    configuration;
      ParameterHandler prm;
      configuration.add_parameters(prm);
      parse_parameter_text(kernel.parameters, "the kernel", prm);
      return configuration.problem;
    }


    /** The problems that the kernels' data came from, set up. */
    template <int dim>
    Problems<dim>
    problems_of(const Sources &sources, const Space<dim> &space)
    {
      Problems<dim> result;
      collectively(space.communicator(), [&]() {
        const auto parameters = problem_parameters(sources.any_kernel());
        result.problem        = make_problem<dim>(parameters);
        if (!sources.boundary)
          return;
        const auto others = problem_parameters(sources.boundary->kernel);
        if (others.name != parameters.name ||
            others.wave_number != parameters.wave_number)
          throw Error("The kernels were learned from different problems, '",
                      parameters.name,
                      "' and '",
                      others.name,
                      "'.");
        result.boundary =
          make_boundary_problem(*result.problem, sources.boundary->input());
      });
      if (result.boundary)
        result.boundary->set_up(space); // and the problem
      else
        result.problem->set_up(space);
      return result;
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
                                   {"g", fields.boundary},
                                   {"u", fields.solution}};
      if (fields.has_reference)
        output.emplace_back("u_reference", fields.reference);
      write_vtu(space, output, path);
    }


    /** Estimates the error, and improves the answer if somebody asks for it. */
    template <int dim>
    void
    solve_checked(const Solvers<dim>   &solvers,
                  const Problems<dim>  &problems,
                  const CommandOptions &options,
                  Fields               &fields,
                  Answer               &answer)
    {
      auto *const galerkin =
        dynamic_cast<GalerkinProblem<dim> *>(problems.problem.get());
      if (galerkin == nullptr)
        throw UsageError(
          "Errors can be estimated for differential equations "
          "only, and this kernel's problem is '",
          problems.problem->name(),
          "': omit --estimate and --tolerance.");
      const double tolerance = options.tolerance > 0
                                 ? options.tolerance
                                 : std::numeric_limits<double>::infinity();
      const auto   solve     = [&](const CheckedSolver<dim> &checked) {
        const double start = MPI_Wtime();
        const auto   report =
          solvers.boundary
                    ? checked.solve(fields.forcing,
                            fields.boundary,
                            fields.solution,
                            tolerance)
                    : checked.solve(fields.forcing, fields.solution, tolerance);
        answer.seconds    = MPI_Wtime() - start;
        answer.estimate   = report.relative_error;
        answer.iterations = report.iterations;
        answer.path       = path_name(report.path);
      };
      if (solvers.boundary)
        solve(CheckedSolver<dim>(*solvers.forcing,
                                 *solvers.boundary,
                                 *problems.boundary));
      else
        solve(CheckedSolver<dim>(*solvers.forcing, *galerkin));
    }


    /** The whole solution by the kernels alone. */
    template <int dim>
    void
    solve_field(const Solvers<dim> &solvers, Fields &fields, Answer &answer)
    {
      const double start = MPI_Wtime();
      if (solvers.forcing)
        solvers.forcing->vmult(fields.solution, fields.forcing);
      if (solvers.boundary)
        {
          VectorType part(fields.solution);
          solvers.boundary->vmult(part, fields.boundary);
          fields.solution += part;
        }
      answer.seconds = MPI_Wtime() - start;
    }


    /** The values at some points alone. */
    template <int dim>
    void
    solve_at_points(const Solvers<dim>            &solvers,
                    const std::vector<Point<dim>> &points,
                    const Fields                  &fields,
                    Answer                        &answer)
    {
      answer.seconds = 0;
      answer.values.assign(points.size(), 0.);
      const auto add = [&](const SurrogateSolver<dim> &solver,
                           const VectorType           &data) {
        const auto   sensors = solver.sensors(points);
        const double begin   = MPI_Wtime();
        const auto   values  = sensors(data);
        answer.seconds += MPI_Wtime() - begin;
        for (std::size_t p = 0; p < values.size(); ++p)
          answer.values[p] += values[p];
      };
      if (solvers.forcing)
        add(*solvers.forcing, fields.forcing);
      if (solvers.boundary)
        add(*solvers.boundary, fields.boundary);
    }


    /** The solution by finite elements. */
    template <int dim>
    void
    solve_reference(const Problems<dim> &problems, Fields &fields)
    {
      problems.problem->solve(fields.forcing, fields.reference);
      if (problems.boundary)
        {
          VectorType part(fields.reference);
          problems.boundary->solve(fields.boundary, part);
          fields.reference += part;
        }
      fields.has_reference = true;
    }


    template <int dim>
    Answer
    solve(const Sources        &sources,
          const CommandOptions &options,
          const MPI_Comm        communicator)
    {
      Question<dim> question;
      collectively(communicator,
                   [&]() { question = understand<dim>(options); });
      const LearnedKernel &kernel = sources.any_kernel();
      const std::string    origin =
        "'" +
        (sources.forcing ? sources.forcing : sources.boundary)->kernel_path +
        "'";
      const Mesh<dim>      mesh(kernel.mesh, origin, communicator);
      const MeshSpace<dim> space(mesh, kernel.mesh, origin);

      // Values at a few points need no matrix for all nodes.
      const bool checked     = options.estimate || options.tolerance > 0;
      const bool only_points = !question.points.empty() &&
                               options.output.empty() && !options.compare &&
                               !checked;
      if (only_points && question.options.form == SurrogateForm::automatic)
        question.options.form = SurrogateForm::atoms;

      Answer       answer;
      const double start = MPI_Wtime();
      Solvers<dim> solvers;
      if (sources.forcing)
        solvers.forcing.emplace(sources.forcing->kernel,
                                space,
                                question.options);
      if (sources.boundary)
        solvers.boundary.emplace(sources.boundary->kernel,
                                 space,
                                 question.options);
      const SurrogateSolver<dim> &solver =
        solvers.forcing ? *solvers.forcing : *solvers.boundary;
      answer.seconds_set_up = MPI_Wtime() - start;
      answer.form           = form_name(solver.local_operator().form());

      Fields fields;
      read_data(options, sources, question, space, fields);
      if (only_points)
        {
          solve_at_points(solvers, question.points, fields, answer);
          return answer;
        }

      Problems<dim> problems;
      if (options.compare || checked)
        {
          const double begin = MPI_Wtime();
          problems           = problems_of(sources, space);
          answer.fem_set_up  = MPI_Wtime() - begin;
        }
      if (checked)
        solve_checked(solvers, problems, options, fields, answer);
      else
        solve_field(solvers, fields, answer);
      answer.values = solver.values_at(question.points, fields.solution);
      if (options.compare)
        {
          const double begin = MPI_Wtime();
          solve_reference(problems, fields);
          answer.fem_seconds = MPI_Wtime() - begin;
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
      std::cout << "Solution by the kernel"
                << (options.kernel.empty() || options.boundary_kernel.empty()
                      ? ""
                      : "s");
      for (const auto &path : {options.kernel, options.boundary_kernel})
        if (!path.empty())
          std::cout << " '" << path << "'";
      std::cout << " (" << answer.form << ", " << answer.path << ", "
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
    Sources sources;
    collectively(communicator, [&]() { sources = load_sources(options); });
    const unsigned int dim    = sources.any_kernel().mesh.dim;
    const Answer       answer = with_dimension(dim, [&](const auto d) {
      return solve<d.value>(sources, options, communicator);
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
