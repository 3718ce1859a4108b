// Which backend a run takes, with devices that are there, missing or broken,
// and what is said about modules that cannot be opened.

#include "dictionary/fake_module.h"
#include "testing.h"

#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>

#include <cstdlib>

using namespace Evergreen;
using Testing::FakeModule;
using Testing::ModuleGuard;

namespace
{
  /** Sets EVERGREEN_CUDA_MODULE for a while. */
  class ModuleVariable
  {
  public:
    explicit ModuleVariable(const std::string &path)
    {
      setenv("EVERGREEN_CUDA_MODULE", path.c_str(), 1);
    }
    ~ModuleVariable()
    {
      unsetenv("EVERGREEN_CUDA_MODULE");
    }
  };


  BackendInfo
  info_of(const std::string &name)
  {
    for (const BackendInfo &backend : list_backends())
      if (backend.name == name)
        return backend;
    throw std::runtime_error("no backend " + name);
  }


  /** Everybody must give the same reason. */
  void
  expect_reason(const std::string &reason)
  {
    const BackendInfo cuda = info_of("cuda");
    EXPECT_FALSE(cuda.status.usable);
    EXPECT_NE(cuda.status.reason.find(reason), std::string::npos)
      << cuda.status.reason;
    const BackendChoice choice = choose_backend("auto", MPI_COMM_SELF);
    EXPECT_EQ(choice.name, "cpu");
    EXPECT_NE(choice.reason.find(reason), std::string::npos) << choice.reason;
    Testing::expect_error([]() { choose_backend("cuda", MPI_COMM_SELF); },
                          reason);
    Testing::expect_error([]() { make_evaluator("cuda"); }, reason);
  }
} // namespace


TEST(Backends, AllNamesAreListedAndUnknownOnesRefused)
{
  for (const std::string name : {"cpu", "cuda", "reference"})
    EXPECT_TRUE(info_of(name).name == name);
  EXPECT_EQ(list_backends().size(), 3u);
  for (const std::string name : {"cpu", "reference"})
    {
      EXPECT_TRUE(info_of(name).built);
      EXPECT_TRUE(info_of(name).status.usable);
      EXPECT_EQ(choose_backend(name, MPI_COMM_SELF).name, name);
      EXPECT_EQ(choose_backend(name, MPI_COMM_SELF).description(), name);
    }
  EXPECT_THROW(choose_backend("abacus", MPI_COMM_SELF), UsageError);
  EXPECT_THROW(make_evaluator("auto"), UsageError);
}


TEST(Backends, AutoTakesAUsableDevice)
{
  const FakeModule  module({true, "Abacus 9000", ""});
  const ModuleGuard guard(module);
  EXPECT_EQ(info_of("cuda").status.device, "Abacus 9000");
  for (const std::string wanted : {"auto", "cuda"})
    {
      const BackendChoice choice = choose_backend(wanted, MPI_COMM_SELF);
      EXPECT_EQ(choice.name, "cuda");
      EXPECT_EQ(choice.description(), "cuda (Abacus 9000)");
    }
  EXPECT_EQ(choose_backend("cpu", MPI_COMM_SELF).name, "cpu");
  EXPECT_NE(make_evaluator("cuda"), nullptr);
  EXPECT_EQ(module.n_made, 1);
}


TEST(Backends, ADeviceThatCannotBeUsedIsNeverUsed)
{
  const FakeModule  module({false, "", "the abacus is too old"});
  const ModuleGuard guard(module);
  expect_reason("the abacus is too old");
  EXPECT_EQ(module.n_made, 0);
}


TEST(Backends, AProbeThatThrowsIsAReason)
{
  FakeModule module({true, "Abacus 9000", ""});
  module.probe_error = "a bead fell off";
  const ModuleGuard guard(module);
  expect_reason("a bead fell off");
}


TEST(Backends, ModulesThatCannotBeOpened)
{
  const Testing::TemporaryDirectory directory;
  {
    const std::string    missing = directory / "missing.so";
    const ModuleVariable variable(missing);
    expect_reason("there is no module '" + missing + "'");
  }
  {
    const std::string garbage = directory / "garbage.so";
    std::ofstream(garbage) << "This is no library, but a rather long sentence "
                              "that claims to be one.";
    const ModuleVariable variable(garbage);
    expect_reason("cannot be loaded: " + garbage + ": ");
    // The answer stays the same.
    expect_reason("cannot be loaded: " + garbage + ": ");
    EXPECT_EQ(info_of("cuda").module, garbage);
  }
  {
    const ModuleVariable variable(EVERGREEN_FOREIGN_LIBRARY);
    expect_reason("is not a module of Evergreen");
  }
  {
    const ModuleVariable variable(EVERGREEN_OUTDATED_MODULE);
    expect_reason("another version of Evergreen");
  }
}


TEST(Backends, AModuleFromAFile)
{
  const ModuleVariable variable(EVERGREEN_FAKE_MODULE);
  const BackendInfo    cuda = info_of("cuda");
  EXPECT_TRUE(cuda.status.usable);
  EXPECT_EQ(cuda.module, EVERGREEN_FAKE_MODULE);
  EXPECT_EQ(choose_backend("auto", MPI_COMM_SELF).description(),
            "cuda (a fake device)");
  EXPECT_NE(make_evaluator("cuda"), nullptr);
}
