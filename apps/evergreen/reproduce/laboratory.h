// Where experiments are done: it knows which are finished, shares datasets
// among those that are not, and loses nothing when it is interrupted.

#ifndef evergreen_app_reproduce_laboratory_h
#define evergreen_app_reproduce_laboratory_h

#include "experiments.h"
#include "measurement.h"
#include "procedures.h"

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /**
     * A directory with finished experiments (rows/), datasets that are still
     * needed (data/) and the checkpoints of the experiment in progress
     * (work/). All functions are collective.
     */
    class Laboratory
    {
    public:
      /**
       * With @p keep_data datasets stay; otherwise each is removed as soon as
       * no planned experiment needs it.
       */
      Laboratory(const std::string &directory,
                 const bool         keep_data,
                 const MPI_Comm     communicator);

      /** The result of an experiment if it was done before. */
      std::optional<Measurement>
      find(const Experiment &experiment);

      /** All that determines the result of an experiment, as text. */
      std::string
      key(const Experiment &experiment) const;

      /**
       * Announces experiments, so that their datasets are kept until all are
       * done. Those done before are left out. Returns how many are to do.
       */
      std::size_t
      plan(const std::vector<Experiment> &experiments);

      /** The result of an experiment, done now unless it was before. */
      Measurement
      measure(const Experiment &experiment, const std::string &title);

      /** The most bytes that datasets have taken at the same time. */
      std::size_t
      peak_data_size() const
      {
        return peak_size;
      }

      /** How many experiments were computed, not found. */
      std::size_t
      n_computed() const
      {
        return n_computed_;
      }

    private:
      /** A dataset: its file, and what makes it. */
      struct Dataset
      {
        std::string   path;
        Configuration configuration;
      };

      /** An experiment with all that follows from it. */
      struct Task
      {
        Experiment           experiment;
        Configuration        configuration;
        std::string          name, key;
        Dataset              data;
        std::vector<Dataset> tests;
      };

      std::string                                  directory;
      bool                                         keep_data;
      MPI_Comm                                     communicator;
      bool                                         is_root;
      std::unique_ptr<RowStore>                    store;
      std::map<std::string, Measurement>           known;
      std::map<std::string, std::set<std::string>> users; // keys by dataset
      std::set<std::string> damaged; // keys of rows that were not usable
      std::size_t           peak_size   = 0;
      std::size_t           n_computed_ = 0;

      Task
      make_task(const Experiment &experiment) const;

      Dataset
      describe_dataset(const std::string              &configuration,
                       const std::vector<std::string> &overrides) const;

      std::optional<Measurement>
      find(const Task &task);

      double
      provide(const Dataset &dataset);

      void
      release(const Task &task);
    };
  } // namespace Reproduce
} // namespace Evergreen

#endif
