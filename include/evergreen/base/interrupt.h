// Ctrl-C and SIGTERM as a flag that long loops look at.

#ifndef evergreen_base_interrupt_h
#define evergreen_base_interrupt_h

namespace Evergreen
{
  /**
   * While an object of this class lives, SIGINT and SIGTERM set a flag instead
   * of ending the program, so that long work can stop at a point where nothing
   * is lost. A second signal ends the program at once.
   */
  class InterruptGuard
  {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard &) = delete;
    InterruptGuard &
    operator=(const InterruptGuard &) = delete;

    /** Whether a signal has come since the guard was made. */
    static bool
    requested();

  private:
    using Handler = void (*)(int);
    Handler previous_interrupt;
    Handler previous_terminate;
  };
} // namespace Evergreen

#endif
