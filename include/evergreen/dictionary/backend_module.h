// What a backend offers that is no part of the library but a module of its own,
// opened at run time. Only then does a program start on machines that lack the
// module's libraries. Plain C++17: a CUDA compiler reads this header, too.

#ifndef evergreen_dictionary_backend_module_h
#define evergreen_dictionary_backend_module_h

#include <memory>
#include <string>

namespace Evergreen
{
  class Evaluator;
  class PointwiseEngine;

  /** Whether a backend can work on this machine, and if not, why. */
  struct BackendStatus
  {
    bool usable = false;

    /** What it would work on: name, memory, compute capability. */
    std::string device;

    /** Why it is not usable: the end of a sentence, without a full stop. */
    std::string reason;
  };


  /**
   * What a backend that is loaded at run time offers. There is one object of
   * this class in a module, which lives as long as the process.
   */
  class BackendModule
  {
  public:
    virtual ~BackendModule() = default;

    /** Looks for a device. Does not throw. */
    virtual BackendStatus
    probe() const = 0;

    /** Makes an evaluator on the device. */
    virtual std::unique_ptr<Evaluator>
    make_evaluator() const = 0;

    /** Makes what does the whole point-wise iteration on the device. */
    virtual std::unique_ptr<PointwiseEngine>
    make_pointwise_engine() const = 0;
  };


  /** Changes whenever the classes above change. */
  constexpr int backend_module_version = 2;
} // namespace Evergreen


/**
 * The function that a module exports. Returns nullptr if the module was made
 * for another @p version of the classes above.
 */
extern "C" const Evergreen::BackendModule *
evergreen_backend_module(int version);

#endif
