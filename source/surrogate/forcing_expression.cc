#include <evergreen/fem/formula.h>
#include <evergreen/surrogate/forcing_expression.h>

namespace Evergreen
{
  template <int dim>
  std::unique_ptr<dealii::Function<dim>>
  parse_forcing(const std::string &expression)
  {
    return parse_formula<dim>(expression);
  }


  template std::unique_ptr<dealii::Function<1>>
  parse_forcing(const std::string &);
  template std::unique_ptr<dealii::Function<2>>
  parse_forcing(const std::string &);
  template std::unique_ptr<dealii::Function<3>>
  parse_forcing(const std::string &);
} // namespace Evergreen
