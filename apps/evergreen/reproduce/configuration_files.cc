#include "configuration_files.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>

#include <map>
#include <utility>

namespace Evergreen
{
  namespace Reproduce
  {
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
  } // namespace Reproduce
} // namespace Evergreen
