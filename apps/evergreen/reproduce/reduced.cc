// Experiments in small.

#include "configuration_files.h"
#include "experiments.h"

#include <evergreen/base/error.h>

#include <algorithm>

namespace Evergreen
{
  namespace Reproduce
  {
    Experiment
    reduced(const Experiment &experiment)
    {
      Experiment           small = experiment;
      const Configuration &original =
        read_configuration(experiment.configuration,
                           joined(experiment.data, experiment.learning));
      const auto n_samples =
        std::min<std::size_t>(original.dataset.n_training_samples, 120);
      small.data.push_back(text("Dataset/Training samples=", n_samples));
      small.data.emplace_back("Dataset/Test samples=20");
      small.learning.push_back(
        text("Greedy/Neurons=",
             std::min<std::size_t>(original.learning.neurons, 16)));
      if (original.learning.method == "oga")
        small.learning.emplace_back("Dictionary/Size=64");
      // To look for the best dictionary takes long in the plane; interval and
      // cube do it in tests as well.
      if (original.domain.dimension() == 2)
        {
          if (original.learning.family == "auto")
            small.learning.emplace_back("Dictionary/Family=mixed");
          if (original.learning.family != "relu" &&
              original.learning.function == "auto")
            small.learning.emplace_back("Dictionary/Function=log");
        }
      if (original.domain.name != "interval")
        small.pictures.clear();
      else
        {
          small.data.emplace_back("Domain/Subdivisions=60");
          small.data.emplace_back("Forcing/Length=0.1");
        }
      if (original.domain.name == "cube")
        small.data.emplace_back("Domain/Subdivisions=4");
      return small;
    }
  } // namespace Reproduce
} // namespace Evergreen
