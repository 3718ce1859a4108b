#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/surrogate/forcing_expression.h>

#include <deal.II/base/function_parser.h>

#include <map>

namespace Evergreen
{
  using namespace dealii;

  template <int dim>
  std::unique_ptr<Function<dim>>
  parse_forcing(const std::string &expression)
  {
    auto function = std::make_unique<FunctionParser<dim>>(1);
    try
      {
        const std::map<std::string, double> constants = {{"pi", numbers::PI}};
        function->initialize(FunctionParser<dim>::default_variable_names(),
                             expression,
                             constants);
        // The text is looked at when it is first needed.
        function->value(Point<dim>());
      }
    catch (const std::exception &)
      {
        throw UsageError("The formula '",
                         expression,
                         "' is not understood: write it in ",
                         FunctionParser<dim>::default_variable_names(),
                         " and pi, as in 'sin(pi*x)^2' (",
                         one_line_message(),
                         ").");
      }
    return function;
  }


  template std::unique_ptr<Function<1>>
  parse_forcing(const std::string &);
  template std::unique_ptr<Function<2>>
  parse_forcing(const std::string &);
  template std::unique_ptr<Function<3>>
  parse_forcing(const std::string &);
} // namespace Evergreen
