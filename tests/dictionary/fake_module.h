// A backend module without a device: says what a test wants it to say, and
// makes the naive evaluator.

#ifndef evergreen_tests_fake_module_h
#define evergreen_tests_fake_module_h

#include <evergreen/base/error.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/dictionary/evaluator.h>
#include <evergreen/greedy/pointwise_engine.h>

namespace Evergreen
{
  namespace Testing
  {
    /** A module with a given status. */
    class FakeModule : public BackendModule
    {
    public:
      explicit FakeModule(const BackendStatus &status) : status(status)
      {}

      BackendStatus
      probe() const override
      {
        if (!probe_error.empty())
          throw Error(probe_error);
        return status;
      }

      std::unique_ptr<Evaluator>
      make_evaluator() const override
      {
        ++n_made;
        return Evergreen::make_evaluator("reference");
      }

      std::unique_ptr<PointwiseEngine>
      make_pointwise_engine() const override
      {
        return nullptr; // the evaluator does
      }

      BackendStatus status;
      std::string   probe_error;
      mutable int   n_made = 0;
    };


    /** Uses a module for a while. */
    class ModuleGuard
    {
    public:
      explicit ModuleGuard(const BackendModule &module)
      {
        register_cuda_module(&module);
      }
      ~ModuleGuard()
      {
        register_cuda_module(nullptr);
      }
      ModuleGuard(const ModuleGuard &) = delete;
      ModuleGuard &
      operator=(const ModuleGuard &) = delete;
    };
  } // namespace Testing
} // namespace Evergreen

#endif
