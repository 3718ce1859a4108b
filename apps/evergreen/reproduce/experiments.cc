#include "experiments.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>

#include <algorithm>
#include <utility>

namespace Evergreen
{
  namespace Reproduce
  {
    std::string
    column_name(const Column column)
    {
      switch (column)
        {
          case Column::relu:
            return "ReLU";
          case Column::best:
            return "best";
          case Column::least_squares:
            return "least squares";
          default:
            return "singular values";
        }
    }


    std::vector<Table>
    all_tables()
    {
      std::vector<Table> tables  = paper_tables();
      const auto         further = further_tables();
      tables.insert(tables.end(), further.begin(), further.end());
      return tables;
    }


    std::vector<Table>
    tables_named(const std::vector<std::string> &names)
    {
      const auto  all = all_tables();
      std::string known;
      for (const Table &table : all)
        known += (known.empty() ? "" : ", ") + table.name;
      for (const std::string &name : names)
        if (std::none_of(all.begin(), all.end(), [&](const Table &table) {
              return table.name == name;
            }))
          throw UsageError(
            "There is no table '", name, "'; the tables are ", known, ".");
      std::vector<Table> result;
      for (const Table &table : all)
        if (names.empty() ||
            std::find(names.begin(), names.end(), table.name) != names.end())
          result.push_back(table);
      return result;
    }


    namespace
    {
      /** The .prm file of a ready-made configuration, for example disk_log. */
      std::string
      configuration_path(const std::string &name)
      {
        const std::string file = "configs/" + name + ".prm";
        try
          {
            return find_shipped_file("apps/" + file); // in the source tree
          }
        catch (const Error &)
          {
            return find_shipped_file(file); // where it is installed
          }
      }
    } // namespace


    const Configuration &
    read_configuration(const std::string              &name,
                       const std::vector<std::string> &overrides)
    {
      static std::map<std::pair<std::string, std::vector<std::string>>,
                      Configuration>
                 known;
      const auto key   = std::make_pair(name, overrides);
      auto       found = known.find(key);
      if (found == known.end())
        found =
          known
            .emplace(key,
                     Configuration::read(configuration_path(name), overrides))
            .first;
      return found->second;
    }


    std::vector<std::string>
    joined(std::vector<std::string>        first,
           const std::vector<std::string> &second)
    {
      first.insert(first.end(), second.begin(), second.end());
      return first;
    }


    Experiment
    reduced(const Experiment &experiment)
    {
      Experiment                     small = experiment;
      const std::vector<std::string> settings =
        joined(experiment.data, experiment.learning);
      const Configuration &original =
        read_configuration(experiment.configuration, settings);
      const auto n_samples =
        std::min<std::size_t>(original.dataset.n_training_samples, 120);
      small.data.push_back(text("Dataset/Training samples=", n_samples));
      small.data.emplace_back("Dataset/Test samples=20");
      small.learning.push_back(
        text("Greedy/Neurons=",
             std::min<std::size_t>(original.learning.neurons, 16)));
      if (original.learning.method == "oga")
        small.learning.emplace_back("Dictionary/Size=64");
      // To look for the best dictionary takes long in the plane; interval and
      // cube do it in tests as well.
      if (original.domain.dimension() == 2)
        {
          if (original.learning.family == "auto")
            small.learning.emplace_back("Dictionary/Family=mixed");
          if (original.learning.family != "relu" &&
              original.learning.function == "auto")
            small.learning.emplace_back("Dictionary/Function=log");
        }
      if (original.domain.name != "interval")
        small.pictures.clear();
      else
        {
          small.data.emplace_back("Domain/Subdivisions=60");
          small.data.emplace_back("Forcing/Length=0.1");
        }
      if (original.domain.name == "cube")
        small.data.emplace_back("Domain/Subdivisions=4");
      return small;
    }
  } // namespace Reproduce
} // namespace Evergreen
