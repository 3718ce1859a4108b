#include "probe.h"

#include <cuda_runtime.h>

#include <cstdio>

// The oldest architecture that the module has code for, such as 75.
#ifndef EVERGREEN_CUDA_OLDEST
#  define EVERGREEN_CUDA_OLDEST 75
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
    } // namespace


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

      int            device     = 0;
      cudaDeviceProp properties = {};
      cudaError_t    status     = cudaGetDevice(&device);
      if (status == cudaSuccess)
        status = cudaGetDeviceProperties(&properties, device);
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
      if (10 * properties.major + properties.minor < EVERGREEN_CUDA_OLDEST)
        return unusable(std::string("the device is too old: ") + description +
                        ", and " + std::to_string(EVERGREEN_CUDA_OLDEST / 10) +
                        "." + std::to_string(EVERGREEN_CUDA_OLDEST % 10) +
                        " is needed");
      return {true, description, ""};
    }
  } // namespace Cuda
} // namespace Evergreen
