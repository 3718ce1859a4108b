// The CUDA module's entrance.

#include "probe.h"

#include <evergreen/base/error.h>
#include <evergreen/dictionary/evaluator.h>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      class Module : public BackendModule
      {
      public:
        BackendStatus
        probe() const override
        {
          return probe_device();
        }

        std::unique_ptr<Evaluator>
        make_evaluator() const override
        {
          throw Error("The CUDA module has no evaluator yet.");
        }

        std::unique_ptr<PointwiseEngine>
        make_pointwise_engine() const override
        {
          throw Error("The CUDA module has no engine yet.");
        }
      };
    } // namespace
  } // namespace Cuda
} // namespace Evergreen


extern "C" const Evergreen::BackendModule *
evergreen_backend_module(const int version)
{
  static const Evergreen::Cuda::Module module;
  return version == Evergreen::backend_module_version ? &module : nullptr;
}
