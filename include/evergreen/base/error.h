// The error that every part of Evergreen throws for bad input, files and
// solvers: one line that names the culprit and the remedy.

#ifndef evergreen_base_error_h
#define evergreen_base_error_h

#include <sstream>
#include <stdexcept>
#include <string>

namespace Evergreen
{
  /** Writes all arguments, one after the other, into one string. */
  template <typename... Parts>
  std::string
  text(const Parts &...parts)
  {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
  }


  /**
   * An error whose message is meant for the user: a single line that names the
   * file, key or value at fault and says what to do about it. The constructor
   * concatenates its arguments:
   * @code
   *   throw Error("Cannot open '", path, "': ", reason, ".");
   * @endcode
   */
  class Error : public std::runtime_error
  {
  public:
    template <typename... Parts>
    explicit Error(const Parts &...parts) : std::runtime_error(text(parts...))
    {}
  };


  /** The user asked for something impossible: a wrong key, value or option. */
  class UsageError : public Error
  {
  public:
    using Error::Error;
  };
} // namespace Evergreen

#endif
