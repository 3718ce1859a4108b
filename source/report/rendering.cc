// The way from figures to pictures: finding Python and calling the program
// that draws.

#include <evergreen/base/error.h>
#include <evergreen/base/locations.h>
#include <evergreen/report/figure.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace Evergreen
{
  namespace
  {
    /** A word that the shell takes as it is. */
    std::string
    quoted(const std::string &word)
    {
      std::string result = "'";
      for (const char c : word)
        if (c == '\'')
          result += "'\\''";
        else
          result += c;
      return result + "'";
    }


    /** The exit status of a command and the last line that it said. */
    struct Outcome
    {
      int         status = -1;
      std::string last_line;
    };

    Outcome
    run(const std::string &command)
    {
      Outcome     outcome;
      FILE *const pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
      if (pipe == nullptr)
        return outcome;
      std::string line;
      for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        if (c != '\n')
          line += static_cast<char>(c);
        else
          {
            if (!line.empty())
              outcome.last_line = line;
            line.clear();
          }
      if (!line.empty())
        outcome.last_line = line;
      const int status = pclose(pipe);
      outcome.status   = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      return outcome;
    }


    std::vector<std::string>
    pythons()
    {
      if (const char *const named = std::getenv("EVERGREEN_PYTHON"))
        return {named};
      return {"python3", "/usr/bin/python3"};
    }
  } // namespace


  std::string
  render_figures(const std::string &directory)
  {
    if (figure_names(directory).empty())
      return text("there are no figures in '", directory, "'");
    std::string program;
    try
      {
        program = find_shipped_file("pictures/render.py");
      }
    catch (const Error &error)
      {
        return error.what();
      }
    for (const std::string &python : pythons())
      if (run(quoted(python) + " -c 'import matplotlib'").status == 0)
        {
          const Outcome outcome = run(quoted(python) + " " + quoted(program) +
                                      " " + quoted(directory));
          if (outcome.status == 0)
            return "";
          return text("'", program, "' failed: ", outcome.last_line);
        }
    return text(
      "no Python with matplotlib was found (on Debian: apt-get "
      "install python3-matplotlib); then 'evergreen pictures ",
      directory,
      "' makes them");
  }
} // namespace Evergreen
