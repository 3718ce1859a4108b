#include "settings.h"

#include <evergreen/base/error.h>

namespace Evergreen
{
  namespace Reproduce
  {
    namespace
    {
      // Neurons of PW-OGA by wavelength. (Wavelength 0.5 has 49 degrees of
      // freedom on the disk, 0.2 has 377.)
      constexpr unsigned int plane_neurons_05 = 32, plane_neurons_02 = 320,
                             plane_neurons_01 = 256;
    } // namespace

    Overrides
    relu(const std::string &method, const unsigned int neurons)
    {
      return {"Dictionary/Family=relu",
              "Dictionary/Power=1",
              "Dictionary/Size=512",
              "Greedy/Method=" + method,
              "Greedy/Selection=plain",
              text("Greedy/Neurons=", neurons)};
    }

    Overrides
    relu_full(const unsigned int neurons)
    {
      Overrides result = relu("oga", neurons);
      result.emplace_back("Greedy/Quadrature=monte-carlo");
      result.emplace_back("Greedy/Search precision=single");
      result.emplace_back("Greedy/Basis precision=single");
      return result;
    }

    Overrides
    best(const unsigned int neurons, const Overrides &more)
    {
      Overrides result = {"Dictionary/Family=auto",
                          text("Greedy/Neurons=", neurons)};
      result.insert(result.end(), more.begin(), more.end());
      return result;
    }

    std::string
    wavelength(const double value)
    {
      return text("Forcing/Wavelength=", value);
    }

    Overrides
    all_wavelengths()
    {
      return {wavelength(0.5), wavelength(0.2), wavelength(0.1)};
    }


    std::map<Column, Experiment>
    side_by_side(const std::string &configuration,
                 const Overrides   &data,
                 const Overrides   &relu_setting,
                 const Overrides   &best_setting,
                 const Overrides   &tests)
    {
      std::map<Column, Experiment> result;
      result[Column::relu] = {
        Kind::learn, configuration, data, relu_setting, tests};
      if (!best_setting.empty())
        result[Column::best] = {
          Kind::learn, configuration, data, best_setting, tests};
      result[Column::least_squares] = {
        Kind::least_squares, configuration, data, {}, tests};
      return result;
    }


    std::map<Column, Experiment>
    with_pictures(std::map<Column, Experiment> experiments)
    {
      for (const Column column : {Column::relu, Column::best})
        {
          Experiment &experiment = experiments.at(column);
          experiment.pictures =
            experiment.configuration + "-" + column_name(column);
        }
      return experiments;
    }


    const std::vector<PlaneProblem> &
    plane_problems()
    {
      static const std::vector<PlaneProblem> problems = {
        {"disk_poisson",
         "Poisson, disk",
         8.5628e-4,
         9.1918e-2,
         1.7499e-1,
         "GL 4.05e-2, DeepONet 3.39e-1",
         "GL 1.99e-1, DeepONet 7.35e-1",
         384,
         128},
        {"h_poisson",
         "Poisson, H",
         7.1716e-4,
         6.8071e-2,
         3.7873e-1,
         "GL 7.13e-2, DeepONet 4.99e-1",
         "GL 1.56e-1, DeepONet 8.92e-1",
         384,
         192},
        {"disk_helmholtz",
         "Helmholtz, disk",
         1.6378e-4,
         1.1407e-1,
         5.5332e-1,
         "GL 1.48e-1, DeepONet 2.15e-1",
         "GL 2.42e-1, DeepONet 6.40e-1",
         1024,
         192},
        {"h_helmholtz",
         "Helmholtz, H",
         6.1449e-4,
         1.1402e-1,
         4.6881e-1,
         "GL 2.06e-1, DeepONet 2.49e-1",
         "GL 2.68e-1, DeepONet 8.22e-1",
         1024,
         256}};
      return problems;
    }


    std::map<Column, Experiment>
    plane_experiments(const PlaneProblem &problem, const double length)
    {
      const unsigned int neurons     = length == 0.5   ? plane_neurons_05
                                       : length == 0.2 ? plane_neurons_02
                                                       : plane_neurons_01;
      const auto         experiments = side_by_side(problem.configuration,
                                            {wavelength(length)},
                                            relu("pw-oga", neurons),
                                            best(neurons),
                                            all_wavelengths());
      return length == 0.2 ? with_pictures(experiments) : experiments;
    }
  } // namespace Reproduce
} // namespace Evergreen
