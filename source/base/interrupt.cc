#include <evergreen/base/interrupt.h>

#include <csignal>

namespace Evergreen
{
  namespace
  {
    volatile std::sig_atomic_t interrupt_requested = 0;

    extern "C" void
    evergreen_on_signal(const int signal)
    {
      interrupt_requested = 1;
      // The next signal of this kind meets the default action.
      std::signal(signal, SIG_DFL);
    }
  } // namespace


  InterruptGuard::InterruptGuard()
  {
    interrupt_requested = 0;
    previous_interrupt  = std::signal(SIGINT, evergreen_on_signal);
    previous_terminate  = std::signal(SIGTERM, evergreen_on_signal);
  }


  InterruptGuard::~InterruptGuard()
  {
    std::signal(SIGINT, previous_interrupt);
    std::signal(SIGTERM, previous_terminate);
  }


  bool
  InterruptGuard::requested()
  {
    return interrupt_requested != 0;
  }
} // namespace Evergreen
