// Looking for a device that this module can use.

#ifndef evergreen_cuda_probe_h
#define evergreen_cuda_probe_h

#include <evergreen/dictionary/backend_module.h>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * The device that is current in this process: usable if there is a driver,
     * a device, and code for its compute capability. Never throws.
     */
    BackendStatus
    probe_device();
  } // namespace Cuda
} // namespace Evergreen

#endif
