// Fibres: functions with stacks of their own that give way to each other.

#ifndef evergreen_tests_fibres_h
#define evergreen_tests_fibres_h

#include <cstddef>
#include <functional>
#include <memory>

namespace Emulation
{
  /**
   * A fibre runs a function again and again: resume() lets it run until it
   * calls pause() or the function returns. Only one runs at a time, and all
   * belong to the thread that resumes them.
   */
  class Fibre
  {
  public:
    Fibre();
    ~Fibre();
    Fibre(const Fibre &) = delete;
    Fibre &
    operator=(const Fibre &) = delete;

    /** Runs the function from its beginning at the next resume(). */
    void
    start(const std::function<void()> *function);

    /** Whether the function has returned. */
    bool
    finished() const;

    /** Lets it run; returns when it pauses or ends. */
    void
    resume();

    /** Gives way to who called resume(); for the running fibre. */
    static void
    pause();

  private:
    struct Context;
    std::unique_ptr<Context> context;
  };
} // namespace Emulation

#endif
