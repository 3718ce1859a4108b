// What the program shows on a terminal: a progress bar there, sparse lines
// elsewhere.

#ifndef evergreen_app_console_h
#define evergreen_app_console_h

#include <evergreen/kernel/learned_kernel.h>

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace Evergreen
{
  /**
   * Progress of long work. On a terminal one line is redrawn, with the share
   * done and the time that remains; elsewhere a line is printed for every
   * quarter of the work.
   */
  class ProgressBar
  {
  public:
    /** Writes to standard error if @p enabled (that is, on rank 0). */
    ProgressBar(const std::string &title, const bool enabled);

    /** Removes the bar from the terminal. */
    ~ProgressBar();
    ProgressBar(const ProgressBar &) = delete;
    ProgressBar &
    operator=(const ProgressBar &) = delete;

    /** @p remark is shown behind the bar. */
    void
    update(const std::size_t  n_done,
           const std::size_t  n_total,
           const std::string &remark = "");

  private:
    using Clock = std::chrono::steady_clock;

    std::string       title;
    bool              enabled;
    bool              on_terminal;
    Clock::time_point start;
    Clock::time_point last_drawn;
    std::size_t       first_done    = 0;
    bool              started       = false;
    int               last_quarter  = 0;
    bool              line_is_drawn = false;
  };

  /** Errors by number of neurons, where they are known, as a table. */
  void
  print_history(const LearningHistory &history);

  /** A number for JSON: all digits, and null for what is not a number. */
  std::string
  json_number(const double value);

  /** A string for JSON: in quotation marks, with escapes. */
  std::string
  json_text(const std::string &value);

  /** 12.3 s, 4 min 05 s, 2 h 10 min: how long a person would say it takes. */
  std::string
  duration_text(const double seconds);
} // namespace Evergreen

#endif
