// What tests share: temporary directories, the bytes of a file and the message
// of an error.

#ifndef evergreen_tests_testing_h
#define evergreen_tests_testing_h

#include <evergreen/base/error.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

namespace Evergreen
{
  namespace Testing
  {
    /** A directory that is removed with everything in it. */
    class TemporaryDirectory
    {
    public:
      TemporaryDirectory()
      {
        std::string name =
          (std::filesystem::temp_directory_path() / "evergreen-XXXXXX")
            .string();
        if (mkdtemp(name.data()) == nullptr)
          throw std::runtime_error("no temporary directory");
        path_ = name;
      }

      ~TemporaryDirectory()
      {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
      }

      TemporaryDirectory(const TemporaryDirectory &) = delete;

      TemporaryDirectory &
      operator=(const TemporaryDirectory &) = delete;

      std::string
      operator/(const std::string &name) const
      {
        return (path_ / name).string();
      }

    private:
      std::filesystem::path path_;
    };


    /** The contents of a file. */
    inline std::string
    bytes_of(const std::string &path)
    {
      std::ifstream in(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    }


    /** Whether a text has a part. */
    inline bool
    contains(const std::string &text, const std::string &part)
    {
      return text.find(part) != std::string::npos;
    }


    /** The message of the Error that an action ends in, empty if in none. */
    template <typename Action>
    std::string
    error_of(const Action &action)
    {
      try
        {
          action();
        }
      catch (const Error &error)
        {
          return error.what();
        }
      return "";
    }


    /** Expects an Error of one line that contains @p words. */
    inline void
    expect_error(const std::function<void()> &action, const std::string &words)
    {
      try
        {
          action();
          ADD_FAILURE() << "no error; expected one with '" << words << "'";
        }
      catch (const Error &e)
        {
          const std::string message = e.what();
          EXPECT_NE(message.find(words), std::string::npos)
            << "message: " << message << "\nexpected: " << words;
          EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
  } // namespace Testing
} // namespace Evergreen

#endif
