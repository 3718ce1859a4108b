#include "configuration_files.h"

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>

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


    Configuration
    read_configuration(const std::string              &name,
                       const std::vector<std::string> &overrides)
    {
      return Configuration::read(configuration_path(name), overrides);
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
