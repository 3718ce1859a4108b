#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/interrupt.h>
#include <evergreen/base/random.h>
#include <evergreen/data/generator.h>

#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace Evergreen
{
  using namespace dealii;

  void
  DatasetParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Dataset");
    prm.add_parameter("Training samples",
                      n_training_samples,
                      "The number of pairs (f, u) to learn from.",
                      Patterns::Integer(1, 100000000));
    prm.add_parameter("Test samples",
                      n_test_samples,
                      "The number of pairs to measure errors with.",
                      Patterns::Integer(0, 100000000));
    prm.leave_subsection();
  }


  void
  DatasetParameters::check() const
  {
    if (n_training_samples < 1)
      throw UsageError(
        "'Training samples' in section 'Dataset' must be at "
        "least 1.");
  }


  namespace
  {
    /** A few consecutive samples of one split. */
    struct Batch
    {
      Split       split;
      std::size_t first;
      std::size_t count;
    };


    /**
     * The values of a batch: one sample after the other, at the local nodes in
     * the order of the degrees of freedom. Objects are used for one batch after
     * the other, since fresh memory is slow.
     */
    struct BatchValues
    {
      std::vector<double>       forcings;
      std::vector<double>       solutions;
      std::vector<SampleStatus> status;

      /** On rank 0, if there are others: the values of one rank after another.
       */
      std::vector<double> all_forcings;
      std::vector<double> all_solutions;
    };


    /**
     * Draws, solves, gathers and writes batches. Solving and gathering
     * communicate: they belong to the thread that does so. Drawing and writing
     * do not and may run on others, each one batch at a time.
     */
    template <int dim>
    class Production
    {
    public:
      Production(LinearProblem<dim> &problem, const ForcingParameters &forcing)
        : problem(problem)
        , space(problem.space())
        , forcing(forcing)
        , field(forcing, dim, space.points(), space.local_nodes())
      {
        if (forcing.input != input_name(problem.input()))
          throw UsageError("The problem '",
                           problem.name(),
                           "' maps ",
                           input_words(problem.input()),
                           " to solutions, but 'Input' in section 'Forcing' "
                           "is ",
                           forcing.input,
                           ".");
      }

      /**
       * Finds the nodes of data on the boundary. Collective, and the first
       * call.
       */
      void
      find_boundary()
      {
        if (problem.input() != Input::forcing)
          weights = boundary_weights(space, problem.input());
      }

      /** Learns which rank has which nodes. Collective. */
      void
      find_layout()
      {
        for (const auto &nodes :
             Utilities::MPI::all_gather(space.communicator(),
                                        space.local_nodes()))
          {
            n_nodes_of_rank.push_back(nodes.size());
            all_nodes.insert(all_nodes.end(), nodes.begin(), nodes.end());
          }
        is_ordered = n_nodes_of_rank.size() == 1 &&
                     std::is_sorted(all_nodes.begin(), all_nodes.end());
      }

      void
      draw(const Batch &batch, BatchValues &values) const
      {
        values.forcings.resize(space.n_local_nodes() * batch.count);
        field.sample(batch.split == Split::train
                       ? Random::Stream::training_forcing
                       : Random::Stream::test_forcing,
                     batch.first,
                     batch.count,
                     values.forcings.data());
      }

      void
      solve(const Batch &batch, BatchValues &values, GenerationReport &report)
      {
        if (!weights.empty())
          restrict_to_boundary(space,
                               weights,
                               values.forcings.data(),
                               batch.count);
        else if (space.hanging_nodes().is_coupled())
          space.hanging_nodes().distribute(values.forcings.data(), batch.count);
        if (forcing.normalise)
          normalise(batch, values.forcings);
        values.solutions.resize(values.forcings.size());
        values.status.assign(batch.count, SampleStatus::solved);
        const double start = MPI_Wtime();
        for (const auto &failure : problem.solve_block(values.forcings.data(),
                                                       values.solutions.data(),
                                                       batch.count))
          {
            values.status[failure.sample] = SampleStatus::failed;
            report.failures.push_back(
              {batch.split, batch.first + failure.sample, failure.reason});
          }
        report.seconds_solving += MPI_Wtime() - start;
        if (forcing.noise > 0 && batch.split == Split::train)
          add_noise(batch, values.solutions);
      }

      /** Collects the values of all ranks on rank 0. */
      void
      gather(const Batch &batch, BatchValues &values) const
      {
        if (n_nodes_of_rank.size() == 1)
          return;
        std::vector<int> counts, offsets = {0};
        for (const std::size_t n : n_nodes_of_rank)
          {
            counts.push_back(static_cast<int>(n * batch.count));
            offsets.push_back(offsets.back() + counts.back());
          }
        const auto collect = [&](const std::vector<double> &local,
                                 std::vector<double>       &all) {
          if (Utilities::MPI::this_mpi_process(space.communicator()) == 0)
            all.resize(all_nodes.size() * batch.count);
          MPI_Gatherv(local.data(),
                      static_cast<int>(local.size()),
                      MPI_DOUBLE,
                      all.data(),
                      counts.data(),
                      offsets.data(),
                      MPI_DOUBLE,
                      0,
                      space.communicator());
        };
        collect(values.forcings, values.all_forcings);
        collect(values.solutions, values.all_solutions);
      }

      /** On rank 0: writes all values in the order of the nodes. */
      void
      write(const Batch       &batch,
            const BatchValues &values,
            DatasetWriter     &writer)
      {
        const bool alone = n_nodes_of_rank.size() == 1;
        writer.write(
          batch.split,
          batch.first,
          batch.count,
          in_node_order(batch.count,
                        alone ? values.forcings : values.all_forcings,
                        ordered_forcings),
          in_node_order(batch.count,
                        alone ? values.solutions : values.all_solutions,
                        ordered_solutions),
          values.status.data());
      }

    private:
      /** Scales every forcing to unit L2 norm, by nodal weights if it is data
       * on the boundary. */
      void
      normalise(const Batch &batch, std::vector<double> &forcings) const
      {
        const std::size_t   n = space.n_local_nodes();
        std::vector<double> squares(batch.count, 0.);
        for (std::size_t j = 0; j < batch.count && !weights.empty(); ++j)
          for (std::size_t i = 0; i < n; ++i)
            squares[j] += weights[i] * std::pow(forcings[j * n + i], 2);
        if (weights.empty())
          squares = space.square_norms(forcings, batch.count);
        else
          Collective::sum(space.communicator(), squares);
        for (std::size_t j = 0; j < batch.count; ++j)
          for (std::size_t i = 0; i < n; ++i)
            forcings[j * n + i] /= std::sqrt(squares[j]);
      }

      /** Adds independent noise relative to the solution's root mean square. */
      void
      add_noise(const Batch &batch, std::vector<double> &solutions) const
      {
        const std::size_t   n = space.n_local_nodes();
        std::vector<double> squares(batch.count, 0.);
        for (std::size_t j = 0; j < batch.count; ++j)
          for (std::size_t i = 0; i < n; ++i)
            squares[j] += std::pow(solutions[j * n + i], 2);
        Collective::sum(space.communicator(), squares);

        for (std::size_t j = 0; j < batch.count; ++j)
          {
            const double level =
              forcing.noise * std::sqrt(squares[j] / space.n_nodes());
            for (std::size_t i = 0; i < n; ++i)
              if (!space.is_constrained(i))
                solutions[j * n + i] +=
                  level * Random::normal(forcing.seed,
                                         Random::Stream::noise,
                                         batch.first + j,
                                         space.local_nodes()[i]);
          }
      }

      /** Returns the values themselves if they have that order already. */
      const double *
      in_node_order(const std::size_t          count,
                    const std::vector<double> &all,
                    std::vector<double>       &ordered) const
      {
        if (is_ordered)
          return all.data();
        const std::size_t m = space.n_nodes();
        ordered.resize(m * count);
        const double      *source = all.data();
        const std::size_t *nodes  = all_nodes.data();
        for (const std::size_t n : n_nodes_of_rank)
          {
            for (std::size_t j = 0; j < count; ++j, source += n)
              for (std::size_t i = 0; i < n; ++i)
                ordered[j * m + nodes[i]] = source[i];
            nodes += n;
          }
        return ordered.data();
      }

      LinearProblem<dim>      &problem;
      const Space<dim>        &space;
      const ForcingParameters &forcing;
      const RandomField        field;

      /** The boundary_weights() of data on the boundary, otherwise empty. */
      std::vector<double> weights;

      /** The nodes of all ranks, one rank after the other. */
      std::vector<std::size_t> n_nodes_of_rank, all_nodes;
      bool                     is_ordered = false;

      /** What is written, in the order of the nodes. */
      std::vector<double> ordered_forcings, ordered_solutions;
    };


    /** A size that depends on the mesh only: about 8 MiB of forcings. */
    std::size_t
    batch_size(const std::size_t n_nodes)
    {
      const std::size_t fitting = (std::size_t(1) << 20) / n_nodes;
      return std::clamp<std::size_t>(fitting, 1, 128);
    }


    /** The batches that have samples missing. */
    std::vector<Batch>
    open_batches(const std::vector<SampleStatus> &status,
                 const Split                      split,
                 const std::size_t                size)
    {
      std::vector<Batch> batches;
      for (std::size_t first = 0; first < status.size(); first += size)
        {
          const std::size_t count = std::min(size, status.size() - first);
          if (std::count(status.begin() + first,
                         status.begin() + first + count,
                         SampleStatus::missing) > 0)
            batches.push_back({split, first, count});
        }
      return batches;
    }


    template <int dim>
    DatasetDescription
    describe(const LinearProblem<dim> &problem,
             const DatasetParameters  &dataset,
             const GenerationOptions  &options)
    {
      DatasetDescription description;
      description.mesh       = problem.space().mesh_data();
      description.parameters = options.parameter_text;
      description.n_train    = dataset.n_training_samples;
      description.n_test     = dataset.n_test_samples;
      description.attributes = options.attributes;
      description.attributes.emplace("problem", problem.name());
      if (problem.input() != Input::forcing)
        description.attributes.emplace("input", input_name(problem.input()));
      return description;
    }


    /** Opens the file on rank 0 and tells all ranks what is left to do. */
    template <int dim>
    std::vector<Batch>
    open_file(const LinearProblem<dim>     &problem,
              const DatasetParameters      &dataset,
              const std::string            &target,
              const GenerationOptions      &options,
              std::optional<DatasetWriter> &writer,
              GenerationReport             &report)
    {
      const MPI_Comm            communicator = problem.space().communicator();
      std::vector<SampleStatus> train, test;
      collectively(communicator, [&]() {
        if (Utilities::MPI::this_mpi_process(communicator) != 0)
          return;
        const auto description = describe(problem, dataset, options);
        if (options.resume &&
            std::filesystem::exists(DatasetWriter::partial_path(target)))
          writer.emplace(DatasetWriter::resume(target, description));
        else
          writer.emplace(target, description);
        train            = writer->status(Split::train);
        test             = writer->status(Split::test);
        report.n_resumed = writer->n_done();
      });
      train = Utilities::MPI::broadcast(communicator, train);
      test  = Utilities::MPI::broadcast(communicator, test);
      report.n_resumed =
        Utilities::MPI::broadcast(communicator, report.n_resumed);

      const std::size_t size    = batch_size(problem.space().n_nodes());
      auto              batches = open_batches(train, Split::train, size);
      for (auto &batch : open_batches(test, Split::test, size))
        batches.push_back(std::move(batch));
      return batches;
    }
  } // namespace


  template <int dim>
  GenerationReport
  generate_dataset(LinearProblem<dim>      &problem,
                   const ForcingParameters &forcing,
                   const DatasetParameters &dataset,
                   const std::string       &target,
                   const GenerationOptions &options)
  {
    const MPI_Comm communicator = problem.space().communicator();
    const bool     writes = Utilities::MPI::this_mpi_process(communicator) == 0;
    const double   start  = MPI_Wtime();
    const Blas::SingleThread one_thread;

    std::unique_ptr<Production<dim>> production;
    collectively(communicator, [&]() {
      forcing.check();
      dataset.check();
      production = std::make_unique<Production<dim>>(problem, forcing);
    });
    production->find_boundary();
    production->find_layout();
    GenerationReport             report;
    std::optional<DatasetWriter> writer;
    const auto                   batches =
      open_file(problem, dataset, target, options, writer, report);

    // While a batch is solved, TBB's threads draw the next and write the last.
    const InterruptGuard       guard;
    std::array<BatchValues, 3> values;
    tbb::task_group            drawing, writing;
    const auto                 draw = [&](const std::size_t b) {
      if (b < batches.size())
        drawing.run([&, b]() { production->draw(batches[b], values[b % 3]); });
    };
    const auto wait_for = [&](tbb::task_group &work) {
      collectively(communicator, [&]() { work.wait(); });
    };

    draw(0);
    for (std::size_t b = 0; b < batches.size() && !report.interrupted; ++b)
      {
        wait_for(drawing);
        draw(b + 1);
        production->solve(batches[b], values[b % 3], report);
        production->gather(batches[b], values[b % 3]);

        wait_for(writing);
        if (writes)
          writing.run([&, b]() {
            production->write(batches[b], values[b % 3], *writer);
          });

        report.n_computed += batches[b].count;
        if (writes && options.on_progress)
          options.on_progress(
            {report.n_resumed + report.n_computed,
             dataset.n_training_samples + dataset.n_test_samples,
             report.failures.size()});
        report.interrupted =
          Utilities::MPI::max(InterruptGuard::requested() ? 1 : 0,
                              communicator) > 0;
      }
    wait_for(drawing);
    wait_for(writing);
    collectively(communicator, [&]() {
      if (writes && !report.interrupted)
        writer->finish();
    });
    report.seconds = MPI_Wtime() - start;
    return report;
  }


  template <int dim>
  Samples
  generate_samples(LinearProblem<dim>      &problem,
                   const ForcingParameters &forcing,
                   const Split              split,
                   const std::size_t        n_samples)
  {
    const auto              &space = problem.space();
    const std::size_t        n     = space.n_local_nodes();
    const Blas::SingleThread one_thread;
    Production<dim>          production(problem, forcing);
    GenerationReport         report;
    BatchValues              values;
    Samples                  samples;
    production.find_boundary();
    samples.input = problem.input();
    const std::vector<SampleStatus> missing(n_samples, SampleStatus::missing);
    for (const Batch &batch :
         open_batches(missing, split, batch_size(space.n_nodes())))
      {
        production.draw(batch, values);
        production.solve(batch, values, report);
        for (std::size_t j = 0; j < batch.count; ++j)
          if (values.status[j] == SampleStatus::solved)
            {
              samples.forcings.insert(samples.forcings.end(),
                                      &values.forcings[j * n],
                                      &values.forcings[j * n] + n);
              samples.solutions.insert(samples.solutions.end(),
                                       &values.solutions[j * n],
                                       &values.solutions[j * n] + n);
              ++samples.n_samples;
            }
      }
    return samples;
  }


  std::unique_ptr<DatasetReader>
  open_dataset(const std::string &path, const MPI_Comm communicator)
  {
    std::unique_ptr<DatasetReader> reader;
    collectively(communicator,
                 [&]() { reader = std::make_unique<DatasetReader>(path); });
    return reader;
  }


  bool
  is_dataset_of(const std::string &path,
                const std::string &parameters,
                const MPI_Comm     communicator)
  {
    bool same = false;
    if (Utilities::MPI::this_mpi_process(communicator) == 0 &&
        std::filesystem::exists(path))
      try
        {
          same = DatasetReader(path).parameters() == parameters;
        }
      catch (const Error &)
        {} // then it is made again
    return Utilities::MPI::broadcast(communicator, same);
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(generate_samples<dim>) generate_samples<dim>;              \
  template decltype(generate_dataset<dim>) generate_dataset<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
