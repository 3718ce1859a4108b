#include <evergreen/base/error.h>
#include <evergreen/fem/formula.h>

#include <deal.II/base/function_parser.h>

#include <algorithm>
#include <iostream>
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


    std::string
    trimmed(const std::string &text)
    {
      const auto begin = text.find_first_not_of(" \t\n");
      if (begin == std::string::npos)
        return "";
      return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
    }


    bool
    is_number(const std::string &text)
    {
      return !text.empty() && text.size() < 10 &&
             text.find_first_not_of("0123456789") == std::string::npos;
    }


    /**
     * The numbers before a colon, if they are numbers or "all": other colons
     * belong to formulas ("x < 0 ? 1 : 2").
     */
    std::optional<std::vector<unsigned int>>
    numbers_before_colon(const std::string &entry, const std::size_t colon)
    {
      std::vector<unsigned int> numbers;
      if (colon == std::string::npos)
        return {};
      const std::string label = trimmed(entry.substr(0, colon));
      if (label == "all")
        return numbers;
      for (const auto &part : split_list(label, ','))
        {
          if (!is_number(part))
            return {};
          numbers.push_back(static_cast<unsigned int>(std::stoul(part)));
        }
      return numbers;
    }
  } // namespace


  template <int dim>
  std::unique_ptr<Function<dim>>
  parse_formula(const std::string &formula, const std::string &what)
  {
    auto function = std::make_unique<FunctionParser<dim>>(1);
    // deal.II prints what is wrong, and throws an exception that does not say.
    const CapturedErrors errors;
    try
      {
        const std::map<std::string, double> constants = {{"pi", numbers::PI}};
        function->initialize(FunctionParser<dim>::default_variable_names(),
                             formula,
                             constants);
        // The text is looked at when it is first needed.
        function->value(Point<dim>());
      }
    catch (const std::exception &)
      {
        throw UsageError(what,
                         " '",
                         formula,
                         "' is not understood: write it in ",
                         FunctionParser<dim>::default_variable_names(),
                         " and pi, as in 'sin(pi*x)^2' (",
                         errors.message(),
                         ").");
      }
    return function;
  }


  std::vector<std::string>
  split_list(const std::string &list, const char separator)
  {
    std::vector<std::string> parts;
    if (trimmed(list).empty())
      return parts;
    parts.emplace_back();
    int depth = 0;
    for (const char c : list)
      {
        depth += (c == '(') - (c == ')');
        if (c == separator && depth == 0)
          parts.emplace_back();
        else
          parts.back() += c;
      }
    std::transform(parts.begin(), parts.end(), parts.begin(), trimmed);
    return parts;
  }


  std::vector<unsigned int>
  parse_numbers(const std::string &list, const std::string &key)
  {
    std::vector<unsigned int> numbers;
    for (const std::string &part : split_list(list, ','))
      {
        if (!is_number(part))
          throw UsageError(key,
                           " has '",
                           part,
                           "', which is no number: write '0, 2'.");
        numbers.push_back(static_cast<unsigned int>(std::stoul(part)));
      }
    return numbers;
  }


  std::vector<NumberedFormula>
  parse_numbered_formulas(const std::string &list, const std::string &key)
  {
    std::vector<NumberedFormula> result;
    for (const std::string &entry : split_list(list, ';'))
      {
        const auto colon   = entry.find(':');
        const auto numbers = numbers_before_colon(entry, colon);
        result.push_back({numbers.value_or(std::vector<unsigned int>()),
                          trimmed(numbers ? entry.substr(colon + 1) : entry)});
        if (result.back().formula.empty())
          throw UsageError(key,
                           " = '",
                           list,
                           "' lacks a formula: write '1: x; 2: 100*(1+x)', or "
                           "one formula for all.");
      }
    return result;
  }


  template <int dim>
  NumberedFunctions<dim>::NumberedFunctions(
    const std::string               &list,
    const std::vector<unsigned int> &n_components,
    const std::string               &key)
    : key_(key)
  {
    for (const auto &entry : parse_numbered_formulas(list, key))
      {
        const auto components = split_list(entry.formula, ',');
        if (std::find(n_components.begin(),
                      n_components.end(),
                      components.size()) == n_components.end())
          {
            std::string allowed;
            for (const unsigned int n : n_components)
              allowed += (allowed.empty() ? "" : " or ") + std::to_string(n);
            throw UsageError(key,
                             " = '",
                             entry.formula,
                             "' has ",
                             components.size(),
                             " components; in ",
                             dim,
                             "D it has ",
                             allowed,
                             ", separated by commas.");
          }
        const auto parse = [&]() {
          Functions functions;
          for (const auto &component : components)
            functions.push_back(
              parse_formula<dim>(component, "The formula of " + key));
          return functions;
        };
        const auto twice = [&](const std::string &what) {
          return UsageError(key, " has two formulas for ", what, ".");
        };
        if (entry.numbers.empty() && for_others_)
          throw twice("all others");
        if (entry.numbers.empty())
          for_others_ = parse();
        for (const unsigned int number : entry.numbers)
          if (!by_number_.emplace(number, parse()).second)
            throw twice(std::to_string(number));
      }
  }


  template <int dim>
  std::vector<unsigned int>
  NumberedFunctions<dim>::numbers() const
  {
    std::vector<unsigned int> result;
    for (const auto &entry : by_number_)
      result.push_back(entry.first);
    return result;
  }


  template <int dim>
  const typename NumberedFunctions<dim>::Functions &
  NumberedFunctions<dim>::of(const unsigned int number) const
  {
    const auto found = by_number_.find(number);
    if (found != by_number_.end())
      return found->second;
    if (!for_others_)
      throw UsageError(key_,
                       " has no formula for ",
                       number,
                       ", which the mesh has: add one, or one for all others.");
    return *for_others_;
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(parse_formula<dim>) parse_formula<dim>;                    \
  template class NumberedFunctions<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
