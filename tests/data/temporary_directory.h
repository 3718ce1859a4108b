// What the tests of files share: a directory that removes itself, and the text
// of the error that a call ends in.

#ifndef evergreen_tests_temporary_directory_h
#define evergreen_tests_temporary_directory_h

#include <evergreen/base/error.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace EvergreenTests
{
  class TemporaryDirectory
  {
  public:
    TemporaryDirectory()
    {
      std::string pattern =
        (std::filesystem::temp_directory_path() / "evergreen.XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("no temporary directory");
      name = pattern;
    }

    ~TemporaryDirectory()
    {
      std::error_code ignored;
      std::filesystem::remove_all(name, ignored);
    }

    TemporaryDirectory(const TemporaryDirectory &) = delete;

    TemporaryDirectory &
    operator=(const TemporaryDirectory &) = delete;

    std::string
    operator/(const std::string &file) const
    {
      return name + "/" + file;
    }

  private:
    std::string name;
  };


  // The message of the Evergreen::Error that the function throws; empty if it
  // throws none.
  template <typename Function>
  std::string
  error_of(const Function &function)
  {
    try
      {
        function();
      }
    catch (const Evergreen::Error &error)
      {
        return error.what();
      }
    return "";
  }


  inline bool
  contains(const std::string &text, const std::string &part)
  {
    return text.find(part) != std::string::npos;
  }


  inline std::string
  bytes_of(const std::string &path)
  {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
} // namespace EvergreenTests

#endif
