#include <evergreen/base/error.h>
#include <evergreen/surrogate/forcing_expression.h>

#include <deal.II/base/function_parser.h>

#include <iostream>
#include <map>
#include <sstream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Keeps what others write to standard error. */
    class CapturedErrors
    {
    public:
      CapturedErrors() : before_(std::cerr.rdbuf(text_.rdbuf()))
      {}
      ~CapturedErrors()
      {
        std::cerr.rdbuf(before_);
      }

      /** The text between < and > after "Message:". */
      std::string
      message() const
      {
        const std::string text  = text_.str();
        const auto        start = text.find("Message:");
        const auto        begin = text.find('<', start);
        const auto        end   = text.find(">\n", begin);
        if (start == std::string::npos || begin == std::string::npos ||
            end == std::string::npos)
          return "it cannot be parsed";
        return text.substr(begin + 1, end - begin - 1);
      }

    private:
      std::ostringstream text_;
      std::streambuf    *before_;
    };
  } // namespace


  template <int dim>
  std::unique_ptr<Function<dim>>
  parse_forcing(const std::string &expression)
  {
    auto function = std::make_unique<FunctionParser<dim>>(1);
    // deal.II prints what is wrong, and throws an exception that does not say.
    const CapturedErrors errors;
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
                         errors.message(),
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
