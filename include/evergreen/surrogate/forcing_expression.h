// Forcings given by a formula.

#ifndef evergreen_surrogate_forcing_expression_h
#define evergreen_surrogate_forcing_expression_h

#include <evergreen/base/compat.h>

#include <deal.II/base/function.h>

#include <memory>
#include <string>

namespace Evergreen
{
  /**
   * The function of a muParser expression in x, y, z and pi, for example
   * <tt>sin(pi*x)*exp(-y^2)</tt>. A UsageError tells what is wrong with a bad
   * one.
   */
  template <int dim>
  std::unique_ptr<dealii::Function<dim>>
  parse_forcing(const std::string &expression);
} // namespace Evergreen

#endif
