// Makes the emulated module the backend "cuda" of this test program, in the
// order of threads that the environment asks for.

#include "backends.h"
#include "emulation.h"

#include <evergreen/dictionary/backend_module.h>

#include <cstdlib>
#include <iostream>

namespace
{
  /** EVERGREEN_EMULATION_ORDER is forward, reverse or random. */
  bool
  prepare()
  {
    const char *const value = std::getenv("EVERGREEN_EMULATION_ORDER");
    const std::string order = value == nullptr ? "forward" : value;
    Emulation::set_order(order == "forward"   ? Emulation::Order::forward
                         : order == "reverse" ? Emulation::Order::reverse
                                              : Emulation::Order::random);
    Evergreen::register_cuda_module(
      evergreen_backend_module(Evergreen::backend_module_version));
    return true;
  }

  const bool is_prepared = prepare();


  /** Writes beyond arrays, and threads that wait for ever, fail every test. */
  class FaultListener : public ::testing::EmptyTestEventListener
  {
    void
    OnTestEnd(const ::testing::TestInfo &) override
    {
      if (!Emulation::last_fault().empty())
        ADD_FAILURE() << "a kernel failed: " << Emulation::last_fault();
      Emulation::heal();
    }
  };

  class FaultEnvironment : public ::testing::Environment
  {
    void
    SetUp() override
    {
      ::testing::UnitTest::GetInstance()->listeners().Append(new FaultListener);
    }
  };

  ::testing::Environment *const environment =
    ::testing::AddGlobalTestEnvironment(new FaultEnvironment);
} // namespace

namespace Evergreen
{
  namespace Testing
  {
    std::vector<std::string>
    backends_under_test()
    {
      return {"cuda"};
    }
  } // namespace Testing
} // namespace Evergreen
