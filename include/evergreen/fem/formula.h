// Formulas of parameter files: as functions of deal.II, and in lists by number.

#ifndef evergreen_fem_formula_h
#define evergreen_fem_formula_h

#include <deal.II/base/function.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * The function of a formula in x, y, z and pi, such as "sin(pi*x)^2". Throws
   * a UsageError that starts with @p what and says what is wrong with it.
   */
  template <int dim>
  std::unique_ptr<dealii::Function<dim>>
  parse_formula(const std::string &formula,
                const std::string &what = "The formula");

  /**
   * The parts of a list between separators that are in no brackets, without
   * the blanks around them; an empty list has no parts.
   */
  std::vector<std::string>
  split_list(const std::string &list, const char separator);

  /** The numbers of a list such as "0, 2"; a UsageError names the @p key. */
  std::vector<unsigned int>
  parse_numbers(const std::string &list, const std::string &key);


  /** A formula and the numbers it is for; none stand for all others. */
  struct NumberedFormula
  {
    std::vector<unsigned int> numbers;
    std::string               formula;
  };

  /**
   * Takes a list such as "1, 3: x; 2: 100*(1+x)" to pieces. "all: x" and a
   * formula alone are for all numbers that are not named. A UsageError names
   * the @p key.
   */
  std::vector<NumberedFormula>
  parse_numbered_formulas(const std::string &list, const std::string &key);


  /**
   * Vectors of functions by number, such as the components of a coefficient by
   * material: from a list of formulas as above, each of which has its
   * components between commas.
   */
  template <int dim>
  class NumberedFunctions
  {
  public:
    /** The components of a vector. */
    using Functions = std::vector<std::unique_ptr<dealii::Function<dim>>>;

    /**
     * The allowed numbers of components are @p n_components; @p key names the
     * list in errors. An empty list has no functions.
     */
    NumberedFunctions(const std::string               &list,
                      const std::vector<unsigned int> &n_components,
                      const std::string               &key);

    bool
    empty() const
    {
      return !for_others_ && by_number_.empty();
    }

    /** Whether there are functions for all numbers that are not named. */
    bool
    has_others() const
    {
      return for_others_.has_value();
    }

    /** The numbers that are named. */
    std::vector<unsigned int>
    numbers() const;

    /** The functions of a number. A UsageError says that it has none. */
    const Functions &
    of(const unsigned int number) const;

  private:
    std::string                       key_;
    std::map<unsigned int, Functions> by_number_;
    std::optional<Functions>          for_others_;
  };
} // namespace Evergreen

#endif
