#include "production.h"

#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/interrupt.h>
#include <evergreen/data/generator.h>

#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

namespace Evergreen
{
  using namespace dealii;
  using Internal::Batch;
  using Internal::BatchValues;
  using Internal::Production;

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
    const auto                     &space = problem.space();
    const std::size_t               n     = space.n_local_nodes();
    const Blas::SingleThread        one_thread;
    Production<dim>                 production(problem, forcing);
    GenerationReport                report;
    BatchValues                     values;
    Samples                         samples;
    const std::vector<SampleStatus> missing(n_samples, SampleStatus::missing);
    for (const Batch &batch :
         open_batches(missing, split, batch_size(space.n_nodes())))
      {
        production.draw(batch, values);
        production.solve(batch, values, report);
        for (std::size_t j = 0; j < batch.count; ++j)
          if (values.status[j] == SampleStatus::solved)
            {
              const auto append = [&](const std::vector<double> &from,
                                      std::vector<double>       &to) {
                to.insert(to.end(),
                          from.begin() + j * n,
                          from.begin() + (j + 1) * n);
              };
              append(values.forcings, samples.forcings);
              append(values.solutions, samples.solutions);
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


  template Samples
  generate_samples(LinearProblem<1> &,
                   const ForcingParameters &,
                   const Split,
                   const std::size_t);
  template Samples
  generate_samples(LinearProblem<2> &,
                   const ForcingParameters &,
                   const Split,
                   const std::size_t);
  template Samples
  generate_samples(LinearProblem<3> &,
                   const ForcingParameters &,
                   const Split,
                   const std::size_t);
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
