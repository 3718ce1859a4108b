// Looking for a device that this module can use.

#ifndef evergreen_cuda_probe_h
#define evergreen_cuda_probe_h

#include <evergreen/dictionary/backend_module.h>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * Which of @p n_devices devices this process works on: the ranks of a
     * machine share them evenly.
     */
    int
    device_number(int n_devices);

    /**
     * The device that this process would work on: usable if there is a driver,
     * a device, and code for its compute capability. Never throws.
     */
    BackendStatus
    probe_device();
  } // namespace Cuda
} // namespace Evergreen

#endif
