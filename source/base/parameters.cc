#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>

#include <deal.II/base/utilities.h>

#include <filesystem>
#include <fstream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    std::string
    advice(const std::string &lister)
    {
      return " ('" + lister + "' lists all keys and their values)";
    }

    void
    apply_override(const std::string &override,
                   ParameterHandler  &prm,
                   const std::string &lister)
    {
      const auto equals = override.find('=');
      if (equals == std::string::npos)
        throw UsageError("The override '",
                         override,
                         "' has no '=': write --set \"Section/Key=value\".");
      std::vector<std::string> path =
        Utilities::split_string_list(override.substr(0, equals), '/');
      if (path.size() < 2)
        throw UsageError("The override '",
                         override,
                         "' names no section: write --set "
                         "\"Section/Key=value\".");
      const std::string key = path.back();
      path.pop_back();
      if (!prm.subsection_path_exists(path))
        throw UsageError("There is no section '",
                         path.front(),
                         "' (from --set \"",
                         override,
                         "\")",
                         advice(lister),
                         ".");

      for (const auto &section : path)
        prm.enter_subsection(section);
      try
        {
          prm.get(key); // complains about unknown keys before we set anything
          prm.set(key, Utilities::trim(override.substr(equals + 1)));
        }
      catch (const ParameterHandler::ExcEntryUndeclared &)
        {
          throw UsageError("There is no key '",
                           key,
                           "' in section '",
                           path.back(),
                           "' (from --set \"",
                           override,
                           "\")",
                           advice(lister),
                           ".");
        }
      catch (...)
        {
          throw UsageError("The override '",
                           override,
                           "' is not possible: ",
                           one_line_message(),
                           advice(lister));
        }
      for (std::size_t i = 0; i < path.size(); ++i)
        prm.leave_subsection();
    }
  } // namespace


  void
  parse_parameter_text(const std::string &content,
                       const std::string &origin,
                       ParameterHandler  &prm,
                       const std::string &lister)
  {
    try
      {
        std::istringstream in(content);
        prm.parse_input(in, origin);
      }
    catch (...)
      {
        throw UsageError(one_line_message(), advice(lister));
      }
  }


  void
  parse_parameter_file(const std::string &path,
                       ParameterHandler  &prm,
                       const std::string &lister)
  {
    std::ifstream      in(path);
    std::ostringstream content;
    if (!in || std::filesystem::is_directory(path) || !(content << in.rdbuf()))
      throw UsageError("Cannot read the parameter file '",
                       path,
                       "': check its name and permissions (ready-made ones "
                       "are in apps/configs/).");
    parse_parameter_text(content.str(), path, prm, lister);
  }


  void
  apply_overrides(const std::vector<std::string> &overrides,
                  ParameterHandler               &prm,
                  const std::string              &lister)
  {
    for (const auto &override : overrides)
      apply_override(override, prm, lister);
  }


  std::string
  select_parameters(const ParameterHandler &prm, ParameterHandler &selection)
  {
    std::stringstream all, selected;
    prm.print_parameters(all, ParameterHandler::ShortPRM);
    selection.parse_input(all, "the parameters", "", true);
    selection.print_parameters(selected, ParameterHandler::ShortPRM);
    return selected.str();
  }
} // namespace Evergreen
