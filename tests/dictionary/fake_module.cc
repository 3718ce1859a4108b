// A module in a file of its own, for the tests of the loader. It works like the
// naive evaluator and is made for the version EVERGREEN_FAKE_VERSION.

#include "fake_module.h"

extern "C" const Evergreen::BackendModule *
evergreen_backend_module(const int version)
{
  static const Evergreen::Testing::FakeModule module(
    {true, "a fake device", ""});
  return version == EVERGREEN_FAKE_VERSION ? &module : nullptr;
}
