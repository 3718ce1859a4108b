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
   * UsageError of one line.
   */
  void
  parse_parameter_file(const std::string &path, dealii::ParameterHandler &prm);

  /**
   * Reads .prm text that came from somewhere else, for example from the
   * attribute of a dataset; @p origin names it in error messages.
   */
  void
  parse_parameter_text(const std::string        &content,
                       const std::string        &origin,
                       dealii::ParameterHandler &prm);

  /**
   * Applies overrides of the form "Section/Key=value", as given to --set.
   */
  void
  apply_overrides(const std::vector<std::string> &overrides,
                  dealii::ParameterHandler       &prm);

  /**
   * The .prm text of those parameters of @p prm that @p selection declares, as
   * the user wrote them and in a fixed order: what goes into the files that
   * Evergreen writes. Changes the values in @p selection.
   */
  std::string
  select_parameters(const dealii::ParameterHandler &prm,
                    dealii::ParameterHandler       &selection);
} // namespace Evergreen

#endif
