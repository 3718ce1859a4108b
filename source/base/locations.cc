#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/base/version.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace Evergreen
{
  std::string
  find_shipped_file(const std::string &name)
  {
    std::vector<std::filesystem::path> directories;
    if (const char *const variable = std::getenv("EVERGREEN_DATA"))
      directories.emplace_back(variable);
    directories.emplace_back(EVERGREEN_SOURCE_DIRECTORY);
    directories.emplace_back(EVERGREEN_INSTALL_DATA_DIRECTORY);

    std::string searched;
    for (const auto &directory : directories)
      {
        if (std::filesystem::exists(directory / name))
          return (directory / name).string();
        searched += (searched.empty() ? "'" : ", '") + directory.string() + "'";
      }
    throw Error("Cannot find Evergreen's file '",
                name,
                "' in ",
                searched,
                ": set the environment variable EVERGREEN_DATA to the "
                "directory that holds it.");
  }


  void
  make_directory(const std::string &path)
  {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
      throw Error(
        "Cannot make the directory '", path, "': ", error.message(), ".");
  }


  void
  replace_file(const std::string                              &path,
               const std::function<void(const std::string &)> &write)
  {
    const std::string beside = path + ".new";
    std::error_code   error;
    try
      {
        write(beside);
      }
    catch (...)
      {
        std::filesystem::remove(beside, error);
        throw;
      }
    std::filesystem::rename(beside, path, error);
    if (error)
      throw Error("Cannot write '", path, "': ", error.message(), ".");
  }
} // namespace Evergreen
