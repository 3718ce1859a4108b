#include "laboratory.h"
#include "machine.h"
#include "steps.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/version.h>
#include <evergreen/learning/learner.h>

#include <filesystem>
#include <iostream>

namespace Evergreen
{
  namespace Reproduce
  {
    using namespace dealii;

    namespace
    {
      const char *
      kind_name(const Kind kind)
      {
        switch (kind)
          {
            case Kind::learn:
              return "learn";
            case Kind::least_squares:
              return "least-squares";
            default:
              return "singular-values";
          }
      }
    } // namespace


    Laboratory::Laboratory(const std::string &laboratory_directory,
                           const bool         keep,
                           const MPI_Comm     mpi_communicator)
      : directory(laboratory_directory)
      , keep_data(keep)
      , communicator(mpi_communicator)
      , is_root(Utilities::MPI::this_mpi_process(mpi_communicator) == 0)
    {
      collectively(communicator, [&]() {
        if (!is_root)
          return;
        store = std::make_unique<RowStore>(directory + "/rows");
        for (const char *const room : {"/data", "/work"})
          make_directory(directory + room);
      });
    }


    Laboratory::Dataset
    Laboratory::describe_dataset(
      const std::string              &configuration,
      const std::vector<std::string> &overrides) const
    {
      Dataset result{"", read_configuration(configuration, overrides)};
      result.path = directory + "/data/" + configuration + "-" +
                    text_hash(result.configuration.dataset_text) + ".h5";
      return result;
    }


    Laboratory::Task
    Laboratory::make_task(const Experiment &experiment) const
    {
      Task task;
      collectively(communicator, [&]() {
        task.experiment = experiment;
        task.configuration =
          read_configuration(experiment.configuration,
                             joined(experiment.data, experiment.learning));
        task.name = experiment.configuration + "-" + kind_name(experiment.kind);
        task.data = describe_dataset(experiment.configuration, experiment.data);
        task.key  = text("evergreen ",
                        EVERGREEN_VERSION,
                        "\n",
                        kind_name(experiment.kind),
                        "\n",
                        task.data.configuration.dataset_text);
        if (experiment.kind == Kind::learn)
          task.key += task.configuration.method_text +
                      (experiment.with_history ? "" : "last errors only\n");
        for (const std::string &test : experiment.tests)
          {
            task.tests.push_back(
              describe_dataset(experiment.configuration,
                               joined(experiment.data, {test})));
            task.key +=
              "tested on\n" + task.tests.back().configuration.dataset_text;
          }
      });
      return task;
    }


    std::optional<Measurement>
    Laboratory::find(const Task &task)
    {
      if (const auto found = known.find(task.key); found != known.end())
        return found->second;
      std::string content;
      collectively(communicator, [&]() {
        if (!is_root)
          return;
        std::string notice;
        const auto  found = store->find(task.name, task.key, notice);
        if (found)
          content = found->to_json(task.key);
        if (!notice.empty() && damaged.insert(task.key).second)
          std::cerr << "Notice: " << notice << "; it is computed again."
                    << std::endl;
      });
      content = Utilities::MPI::broadcast(communicator, content);
      if (content.empty())
        return std::nullopt;
      return known[task.key] = Measurement::from_json(content, task.key);
    }


    std::optional<Measurement>
    Laboratory::find(const Experiment &experiment)
    {
      return find(make_task(experiment));
    }


    std::string
    Laboratory::key(const Experiment &experiment) const
    {
      return make_task(experiment).key;
    }


    std::size_t
    Laboratory::plan(const std::vector<Experiment> &experiments)
    {
      std::set<std::string> to_do;
      for (const Experiment &experiment : experiments)
        {
          const Task task = make_task(experiment);
          if (find(task))
            continue;
          to_do.insert(task.key);
          users[task.data.path].insert(task.key);
          for (const Dataset &test : task.tests)
            users[test.path].insert(task.key);
        }
      return to_do.size();
    }


    /** Makes a dataset unless it is there; returns the seconds it took. */
    double
    Laboratory::provide(const Dataset &dataset)
    {
      const double start = MPI_Wtime();
      if (is_dataset_of(dataset.path,
                        dataset.configuration.dataset_text,
                        communicator))
        return 0;
      with_dimension(dataset.configuration.domain.dimension(),
                     [&](const auto dim) {
                       generate(DatasetSpace<dim.value>(dataset.configuration,
                                                        communicator),
                                dataset.configuration,
                                dataset.path,
                                /*resume=*/true,
                                /*quiet=*/true);
                     });
      if (is_root)
        {
          std::size_t size = 0;
          for (const auto &entry :
               std::filesystem::directory_iterator(directory + "/data"))
            if (entry.is_regular_file())
              size += entry.file_size();
          peak_size = std::max(peak_size, size);
        }
      return MPI_Wtime() - start;
    }


    Measurement
    Laboratory::measure(const Experiment &experiment, const std::string &title)
    {
      const Task task = make_task(experiment);
      if (const auto found = find(task))
        return *found;

      const double processor_start = processor_time();
      double       seconds         = provide(task.data);
      for (const Dataset &test : task.tests)
        seconds += provide(test);
      ExperimentFiles files;
      files.data = task.data.path;
      for (const Dataset &test : task.tests)
        files.tests.push_back(test.path);
      files.kernel =
        directory + "/work/" + task.name + "-" + text_hash(task.key);

      files.with_history = experiment.with_history;
      if (!experiment.pictures.empty())
        {
          files.report = directory + "/samples/" + experiment.pictures;
          collectively(communicator, [&]() {
            if (is_root)
              make_directory(files.report);
          });
        }

      Measurement result;
      switch (experiment.kind)
        {
          case Kind::learn:
            result =
              measure_learning(task.configuration, files, title, communicator);
            break;
          case Kind::least_squares:
            result = measure_least_squares(files, communicator);
            break;
          default:
            result = measure_singular_values(files, communicator);
        }
      result.seconds_data      = seconds;
      result.seconds_processor = processor_time() - processor_start;
      result.peak_memory       = peak_memory();
      result.date              = date_text();
      result.commit            = commit_text();
      collectively(communicator, [&]() {
        if (!is_root)
          return;
        store->save(task.name, task.key, result);
        remove_checkpoints(files.kernel);
      });
      known[task.key] = result;
      ++n_computed_;
      release(task);
      return result;
    }


    /** Removes the datasets that no planned experiment needs any more. */
    void
    Laboratory::release(const Task &task)
    {
      std::vector<Dataset> datasets = task.tests;
      datasets.push_back(task.data);
      for (const Dataset &dataset : datasets)
        {
          auto &keys = users[dataset.path];
          keys.erase(task.key);
          if (keys.empty() && !keep_data && is_root)
            {
              std::error_code ignored;
              std::filesystem::remove(dataset.path, ignored);
            }
        }
    }
  } // namespace Reproduce
} // namespace Evergreen
