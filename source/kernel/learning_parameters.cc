#include <evergreen/base/error.h>
#include <evergreen/kernel/learning_parameters.h>

#include <algorithm>
#include <sstream>

namespace Evergreen
{
  using namespace dealii;

  void
  LearningParameters::add_method_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Dictionary");
    prm.add_parameter("Family",
                      family,
                      "The atoms: 'relu' are the ridge functions "
                      "max(w.y + b, 0)^k of the paper.",
                      Patterns::Selection("relu"));
    prm.add_parameter("Power",
                      power,
                      "The power k of the ReLU atoms.",
                      Patterns::Integer(1, 4));
    prm.add_parameter("Size",
                      size,
                      "How many random atoms every iteration chooses from.",
                      Patterns::Integer(1, 1 << 20));
    prm.add_parameter("Seed", seed, "The seed of the random atoms.");
    prm.leave_subsection();

    prm.enter_subsection("Greedy");
    prm.add_parameter("Method",
                      method,
                      "'pw-oga' learns every slice G(x_s, .) for itself, "
                      "'oga' the whole kernel G(x, y) with common atoms.",
                      Patterns::Selection("pw-oga|oga"));
    prm.add_parameter("Neurons",
                      neurons,
                      "The largest number of atoms, per slice for pw-oga. "
                      "More than the rank of the data has no use; learning "
                      "then stops at the rank.",
                      Patterns::Integer(1, 1 << 20));
    prm.add_parameter("Selection",
                      selection,
                      "The best atom has the largest correlation with the "
                      "residual ('plain', as in the paper) or the largest "
                      "per unit of its norm.",
                      Patterns::Selection("plain|normalised"));
    prm.add_parameter("Search precision",
                      precision,
                      "The precision of the search of OGA; projections are "
                      "always double. PW-OGA finds the same atoms with both.",
                      Patterns::Selection("double|single"));
    prm.add_parameter("Stopping",
                      stopping,
                      "'neurons' takes as many as asked for; 'validation' "
                      "holds samples out, and keeps the number of neurons "
                      "with the smallest error on them.",
                      Patterns::Selection("neurons|validation"));
    prm.add_parameter("Tolerance",
                      tolerance,
                      "Stop at this relative training error.",
                      Patterns::Double(0));
    prm.add_parameter("Validation share",
                      validation_share,
                      "The share of the training samples that is held out if "
                      "'Stopping' is 'validation'.",
                      Patterns::Double(0, 1));
    prm.add_parameter("Patience",
                      patience,
                      "Stop when the best validation error is this many "
                      "neurons old; 0 never stops early.",
                      Patterns::Integer(0));
    prm.add_parameter("Quadrature",
                      quadrature,
                      "How atoms are integrated against forcings: by the "
                      "finite elements' Gauss points, or by the paper's "
                      "Monte-Carlo rule at the nodes.",
                      Patterns::Selection("fe|monte-carlo"));
    prm.add_parameter("Sensors",
                      sensors,
                      "The points at which the solution is wanted, as in "
                      "'0.1, 0.2; 0.3, 0.4' (the nearest nodes are taken); "
                      "empty for all nodes where u is not given. For pw-oga.");
    prm.leave_subsection();
  }


  void
  LearningParameters::add_parameters(ParameterHandler &prm)
  {
    add_method_parameters(prm);
    prm.enter_subsection("Compute");
    prm.add_parameter("Backend",
                      backend,
                      "What evaluates the dictionary: 'reference' is slow and "
                      "simple, for checking; 'auto' takes the fastest.",
                      Patterns::Selection("auto|cpu|reference"));
    prm.add_parameter("Memory",
                      memory,
                      "The memory of each rank for dictionaries and bases, in "
                      "GiB.",
                      Patterns::Double(0));
    prm.leave_subsection();
  }


  void
  LearningParameters::check() const
  {
    if (!(memory > 0))
      throw UsageError("'Memory' in section 'Compute' must be positive.");
    if (uses_validation() && !(validation_share > 0 && validation_share < 1))
      throw UsageError(
        "'Validation share' in section 'Greedy' must be "
        "between 0 and 1 for 'Stopping' = validation.");
    if (method == "oga" && !sensors.empty())
      throw UsageError(
        "'Sensors' in section 'Greedy' are for the method "
        "pw-oga; the method oga learns the whole kernel.");
    sensor_points();
    greedy_parameters().check();
  }


  GreedyParameters
  LearningParameters::greedy_parameters() const
  {
    GreedyParameters greedy;
    greedy.n_neurons = neurons;
    greedy.tolerance = tolerance;
    greedy.patience  = uses_validation() ? patience : 0;
    greedy.selection =
      selection == "plain" ? Selection::plain : Selection::normalised;
    greedy.precision = precision == "double"
                         ? SearchPrecision::double_precision
                         : SearchPrecision::single_precision;
    greedy.backend   = backend == "auto" ? "cpu" : backend;
    greedy.memory    = static_cast<std::size_t>(memory * (1 << 30));
    return greedy;
  }


  std::vector<std::vector<double>>
  LearningParameters::sensor_points() const
  {
    std::vector<std::vector<double>> points;
    std::istringstream               list(sensors);
    for (std::string item; std::getline(list, item, ';');)
      {
        std::replace(item.begin(), item.end(), ',', ' ');
        std::istringstream numbers(item);
        points.emplace_back();
        for (double x; numbers >> x;)
          points.back().push_back(x);
        if (!numbers.eof() || points.back().empty())
          throw UsageError("'Sensors' in section 'Greedy' has '",
                           item,
                           "', which is not a point: write them as in '0.1, "
                           "0.2; 0.3, 0.4'.");
      }
    return points;
  }
} // namespace Evergreen
