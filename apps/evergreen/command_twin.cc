// Everything that the program does with twins.

#include "commands.h"
#include "console.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/dataset_space.h>
#include <evergreen/fem/functions.h>
#include <evergreen/surrogate/forcing_expression.h>
#include <evergreen/twin/twin.h>
#include <evergreen/twin/twin_mesh.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <tuple>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    bool
    is_root(const MPI_Comm communicator)
    {
      return Utilities::MPI::this_mpi_process(communicator) == 0;
    }


    LearnedTwin
    load_twin(const std::string &path, const MPI_Comm communicator)
    {
      LearnedTwin twin;
      collectively(communicator, [&]() { twin = LearnedTwin::load(path); });
      return twin;
    }


    void
    describe(const LearnedTwin &twin)
    {
      const TwinChoice &choice = twin.choice;
      std::cout << "Twin:    " << twin.free.size() << " unknowns on "
                << twin.mesh.n_nodes() << " nodes"
                << (twin.is_own ? ", those of the solver" : "") << "\n"
                << "Rows:    " << description(choice) << "; up to "
                << choice.n_coefficients << " coefficients from "
                << twin.n_samples << " samples\n"
                << "Answers: wrong by " << choice.error
                << " on samples left out (typically " << choice.typical
                << ")\n";
      if (!twin.is_own && twin.unseen >= 0)
        std::cout << "Limits:  forcings of which its hats do not see up to "
                  << twin.unseen << " of the norm\n";
      std::cout << std::flush;
    }


    /** Errors of a twin's answers to the samples of a dataset. */
    struct TwinEvaluation
    {
      double      eps_u     = 0;
      std::size_t n_samples = 0;
      std::size_t n_rough   = 0;
    };


    /**
     * The mean relative error in L2 of the functions of the twin's mesh that
     * have the values at its nodes. Collective.
     */
    template <int dim>
    TwinEvaluation
    evaluate(const TwinSolver<dim> &solver,
             const Space<dim>      &space,
             const Samples         &samples)
    {
      const LearnedTwin  &twin = solver.coarse_operator().twin();
      const std::size_t   m = twin.mesh.n_nodes(), n = samples.n_samples;
      std::vector<double> answers(m * n);
      const auto          exact =
        (twin.is_own ? NodeValues<dim>(space)
                     : NodeValues<dim>(space, twin.mesh.points))
          .apply(samples.solutions.data(), n);
      solver.apply(samples.forcings.data(), answers.data(), n);
      const auto unseen = solver.unseen_shares(samples.forcings.data(), n);

      // Where the mesh has no hats, the nodes count alike.
      const bool      has_hats = twin.mesh.degree == 1 && twin.mesh.is_complete;
      const CsrMatrix mass =
        has_hats ? HatFunctions(twin.mesh).mass_matrix() : CsrMatrix();
      const auto square_norm = [&](const std::vector<double> &v) {
        std::vector<double> product = v;
        if (has_hats)
          mass.multiply(v.data(), product.data(), 1);
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i)
          sum += v[i] * product[i];
        return sum;
      };
      TwinEvaluation result;
      for (std::size_t j = 0; j < n; ++j)
        {
          std::vector<double> error(&answers[j * m], &answers[j * m] + m);
          std::vector<double> u(&exact[j * m], &exact[j * m] + m);
          for (std::size_t i = 0; i < m; ++i)
            error[i] -= u[i];
          if (const double square = square_norm(u); square > 0)
            {
              result.eps_u += std::sqrt(square_norm(error) / square);
              ++result.n_samples;
            }
          result.n_rough += is_rough(twin, unseen[j]);
        }
      result.eps_u = result.n_samples > 0
                       ? result.eps_u / result.n_samples
                       : std::numeric_limits<double>::quiet_NaN();
      return result;
    }


    void
    warn_of_rough(const std::size_t n_rough, const std::size_t n)
    {
      if (n_rough > 0)
        std::cerr << "Warning: " << n_rough << " of " << n
                  << " forcings are rougher than those of the training; do not "
                     "trust the answers to them."
                  << std::endl;
    }


    template <int dim>
    void
    learn_twin(const CommandOptions &options,
               const Configuration  &configuration,
               const DatasetReader  &reader,
               const MPI_Comm        communicator)
    {
      const DatasetSpace<dim>    setting(reader, communicator);
      const Space<dim>          &space  = setting.space();
      const TwinParameters      &chosen = configuration.twin;
      const double               start  = MPI_Wtime();
      std::unique_ptr<Twin<dim>> twin;
      if (chosen.mesh == "own")
        twin = std::make_unique<Twin<dim>>(space, chosen);
      else
        {
          MeshData mesh;
          collectively(communicator, [&]() {
            mesh = twin_mesh(configuration.domain, chosen);
          });
          twin = std::make_unique<Twin<dim>>(space, mesh, chosen);
        }
      twin->add(load_samples(reader, Split::train, space));
      const double reduced = MPI_Wtime();
      LearnedTwin  learned = twin->learn();
      learned.parameters   = reader.parameters();
      const double end     = MPI_Wtime();

      TwinEvaluation tests;
      if (!reader.valid_samples(Split::test).empty())
        tests = evaluate(TwinSolver<dim>(learned, space),
                         space,
                         load_samples(reader, Split::test, space));
      collectively(communicator, [&]() {
        if (!is_root(communicator))
          return;
        learned.save(options.output);
        describe(learned);
        if (tests.n_samples > 0)
          std::cout << "Tests:   wrong by " << tests.eps_u << " on "
                    << tests.n_samples << " samples\n";
        std::cout << "Time:    " << duration_text(end - reduced)
                  << " learning, " << duration_text(reduced - start)
                  << " reading and reducing the samples\n"
                  << "File:    " << options.output << std::endl;
        warn_of_rough(tests.n_rough, tests.n_samples);
      });
    }


    /** Refuses options that make sense for kernels only. */
    void
    check_options(const CommandOptions &options)
    {
      if (!options.sensors.empty() || !options.points.empty() ||
          options.form != "auto" || options.tolerance > 0 || options.estimate ||
          options.compare || !options.boundary.empty())
        throw UsageError(
          "A twin answers at its nodes: omit --sensors, "
          "--points, --form, --tolerance, --estimate, --compare and "
          "--boundary.");
    }


    /** The answer to a sample of a dataset, and how much of it is unseen. */
    template <int dim>
    std::pair<std::vector<double>, double>
    answer_to_sample(const LearnedTwin    &twin,
                     const CommandOptions &options,
                     const MPI_Comm        communicator)
    {
      const auto reader = open_dataset(options.forcing, communicator);
      const DatasetSpace<dim> setting(*reader, communicator);
      const Space<dim>       &space = setting.space();
      const Split split = options.split == "train" ? Split::train : Split::test;
      std::vector<double> f(space.n_nodes()), local;
      collectively(communicator, [&]() {
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
        reader->read_forcings(split, options.sample, 1, f.data());
      });
      for (const std::size_t node : space.local_nodes())
        local.push_back(f[node]);
      const TwinSolver<dim> solver(twin, space);
      std::vector<double>   answer(twin.mesh.n_nodes());
      solver.apply(local.data(), answer.data(), 1);
      return {answer, solver.unseen_shares(local.data(), 1).front()};
    }


    template <int dim>
    void
    solve(const LearnedTwin    &twin,
          const CommandOptions &options,
          const MPI_Comm        communicator)
    {
      const bool is_file =
        std::filesystem::exists(options.forcing) ||
        std::filesystem::path(options.forcing).extension() == ".h5";
      std::vector<double> answer(twin.mesh.n_nodes());
      double              unseen = 0;
      if (is_file)
        std::tie(answer, unseen) =
          answer_to_sample<dim>(twin, options, communicator);
      else
        collectively(communicator, [&]() {
          const auto         formula = parse_forcing<dim>(options.forcing);
          const auto         f       = as_plain_function<dim>(*formula);
          const TwinOperator op(twin);
          op.apply(op.moments_of(f).data(), answer.data(), 1);
          unseen = op.unseen_share(f);
        });

      if (!options.output.empty())
        {
          const std::string    origin = "'" + options.twin + "'";
          const Mesh<dim>      mesh(twin.mesh, origin, communicator);
          const MeshSpace<dim> space(mesh, twin.mesh, origin);
          std::vector<double>  local;
          for (const std::size_t node : space.local_nodes())
            local.push_back(answer[node]);
          write_vtu<dim>(space, {{"u", local}}, options.output);
        }
      if (!is_root(communicator))
        return;
      double largest = 0;
      for (const double value : answer)
        largest = std::max(largest, std::abs(value));
      if (options.json)
        std::cout << "{\"nodes\": " << answer.size()
                  << ", \"largest\": " << json_number(largest)
                  << ", \"unseen\": " << json_number(unseen) << ", \"rough\": "
                  << (is_rough(twin, unseen) ? "true" : "false")
                  << ", \"estimated_error\": " << json_number(twin.choice.error)
                  << "}" << std::endl;
      else
        {
          std::cout << "Solution by the twin '" << options.twin << "' at "
                    << answer.size() << " nodes, up to " << largest
                    << " large; answers to training samples are wrong by "
                    << twin.choice.error << "\n";
          if (!options.output.empty())
            std::cout << "Fields: " << options.output << "\n";
          std::cout << std::flush;
        }
      warn_of_rough(is_rough(twin, unseen), 1);
    }
  } // namespace


  void
  print_twin(const std::string &path)
  {
    const auto twin = LearnedTwin::load(path);
    std::cout << "Twin '" << path << "'\n"
              << "Mesh:    " << twin.mesh.n_nodes() << " nodes, "
              << twin.mesh.n_cells() << " cells (" << twin.mesh.cell_type
              << ", degree " << twin.mesh.degree << "), dimension "
              << twin.mesh.dim << "\n";
    describe(twin);
    std::cout << "Entries: " << twin.a.values.size() << " for values, "
              << twin.b.values.size() << " for " << twin.n_moments()
              << " moments\n";
    if (!twin.parameters.empty())
      std::cout << "Parameters:\n" << twin.parameters;
    std::cout << std::flush;
  }


  int
  command_twin(const CommandOptions &options, const MPI_Comm communicator)
  {
    const auto configuration = configuration_of(options, communicator);
    const auto reader        = open_dataset(options.data, communicator);
    with_dimension(reader->dim(), [&](const auto dim) {
      learn_twin<dim.value>(options, configuration, *reader, communicator);
    });
    return 0;
  }


  int
  evaluate_twin(const CommandOptions &options, const MPI_Comm communicator)
  {
    const double      start  = MPI_Wtime();
    const LearnedTwin twin   = load_twin(options.twin, communicator);
    const auto        reader = open_dataset(options.data, communicator);
    collectively(communicator, [&]() {
      if (reader->dim() != twin.mesh.dim)
        throw Error("The twin '",
                    options.twin,
                    "' and the dataset '",
                    options.data,
                    "' are of different dimensions.");
      if (reader->valid_samples(Split::test).empty())
        throw Error("The dataset '",
                    options.data,
                    "' has no test samples to measure errors with.");
    });
    with_dimension(reader->dim(), [&](const auto d) {
      constexpr int           dim = d.value;
      const DatasetSpace<dim> setting(*reader, communicator);
      const auto              result =
        evaluate(TwinSolver<dim>(twin, setting.space()),
                 setting.space(),
                 load_samples(*reader, Split::test, setting.space()));
      if (!is_root(communicator))
        return;
      if (options.json)
        std::cout << "{\"eps_u\": " << json_number(result.eps_u)
                  << ", \"estimated_error\": " << json_number(twin.choice.error)
                  << ", \"unknowns\": " << twin.free.size()
                  << ", \"samples\": " << result.n_samples
                  << ", \"rough\": " << result.n_rough
                  << ", \"seconds\": " << json_number(MPI_Wtime() - start)
                  << "}" << std::endl;
      else
        std::cout << "Errors on " << result.n_samples
                  << " test samples\n  values at the twin's nodes, eps_u  "
                  << result.eps_u << "\n  estimated when it was learned      "
                  << twin.choice.error << std::endl;
      warn_of_rough(result.n_rough, result.n_samples);
    });
    return 0;
  }


  int
  solve_by_twin(const CommandOptions &options, const MPI_Comm communicator)
  {
    const LearnedTwin twin = load_twin(options.twin, communicator);
    collectively(communicator, [&]() { check_options(options); });
    with_dimension(twin.mesh.dim, [&](const auto dim) {
      solve<dim.value>(twin, options, communicator);
    });
    return 0;
  }
} // namespace Evergreen
