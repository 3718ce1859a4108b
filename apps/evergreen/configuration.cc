#include "configuration.h"

#include <evergreen/base/parameters.h>

namespace Evergreen
{
  void
  Configuration::add_dataset_parameters(dealii::ParameterHandler &prm)
  {
    domain.add_parameters(prm);
    problem.add_parameters(prm);
    forcing.add_parameters(prm);
    dataset.add_parameters(prm);
  }


  void
  Configuration::add_parameters(dealii::ParameterHandler &prm)
  {
    add_dataset_parameters(prm);
  }


  void
  Configuration::check() const
  {
    domain.check();
    problem.check();
    forcing.check();
    dataset.check();
  }


  Configuration
  Configuration::read(const std::string              &path,
                      const std::vector<std::string> &overrides)
  {
    Configuration            configuration;
    dealii::ParameterHandler prm;
    configuration.add_parameters(prm);
    parse_parameter_file(path, prm);
    apply_overrides(overrides, prm);
    configuration.check();
    return configuration;
  }


  std::string
  Configuration::dataset_text() const
  {
    // Declaring a copy makes its present values the defaults that are printed.
    Configuration            copy = *this;
    dealii::ParameterHandler prm;
    copy.add_dataset_parameters(prm);
    return parameters_as_text(prm);
  }
} // namespace Evergreen
