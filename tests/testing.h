// What tests share: temporary directories and the message of an error.

#ifndef evergreen_tests_testing_h
#define evergreen_tests_testing_h

#include <evergreen/base/error.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
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
        path_ = mkdtemp(name.data());
      }

      ~TemporaryDirectory()
      {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
      }

      std::string
      operator/(const std::string &name) const
      {
        return (path_ / name).string();
      }

    private:
      std::filesystem::path path_;
    };


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
