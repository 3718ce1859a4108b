#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/interrupt.h>
#include <evergreen/base/random.h>
#include <evergreen/base/version.h>
#include <evergreen/data/generator.h>

#include <Epetra_CrsMatrix.h>
#include <Epetra_Map.h>
#include <Epetra_MultiVector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
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
    double
    seconds_now()
    {
      return MPI_Wtime();
    }


    /** A few consecutive samples of one split on their way to the file. */
    struct Batch
    {
      Split       split;
      std::size_t first;
      std::size_t count;

      std::vector<double>       forcings;
      std::vector<double>       solutions;
      std::vector<SampleStatus> status;
    };


    /**
     * The stages that a batch goes through. Everything that communicates
     * happens on the calling thread; drawing and writing do not communicate
     * and may run on another.
     */
    template <int dim>
    class Production
    {
    public:
      Production(LinearProblem<dim> &problem, const ForcingParameters &forcing)
        : problem(problem)
        , space(problem.space())
        , forcing(forcing)
        , field(forcing, dim, space.mesh_data().points, space.local_nodes())
      {}

      void
      draw(Batch &batch) const
      {
        batch.forcings.resize(space.n_local_nodes() * batch.count);
        field.sample(batch.split == Split::train
                       ? Random::Stream::training_forcing
                       : Random::Stream::test_forcing,
                     batch.first,
                     batch.count,
                     batch.forcings.data());
      }

      void
      solve(Batch &batch, GenerationReport &report)
      {
        if (forcing.normalise)
          normalise(batch);
        batch.solutions.resize(batch.forcings.size());
        batch.status.assign(batch.count, SampleStatus::solved);
        const double start = seconds_now();
        for (const auto &failure : problem.solve_block(batch.forcings.data(),
                                                       batch.solutions.data(),
                                                       batch.count))
          {
            batch.status[failure.sample] = SampleStatus::failed;
            report.failures.push_back(
              {batch.split, batch.first + failure.sample, failure.reason});
          }
        report.seconds_solving += seconds_now() - start;
        if (forcing.noise > 0 && batch.split == Split::train)
          add_noise(batch);
      }

      /** Replaces local values by those of all nodes, on rank 0. */
      void
      gather(Batch &batch)
      {
        collect_layout();
        batch.forcings  = gathered(batch.forcings, batch.count);
        batch.solutions = gathered(batch.solutions, batch.count);
      }

    private:
      LinearProblem<dim>            &problem;
      const FiniteElementSpace<dim> &space;
      const ForcingParameters       &forcing;
      RandomField                    field;

      /** On rank 0: the nodes of all ranks, one rank after the other. */
      std::vector<std::size_t> all_nodes;
      std::vector<int>         n_nodes_of_rank;

      void
      sum_over_ranks(std::vector<double> &values) const
      {
        MPI_Allreduce(MPI_IN_PLACE,
                      values.data(),
                      static_cast<int>(values.size()),
                      MPI_DOUBLE,
                      MPI_SUM,
                      space.communicator());
      }

      /** Scales every forcing to unit L2 norm. */
      void
      normalise(Batch &batch) const
      {
        const std::size_t        n    = space.n_local_nodes();
        const int                lda  = std::max<int>(1, n);
        const auto              &mass = space.mass_matrix().trilinos_matrix();
        std::vector<double>      product(batch.forcings.size());
        const Epetra_MultiVector f(View,
                                   mass.DomainMap(),
                                   batch.forcings.data(),
                                   lda,
                                   static_cast<int>(batch.count));
        Epetra_MultiVector       mass_times_f(View,
                                        mass.RangeMap(),
                                        product.data(),
                                        lda,
                                        static_cast<int>(batch.count));
        mass.Multiply(false, f, mass_times_f);

        std::vector<double> squares(batch.count, 0.);
        for (std::size_t j = 0; j < batch.count; ++j)
          for (std::size_t i = 0; i < n; ++i)
            squares[j] += batch.forcings[j * n + i] * product[j * n + i];
        sum_over_ranks(squares);
        for (std::size_t j = 0; j < batch.count; ++j)
          for (std::size_t i = 0; i < n; ++i)
            batch.forcings[j * n + i] /= std::sqrt(squares[j]);
      }

      /** Adds independent noise relative to the solution's root mean square. */
      void
      add_noise(Batch &batch) const
      {
        const std::size_t   n = space.n_local_nodes();
        std::vector<double> squares(batch.count, 0.);
        for (std::size_t j = 0; j < batch.count; ++j)
          for (std::size_t i = 0; i < n; ++i)
            squares[j] += std::pow(batch.solutions[j * n + i], 2);
        sum_over_ranks(squares);

        const bool keep_zero = problem.vanishes_on_boundary();
        for (std::size_t j = 0; j < batch.count; ++j)
          {
            const double level =
              forcing.noise * std::sqrt(squares[j] / space.n_nodes());
            for (std::size_t i = 0; i < n; ++i)
              if (!(keep_zero && space.is_on_boundary(i)))
                batch.solutions[j * n + i] +=
                  level * Random::normal(forcing.seed,
                                         Random::Stream::noise,
                                         batch.first + j,
                                         space.local_nodes()[i]);
          }
      }

      void
      collect_layout()
      {
        if (!n_nodes_of_rank.empty())
          return;
        const auto parts =
          Utilities::MPI::gather(space.communicator(), space.local_nodes());
        n_nodes_of_rank =
          Utilities::MPI::all_gather(space.communicator(),
                                     static_cast<int>(space.n_local_nodes()));
        for (const auto &part : parts)
          all_nodes.insert(all_nodes.end(), part.begin(), part.end());
      }

      std::vector<double>
      gathered(const std::vector<double> &local, const std::size_t count) const
      {
        const bool          root = !all_nodes.empty();
        const std::size_t   m    = space.n_nodes();
        std::vector<double> all(root ? m * count : 0);
        std::vector<int>    counts, offsets;
        int                 offset = 0;
        for (const int n : n_nodes_of_rank)
          {
            counts.push_back(n * static_cast<int>(count));
            offsets.push_back(offset);
            offset += counts.back();
          }
        const bool alone = n_nodes_of_rank.size() == 1;
        if (!alone)
          MPI_Gatherv(local.data(),
                      static_cast<int>(local.size()),
                      MPI_DOUBLE,
                      all.data(),
                      counts.data(),
                      offsets.data(),
                      MPI_DOUBLE,
                      0,
                      space.communicator());
        if (!root)
          return {};

        const double *const source = alone ? local.data() : all.data();
        std::vector<double> sorted(m * count);
        std::size_t         node_offset = 0;
        for (std::size_t rank = 0; rank < n_nodes_of_rank.size(); ++rank)
          {
            const std::size_t n = n_nodes_of_rank[rank];
            for (std::size_t j = 0; j < count; ++j)
              for (std::size_t i = 0; i < n; ++i)
                sorted[j * m + all_nodes[node_offset + i]] =
                  source[offsets[rank] + j * n + i];
            node_offset += n;
          }
        return sorted;
      }
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
            batches.push_back({split, first, count, {}, {}, {}});
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
      if (!problem.vanishes_on_boundary())
        description.mesh.boundary.clear();
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
    const double   start  = seconds_now();

    std::unique_ptr<Production<dim>> production;
    collectively(communicator, [&]() {
      forcing.check();
      dataset.check();
      production = std::make_unique<Production<dim>>(problem, forcing);
    });
    GenerationReport             report;
    std::optional<DatasetWriter> writer;
    auto batches = open_file(problem, dataset, target, options, writer, report);

    const InterruptGuard guard;
    std::future<void>    drawing, writing;
    const auto           draw = [&](Batch &batch) {
      return std::async(std::launch::async, [&]() { production->draw(batch); });
    };
    if (!batches.empty())
      drawing = draw(batches.front());
    for (std::size_t b = 0; b < batches.size() && !report.interrupted; ++b)
      {
        Batch &batch = batches[b];
        collectively(communicator, [&]() { drawing.get(); });
        if (b + 1 < batches.size())
          drawing = draw(batches[b + 1]);
        production->solve(batch, report);
        production->gather(batch);

        // Errors of the last write are noticed here, by all ranks.
        collectively(communicator, [&]() {
          if (writing.valid())
            writing.get();
        });
        if (writes)
          writing = std::async(std::launch::async, [&]() {
            writer->write(batch.split,
                          batch.first,
                          batch.count,
                          batch.forcings.data(),
                          batch.solutions.data(),
                          batch.status.data());
            batch = Batch{batch.split, batch.first, batch.count, {}, {}, {}};
          });
        else
          batch = Batch{batch.split, batch.first, batch.count, {}, {}, {}};

        report.n_computed += batch.count;
        if (writes && options.on_progress)
          options.on_progress(
            {report.n_resumed + report.n_computed,
             dataset.n_training_samples + dataset.n_test_samples,
             report.failures.size()});
        report.interrupted =
          Utilities::MPI::max(InterruptGuard::requested() ? 1 : 0,
                              communicator) > 0;
      }
    if (drawing.valid())
      drawing.get();
    collectively(communicator, [&]() {
      if (writing.valid())
        writing.get();
      if (writes && !report.interrupted)
        writer->finish();
    });
    report.seconds = seconds_now() - start;
    return report;
  }


  template GenerationReport
  generate_dataset(LinearProblem<1> &,
                   const ForcingParameters &,
                   const DatasetParameters &,
                   const std::string &,
                   const GenerationOptions &);
  template GenerationReport
  generate_dataset(LinearProblem<2> &,
                   const ForcingParameters &,
                   const DatasetParameters &,
                   const std::string &,
                   const GenerationOptions &);
  template GenerationReport
  generate_dataset(LinearProblem<3> &,
                   const ForcingParameters &,
                   const DatasetParameters &,
                   const std::string &,
                   const GenerationOptions &);
} // namespace Evergreen
