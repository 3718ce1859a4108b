#include <evergreen/base/error.h>
#include <evergreen/learning/learning_parameters.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** The profiles by the names they have in parameter files. */
    struct NamedFunction
    {
      const char    *name;
      unsigned int   dim;
      RadialFunction function;
    };
    constexpr NamedFunction functions[] = {
      {"modulus", 1, RadialFunction::modulus},
      {"sine", 1, RadialFunction::sine},
      {"log", 2, RadialFunction::logarithm},
      {"Y0", 2, RadialFunction::neumann},
      {"K0", 2, RadialFunction::macdonald},
      {"poisson-2d", 2, RadialFunction::poisson_2d},
      {"inverse", 3, RadialFunction::inverse},
      {"cosine", 3, RadialFunction::cosine},
      {"exponential", 3, RadialFunction::exponential},
      {"poisson-3d", 3, RadialFunction::poisson_3d}};


    std::string
    function_names()
    {
      std::string names = "auto";
      for (const NamedFunction &entry : functions)
        names += std::string("|") + entry.name;
      return names;
    }
  } // namespace


  void
  LearningParameters::add_method_parameters(ParameterHandler &prm)
  {
    add_dictionary_parameters(prm);
    add_greedy_parameters(prm);
  }


  void
  LearningParameters::add_dictionary_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Dictionary");
    prm.add_parameter("Family",
                      family,
                      "The atoms: 'relu' are the ridge functions "
                      "max(w.y + b, 0)^k of the paper; 'fundamental' are "
                      "fundamental solutions centred at the response point or "
                      "outside of the domain; 'mixed' has both; 'auto' tries "
                      "them on a few slices and takes what validates best.",
                      Patterns::Selection("relu|fundamental|mixed|auto"));
    prm.add_parameter("Power",
                      power,
                      "The power k of the ReLU atoms.",
                      Patterns::Integer(1, 4));
    prm.add_parameter("Size",
                      size,
                      "How many random atoms every iteration chooses from.",
                      Patterns::Integer(1, 1 << 20));
    prm.add_parameter("Seed", seed, "The seed of the random atoms.");
    prm.add_parameter("ReLU share",
                      relu_share,
                      "The share of ReLU atoms in a mixed dictionary.",
                      Patterns::Double(0, 1));
    prm.add_parameter("Function",
                      function,
                      "The fundamental solution: 'modulus' r and 'sine' "
                      "sin(kappa r) in 1D; 'log' -log r, 'Y0' Y0(kappa r) and "
                      "'K0' K0(kappa r) in 2D; 'inverse' 1/r, 'cosine' "
                      "cos(kappa r)/r and 'exponential' exp(-kappa r)/r in 3D; "
                      "for boundary values also 'poisson-2d' 1/r^2 and "
                      "'poisson-3d' 1/r^3; 'auto' tries them.",
                      Patterns::Selection(function_names()));
    prm.add_parameter("Wave number",
                      wave_number,
                      "The wave number kappa of the fundamental solution; 0 "
                      "searches for it.",
                      Patterns::Double(0));
    prm.add_parameter("Wave number spread",
                      wave_number_spread,
                      "Atoms have wave numbers in an interval around it, this "
                      "much smaller and larger (relative): finite elements "
                      "change the wave number.",
                      Patterns::Double(0, 0.9));
    prm.add_parameter("Distance",
                      distance,
                      "The least distance of outer centres from the boundary, "
                      "in units of the cells' edges.",
                      Patterns::Double(0.01));
    prm.add_parameter("Far distance",
                      far_distance,
                      "The largest such distance, in units of the domain's "
                      "radius. The logarithm of the distance is uniform.",
                      Patterns::Double(0));
    prm.add_parameter("Frame of problem",
                      frame_of_problem,
                      "Where the problem 'elliptic' has an anisotropic "
                      "diffusion or advection: let atoms be functions of "
                      "|a^(-1/2) (x - y)|, times exp(-y.(b/a + grad ln a)/2), "
                      "with means over the domain. Not for ReLU atoms alone.",
                      Patterns::Bool());
    prm.leave_subsection();
  }


  void
  LearningParameters::add_greedy_parameters(ParameterHandler &prm)
  {
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
    prm.add_parameter("Rank share",
                      rank_share,
                      "With fundamental solutions and no samples held out: no "
                      "more atoms than this share of the rank of the data. "
                      "Closer to the rank the kernel fits the data exactly at "
                      "the expense of what they do not determine; 1 allows "
                      "it. For pw-oga.",
                      Patterns::Double(0.01, 1));
    prm.add_parameter("Selection",
                      selection,
                      "The best atom has the largest correlation with the "
                      "residual ('plain', as in the paper) or the largest "
                      "per unit of its norm; 'auto' is plain, but for "
                      "boundary values with fundamental solutions, of which "
                      "those with centres next to the boundary are large.",
                      Patterns::Selection("auto|plain|normalised"));
    prm.add_parameter(
      "Search precision",
      precision,
      "The precision of the search of OGA; projections are "
      "always double. PW-OGA, where it matters on a device only, "
      "finds the same atoms with all of them.",
      Patterns::Selection("double|single|tf32"));
    prm.add_parameter("Basis precision",
                      basis_precision,
                      "The precision in which OGA keeps its orthonormal "
                      "basis. 'single' needs half the memory and less time, "
                      "and is enough for errors above 1e-6.",
                      Patterns::Selection("double|single"));
    add_stopping_parameters(prm);
    prm.leave_subsection();
  }


  void
  LearningParameters::add_stopping_parameters(ParameterHandler &prm)
  {
    prm.add_parameter("Stopping",
                      stopping,
                      "'neurons' takes as many as asked for; 'validation' "
                      "holds samples out, and keeps the number of neurons "
                      "with the smallest error on them; 'auto' does that if "
                      "the data are noisy or fewer than the forcings' degrees "
                      "of freedom.",
                      Patterns::Selection("auto|neurons|validation"));
    prm.add_parameter("Tolerance",
                      tolerance,
                      "Stop at this relative training error.",
                      Patterns::Double(0));
    prm.add_parameter("Validation share",
                      validation_share,
                      "The share of the training samples that is held out for "
                      "validation.",
                      Patterns::Double(0, 1));
    prm.add_parameter("Patience",
                      patience,
                      "Stop when the best validation error is this many "
                      "neurons old; 0 never stops early.",
                      Patterns::Integer(0));
    prm.add_parameter(
      "Regularisation",
      regularisation,
      "The weight mu of a Tikhonov term mu^2 |g|^2, relative to "
      "the mean energy of the forcings per degree of freedom. "
      "The data see a kernel only through the forcings' span; "
      "this keeps the rest quiet.",
      Patterns::Double(0));
    prm.add_parameter("Reciprocity",
                      reciprocity,
                      "Use that G(x, y) = G(y, x), for symmetric problems: "
                      "the kernel is asked to vanish where y is on the "
                      "boundary, and is symmetrised. For pw-oga.",
                      Patterns::Bool());
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
  }


  void
  LearningParameters::add_parameters(ParameterHandler &prm)
  {
    add_method_parameters(prm);
    prm.enter_subsection("Compute");
    prm.add_parameter("Backend",
                      backend,
                      "What evaluates the dictionary: 'cuda' is a GPU, 'cpu' "
                      "the processor, 'reference' slow and simple, for "
                      "checking; 'auto' takes the GPU if all ranks have a "
                      "usable one, and the processor otherwise ('evergreen "
                      "backends' tells what is there).",
                      Patterns::Selection("auto|cpu|cuda|reference"));
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
    if (stopping != "neurons" &&
        !(validation_share > 0 && validation_share < 1))
      throw UsageError(
        "'Validation share' in section 'Greedy' must be "
        "between 0 and 1 unless 'Stopping' = neurons.");
    if (method == "oga" && !sensors.empty())
      throw UsageError(
        "'Sensors' in section 'Greedy' are for the method "
        "pw-oga; the method oga learns the whole kernel.");
    if (reciprocity && (method == "oga" || !sensors.empty()))
      throw UsageError(
        "'Reciprocity' in section 'Greedy' needs all slices: it is for the "
        "method pw-oga without sensors.");
    sensor_points();
    greedy_parameters().check();
  }


  GreedyParameters
  LearningParameters::greedy_parameters() const
  {
    GreedyParameters greedy;
    greedy.n_neurons = neurons;
    greedy.tolerance = tolerance;
    greedy.patience  = patience;
    greedy.selection =
      selection == "normalised" ? Selection::normalised : Selection::plain;
    greedy.precision = precision == "double" ? SearchPrecision::double_precision
                       : precision == "single"
                         ? SearchPrecision::single_precision
                         : SearchPrecision::tensor_precision;
    greedy.single_basis = basis_precision == "single";
    greedy.backend      = backend == "auto" ? "cpu" : backend;
    greedy.memory       = static_cast<std::size_t>(memory * (1 << 30));
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


  RadialFunction
  LearningParameters::radial_function(const unsigned int dim) const
  {
    std::string fitting;
    for (const NamedFunction &entry : functions)
      if (entry.dim == dim)
        {
          if (function == entry.name)
            return entry.function;
          fitting += std::string(fitting.empty() ? "" : ", ") + entry.name;
        }
    throw UsageError("'Function' in section 'Dictionary' is '",
                     function,
                     "', which is no fundamental solution in ",
                     dim,
                     "D: choose one of ",
                     fitting,
                     ", or auto.");
  }


  std::vector<std::size_t>
  response_nodes(const MeshData                         &mesh,
                 const std::vector<std::vector<double>> &sensors)
  {
    const auto candidates = free_nodes(mesh);
    if (candidates.empty())
      throw Error(
        "The dataset has no node at which the solution could be "
        "learned: all of them are boundary nodes.");
    if (sensors.empty())
      return candidates;

    std::vector<std::size_t> nodes;
    for (const auto &sensor : sensors)
      {
        if (sensor.size() != mesh.dim)
          throw UsageError("A point of 'Sensors' in section 'Greedy' has ",
                           sensor.size(),
                           " coordinates, but the domain has dimension ",
                           mesh.dim,
                           ".");
        const auto square_distance = [&](const std::size_t node) {
          double square = 0;
          for (unsigned int d = 0; d < mesh.dim; ++d)
            square += std::pow(mesh.points[node * mesh.dim + d] - sensor[d], 2);
          return square;
        };
        nodes.push_back(*std::min_element(candidates.begin(),
                                          candidates.end(),
                                          [&](const auto a, const auto b) {
                                            return square_distance(a) <
                                                   square_distance(b);
                                          }));
      }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }
} // namespace Evergreen
