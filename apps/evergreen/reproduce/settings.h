// The settings that experiments are made of: what the paper does, what we do
// instead, and the four problems in the plane.

#ifndef evergreen_app_reproduce_settings_h
#define evergreen_app_reproduce_settings_h

#include "experiments.h"

#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  namespace Reproduce
  {
    /** Overrides "Section/Key=value" of a configuration. */
    using Overrides = std::vector<std::string>;

    /** The paper's: ReLU atoms, dictionaries of 512, a number of neurons. */
    Overrides
    relu(const std::string &method, unsigned int neurons);

    /** Full OGA in the plane, with the paper's Monte-Carlo quadrature. */
    Overrides
    relu_full(unsigned int neurons);

    /** Ours: a dictionary found by trying, and what else helps. */
    Overrides
    best(unsigned int neurons, const Overrides &more = {});

    std::string
    wavelength(double value);

    /** The wavelengths that kernels are tested on: 0.5, 0.2 and 0.1. */
    Overrides
    all_wavelengths();

    /** ReLU, best (unless it is empty) and least squares for the same data. */
    std::map<Column, Experiment>
    side_by_side(const std::string &configuration,
                 const Overrides   &data,
                 const Overrides   &relu_setting,
                 const Overrides   &best_setting,
                 const Overrides   &tests = {});

    /** Asks for pictures of the kernels and of a solution. */
    std::map<Column, Experiment>
    with_pictures(std::map<Column, Experiment> experiments);


    /** The four problems of Tables 3 and 5: what the paper prints, by rows.
     */
    struct PlaneProblem
    {
      const char *configuration;
      const char *label;
      double      pointwise_02, pointwise_01, full_02;
      const char *others_02;
      const char *others_01;

      /**
       * Neurons of full OGA: the authors take 1,024; for Poisson fewer are
       * below their figure.
       */
      unsigned int full_neurons;

      /** How many atoms fundamental solutions are shown with. */
      unsigned int few_atoms;
    };

    /** Poisson and Helmholtz on disk and H. */
    const std::vector<PlaneProblem> &
    plane_problems();

    /** A problem with data of a wavelength, tested on all wavelengths. */
    std::map<Column, Experiment>
    plane_experiments(const PlaneProblem &problem, double length);
  } // namespace Reproduce
} // namespace Evergreen

#endif
