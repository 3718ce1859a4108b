#include "experiments.h"
#include "tables.h"

#include <evergreen/base/error.h>

#include <algorithm>

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
  } // namespace Reproduce
} // namespace Evergreen
