// The ready-made configurations, found by name.

#ifndef evergreen_app_reproduce_configuration_files_h
#define evergreen_app_reproduce_configuration_files_h

#include <evergreen/configuration.h>

#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** The .prm file of a ready-made configuration, for example disk_log. */
    std::string
    configuration_path(const std::string &name);

    /**
     * Reads it, with some overrides; only once, because the documents ask for
     * the same ones again and again. Not for several threads.
     */
    const Configuration &
    read_configuration(const std::string              &name,
                       const std::vector<std::string> &overrides);

    /** One list of overrides after the other. */
    std::vector<std::string>
    joined(std::vector<std::string>        first,
           const std::vector<std::string> &second);
  } // namespace Reproduce
} // namespace Evergreen

#endif
