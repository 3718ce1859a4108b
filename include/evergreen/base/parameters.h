// Reading .prm files and --set overrides with errors that name the culprit.

#ifndef evergreen_base_parameters_h
#define evergreen_base_parameters_h

#include <evergreen/base/compat.h>

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Reads the .prm file @p path into the declared parameters of @p prm. A
   * missing file, an undeclared key or a value outside its pattern gives a
   * UsageError of one line, which names the command @p lister as the one that
   * knows all keys.
   */
  void
  parse_parameter_file(const std::string        &path,
                       dealii::ParameterHandler &prm,
                       const std::string &lister = "evergreen parameters");

  /**
   * Reads .prm text that came from somewhere else, for example from the
   * attribute of a dataset; @p origin names it in error messages.
   */
  void
  parse_parameter_text(const std::string        &content,
                       const std::string        &origin,
                       dealii::ParameterHandler &prm,
                       const std::string &lister = "evergreen parameters");

  /**
   * Applies overrides of the form "Section/Key=value", as given to --set.
   */
  void
  apply_overrides(const std::vector<std::string> &overrides,
                  dealii::ParameterHandler       &prm,
                  const std::string &lister = "evergreen parameters");

  /**
   * The .prm text of those parameters of @p prm that @p selection declares, as
   * the user wrote them and in a fixed order: what goes into the files that
   * Evergreen writes. Changes the values in @p selection.
   */
  std::string
  select_parameters(const dealii::ParameterHandler &prm,
                    dealii::ParameterHandler       &selection);

  /**
   * The same for the sections of some parameter structs, for example
   * <tt>text_of_sections(prm, domain, forcing)</tt>; only their types matter.
   */
  template <typename... Sections>
  std::string
  text_of_sections(const dealii::ParameterHandler &prm, Sections... sections)
  {
    dealii::ParameterHandler selection;
    (sections.add_parameters(selection), ...);
    return select_parameters(prm, selection);
  }
} // namespace Evergreen

#endif
