#include "console.h"

#include <evergreen/base/error.h>

#include <unistd.h>

#include <cmath>
#include <iomanip>
#include <iostream>

namespace Evergreen
{
  std::string
  duration_text(const double seconds)
  {
    std::ostringstream out;
    if (seconds < 60)
      out << std::fixed << std::setprecision(seconds < 9.95 ? 2 : 0) << seconds
          << " s";
    else if (seconds < 3600)
      out << static_cast<int>(seconds) / 60 << " min " << std::setw(2)
          << std::setfill('0') << static_cast<int>(seconds) % 60 << " s";
    else
      out << static_cast<int>(seconds) / 3600 << " h " << std::setw(2)
          << std::setfill('0') << static_cast<int>(seconds) / 60 % 60 << " min";
    return out.str();
  }


  std::string
  json_number(const double value)
  {
    if (!std::isfinite(value))
      return "null";
    std::ostringstream out;
    out << std::setprecision(17) << value;
    return out.str();
  }


  std::string
  json_text(const std::string &value)
  {
    std::ostringstream out;
    out << '"';
    for (const char c : value)
      if (c == '"' || c == '\\')
        out << '\\' << c;
      else if (static_cast<unsigned char>(c) < 0x20)
        out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << int(c);
      else
        out << c;
    out << '"';
    return out.str();
  }


  void
  print_history(const LearningHistory &history)
  {
    const auto cell = [](const double value) {
      std::ostringstream out;
      if (std::isfinite(value))
        out << std::scientific << std::setprecision(3) << value;
      else
        out << "-";
      return out.str();
    };
    std::cout << "neurons   training  validation        test      kernel\n";
    for (std::size_t i = 0; i < history.neurons.size(); ++i)
      {
        const auto n          = history.neurons[i];
        const bool is_a_level = (n & (n - 1)) == 0;
        if (is_a_level || i + 1 == history.neurons.size())
          std::cout << std::setw(7) << n << std::setw(11)
                    << cell(history.train_error[i]) << std::setw(12)
                    << cell(history.validation_error[i]) << std::setw(12)
                    << cell(history.test_error[i]) << std::setw(12)
                    << cell(history.kernel_error[i]) << "\n";
      }
  }


  ProgressBar::ProgressBar(const std::string &bar_title, const bool is_enabled)
    : title(bar_title)
    , enabled(is_enabled)
    , on_terminal(isatty(STDERR_FILENO) == 1)
    , start(Clock::now())
    , last_drawn(start)
  {}


  ProgressBar::~ProgressBar()
  {
    if (line_is_drawn)
      std::cerr << "\r\033[K" << std::flush;
  }


  void
  ProgressBar::update(const std::size_t  n_done,
                      const std::size_t  n_total,
                      const std::string &remark)
  {
    if (!enabled || n_total == 0)
      return;
    const auto now = Clock::now();
    if (!started)
      {
        started    = true;
        first_done = n_done;
        start      = now;
      }

    const double share = static_cast<double>(n_done) / n_total;
    if (!on_terminal)
      {
        const int quarter = static_cast<int>(4 * share);
        if (quarter > last_quarter)
          std::cerr << title << ": " << n_done << " of " << n_total
                    << (remark.empty() ? "" : ", " + remark) << std::endl;
        last_quarter = std::max(last_quarter, quarter);
        return;
      }
    if (line_is_drawn && n_done < n_total &&
        now - last_drawn < std::chrono::milliseconds(100))
      return;
    last_drawn    = now;
    line_is_drawn = true;

    constexpr int width   = 30;
    const int     filled  = static_cast<int>(std::lround(share * width));
    const double  elapsed = std::chrono::duration<double>(now - start).count();
    std::cerr << "\r\033[K" << title << " [" << std::string(filled, '#')
              << std::string(width - filled, '.') << "] " << n_done << "/"
              << n_total;
    if (n_done > first_done && n_done < n_total)
      std::cerr << ", "
                << duration_text(elapsed * (n_total - n_done) /
                                 (n_done - first_done))
                << " left";
    if (!remark.empty())
      std::cerr << ", " << remark;
    std::cerr << std::flush;
  }
} // namespace Evergreen
