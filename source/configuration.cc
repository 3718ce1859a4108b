#include <evergreen/base/error.h>
#include <evergreen/base/parameters.h>
#include <evergreen/configuration.h>
#include <evergreen/twin/twin_mesh.h>

namespace Evergreen
{
  void
  RunParameters::add_parameters(dealii::ParameterHandler &prm)
  {
    domain.add_parameters(prm);
    forcing.add_parameters(prm);
    dataset.add_parameters(prm);
    learning.add_parameters(prm);
  }


  void
  RunParameters::check() const
  {
    domain.check();
    forcing.check();
    dataset.check();
    learning.check();
  }


  void
  RunParameters::require_domain(const std::string &name,
                                const std::string &reason) const
  {
    if (domain.name != name)
      throw UsageError("'Domain/Name = ",
                       domain.name,
                       "' is not possible here: ",
                       reason,
                       ".");
  }


  void
  RunParameters::require_all_slices() const
  {
    if (learning.method != "pw-oga" || !learning.sensors.empty())
      throw UsageError(
        "This program needs all slices of the kernel: leave "
        "'Greedy/Method' and 'Greedy/Sensors' alone.");
  }


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
    learning.add_parameters(prm);
    twin.add_parameters(prm);
  }


  void
  Configuration::check() const
  {
    RunParameters::check();
    problem.check();
    twin.check();
  }


  void
  Configuration::require_problem(const std::string &name,
                                 const std::string &reason) const
  {
    if (problem.name != name)
      throw UsageError("'Problem/Name = ",
                       problem.name,
                       "' is not possible here: ",
                       reason,
                       ".");
  }


  Configuration
  Configuration::read(const std::string              &path,
                      const std::vector<std::string> &overrides)
  {
    Configuration            configuration;
    dealii::ParameterHandler prm;
    configuration.add_parameters(prm);
    if (!path.empty())
      parse_parameter_file(path, prm);
    apply_overrides(overrides, prm);
    if (configuration.forcing.automatic_length)
      {
        prm.enter_subsection("Forcing");
        prm.set("Length",
                training_lengths(configuration.domain, configuration.twin));
        prm.leave_subsection();
      }
    configuration.check();

    // The numbers are passed on as text, so that no digit is lost.
    Configuration            defaults;
    dealii::ParameterHandler dataset_prm;
    defaults.add_dataset_parameters(dataset_prm);
    configuration.dataset_text = select_parameters(prm, dataset_prm);
    dealii::ParameterHandler method_prm;
    defaults.learning.add_method_parameters(method_prm);
    configuration.method_text = select_parameters(prm, method_prm);
    return configuration;
  }


  Configuration
  Configuration::from_dataset_text(const std::string &text,
                                   const std::string &origin)
  {
    Configuration            configuration;
    dealii::ParameterHandler prm;
    configuration.add_dataset_parameters(prm);
    parse_parameter_text(text, origin, prm);
    configuration.dataset_text = text;
    return configuration;
  }
} // namespace Evergreen
