// The CUDA module's entrance.

#include "evaluator.cuh"
#include "pointwise_engine.cuh"
#include "probe.h"

#include <evergreen/dictionary/backend_module.h>

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
          return std::make_unique<CudaEvaluator>();
        }

        std::unique_ptr<PointwiseEngine>
        make_pointwise_engine() const override
        {
          return std::make_unique<CudaPointwiseEngine>();
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
