// The parts of the module that its entrance puts together, and the search for a
// device that it can use.

#ifndef evergreen_cuda_module_h
#define evergreen_cuda_module_h

#include <evergreen/dictionary/backend_module.h>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * Whether a device of the given compute @p capability, such as 89, can run
     * code that was made for @p architectures, such as "75-real,80-real,90":
     * binary code suits later devices of the same generation, PTX (all but
     * "real") all later devices.
     */
    bool
    has_code(const std::string &architectures, int capability);

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

    /**
     * The backend "cuda" of full OGA, and of everything that wants coordinates.
     * Threads that call at once take turns, since there is one device.
     */
    std::unique_ptr<Evaluator>
    make_evaluator();

    /** The backend "cuda" of PW-OGA. */
    std::unique_ptr<PointwiseEngine>
    make_pointwise_engine();
  } // namespace Cuda
} // namespace Evergreen

#endif
