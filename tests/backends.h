// One test body for all backends: suites derived from BackendTest run for each
// backend that the test program names, and are skipped, never passed, where a
// backend cannot work.

#ifndef evergreen_tests_backends_h
#define evergreen_tests_backends_h

#include <evergreen/dictionary/backends.h>
#include <evergreen/greedy/parameters.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    /** The backends of this test program, which defines the function. */
    std::vector<std::string>
    backends_under_test();

    /** The backend of the running test. */
    inline std::string &
    backend()
    {
      static std::string name = "cpu";
      return name;
    }

    /** A test that runs for every backend, whose name is its parameter. */
    class BackendTest : public ::testing::TestWithParam<std::string>
    {
    protected:
      void
      SetUp() override
      {
        backend() = GetParam();
        for (const BackendInfo &info : list_backends())
          if (info.name == GetParam() && !info.status.usable)
            GTEST_SKIP() << "no " << info.name << ": " << info.status.reason;
      }

      void
      TearDown() override
      {
        backend() = "cpu";
      }
    };

    /** The name of a test with a backend as parameter. */
    inline std::string
    backend_name(const ::testing::TestParamInfo<std::string> &info)
    {
      return info.param;
    }
  } // namespace Testing


  /** A run of so many neurons on the backend of the running test. */
  inline GreedyParameters
  with_neurons(const unsigned int n)
  {
    GreedyParameters parameters;
    parameters.n_neurons = n;
    parameters.backend   = Testing::backend();
    return parameters;
  }
} // namespace Evergreen

/** Runs a suite for all backends of the program. */
#define EVERGREEN_TEST_BACKENDS(suite)                                         \
  INSTANTIATE_TEST_SUITE_P(All,                                                \
                           suite,                                              \
                           ::testing::ValuesIn(                                \
                             Evergreen::Testing::backends_under_test()),       \
                           Evergreen::Testing::backend_name)

#endif
