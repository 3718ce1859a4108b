// The CUDA module's entrance, and the search for a device.

#include "module.h"

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/greedy/pointwise_engine.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

// What the module has code for, set by the build system.
#ifndef EVERGREEN_CUDA_ARCHITECTURES
#  define EVERGREEN_CUDA_ARCHITECTURES "75"
#endif

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      BackendStatus
      unusable(const std::string &reason)
      {
        // Errors of the runtime stay until they are asked for.
        cudaGetLastError();
        return {false, "", reason};
      }


      std::string
      version_text(const int version)
      {
        return std::to_string(version / 1000) + "." +
               std::to_string(version % 1000 / 10);
      }


      /** Why the devices could not be counted. */
      std::string
      reason_of(const cudaError_t error)
      {
        if (error == cudaErrorNoDevice)
          return "there is no NVIDIA GPU (or CUDA_VISIBLE_DEVICES hides it)";
        int driver = 0, runtime = 0;
        if (error == cudaErrorInsufficientDriver)
          {
            if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
              return "there is no NVIDIA driver";
            cudaRuntimeGetVersion(&runtime);
            return "the NVIDIA driver is for CUDA " + version_text(driver) +
                   ", and " + version_text(runtime) + " is needed";
          }
        return std::string("the CUDA runtime reports '") +
               cudaGetErrorString(error) + "'";
      }


      // The number of this rank on its machine, as launchers tell it.
      int
      local_rank()
      {
        for (const char *name :
             {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"})
          if (const char *const value = std::getenv(name))
            return std::max(0, std::atoi(value));
        return 0;
      }


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
          return Cuda::make_evaluator();
        }

        std::unique_ptr<PointwiseEngine>
        make_pointwise_engine() const override
        {
          return Cuda::make_pointwise_engine();
        }
      };
    } // namespace


    bool
    has_code(const std::string &architectures, const int capability)
    {
      std::istringstream list(architectures);
      for (std::string entry; std::getline(list, entry, ',');)
        {
          const int  number = std::atoi(entry.c_str());
          const bool binary = entry.find("-virtual") == std::string::npos;
          const bool ptx    = entry.find("-real") == std::string::npos;
          if (capability >= number &&
              (ptx || (binary && capability / 10 == number / 10)))
            return true;
        }
      return false;
    }


    int
    device_number(const int n_devices)
    {
      return n_devices > 1 ? local_rank() % n_devices : 0;
    }


    BackendStatus
    probe_device()
    {
      // A failing call leaves its argument as it is.
      int               n_devices = 0;
      const cudaError_t error     = cudaGetDeviceCount(&n_devices);
      if (error != cudaSuccess)
        return unusable(reason_of(error));
      if (n_devices == 0)
        return unusable(reason_of(cudaErrorNoDevice));

      cudaDeviceProp    properties = {};
      const cudaError_t status =
        cudaGetDeviceProperties(&properties, device_number(n_devices));
      if (status != cudaSuccess)
        return unusable(reason_of(status));

      char description[400];
      std::snprintf(description,
                    sizeof(description),
                    "%s, %.1f GiB, compute capability %d.%d",
                    properties.name,
                    static_cast<double>(properties.totalGlobalMem) / (1 << 30),
                    properties.major,
                    properties.minor);
      if (!has_code(EVERGREEN_CUDA_ARCHITECTURES,
                    10 * properties.major + properties.minor))
        return unusable(std::string("there is no code for the device ") +
                        description + ", but for the architectures " +
                        EVERGREEN_CUDA_ARCHITECTURES);
      return {true, description, ""};
    }
  } // namespace Cuda
} // namespace Evergreen


extern "C" const Evergreen::BackendModule *
evergreen_backend_module(const int version)
{
  static const Evergreen::Cuda::Module module;
  return version == Evergreen::backend_module_version ? &module : nullptr;
}
