#include "preparation.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <tuple>

namespace Evergreen
{
  namespace
  {
    // How many slices and neurons a trial has, and which share of the samples
    // judges it.
    constexpr std::size_t  n_trial_slices  = 8;
    constexpr unsigned int n_trial_neurons = 24;
    constexpr std::size_t  trial_size      = 128;
    constexpr double       trial_share     = 0.2;

    // A wave number is tried with a few neurons first, and given up if others
    // of its profile, or the profile without one, are so much better then.
    constexpr unsigned int n_first_neurons = 8;
    constexpr double       clearly_worse   = 2.;

    // Between the wave numbers of the grid the error may still be smaller, but
    // a profile that must become so much better is not worth the search.
    constexpr double worth_refining = 1.5;

    // A profile with a wave number has one parameter more: it must be so much
    // better than one without. (As the wave number goes to zero they agree.)
    constexpr double clearly_better = 0.7;

    // The wave numbers tried go up to where a cell has so many radians, beyond
    // which the mesh does not resolve the waves.
    constexpr double       max_phase_per_cell = 1.5;
    constexpr unsigned int max_wave_numbers   = 32;


    struct Profiles
    {
      std::vector<RadialFunction> plain;
      std::vector<RadialFunction> with_wave_number;
    };


    /**
     * The fundamental solutions of a dimension, and for boundary values the
     * profiles of Poisson kernels, too. (The kernels of fluxes are traces of
     * Green's functions.)
     */
    Profiles
    profiles(const unsigned int dim, const Input input)
    {
      if (dim == 1)
        return {{RadialFunction::modulus}, {RadialFunction::sine}};
      Profiles result;
      if (dim == 2)
        result = {{RadialFunction::logarithm},
                  {RadialFunction::neumann, RadialFunction::macdonald}};
      else
        result = {{RadialFunction::inverse},
                  {RadialFunction::cosine, RadialFunction::exponential}};
      if (input == Input::boundary_values)
        result.plain.push_back(dim == 2 ? RadialFunction::poisson_2d
                                        : RadialFunction::poisson_3d);
      return result;
    }


    double
    mean_edge(const MeshData &mesh)
    {
      double             sum = 0;
      const unsigned int n   = mesh.vertices_per_cell();
      for (std::size_t cell = 0; cell < mesh.n_cells(); ++cell)
        {
          double square = 0;
          for (unsigned int d = 0; d < mesh.dim; ++d)
            square +=
              std::pow(mesh.points[mesh.cells[cell * n] * mesh.dim + d] -
                         mesh.points[mesh.cells[cell * n + 1] * mesh.dim + d],
                       2);
          sum += std::sqrt(square);
        }
      return sum / mesh.n_cells();
    }


    /**
     * Whether a candidate beats the best one so far by more than rounding: of
     * those that fit equally well the first is taken, on any number of ranks.
     */
    bool
    is_better(const double error, const double best)
    {
      return error < 0.999 * best && error < best - 1e-9;
    }


    /** Makes dictionaries for one mesh. */
    class DictionaryMaker
    {
    public:
      DictionaryMaker(const MeshData                  &mesh,
                      const std::vector<BoundaryFace> &faces,
                      const LearningParameters        &parameters)
        : parameters_(parameters)
        , dim_(mesh.dim)
        , sphere_(bounding_sphere(mesh.dim, mesh.n_nodes(), mesh.points.data()))
        , cell_size_(mean_edge(mesh))
      {
        if (parameters.family != "relu")
          boundary_ = std::make_shared<const Boundary>(mesh.dim, faces);
      }

      /**
       * A dictionary of @p size atoms an iteration: of atoms in y or, for a
       * full kernel, in (x, y).
       */
      AtomSource
      make(const DictionaryChoice &choice,
           const std::size_t       size,
           const bool              full) const
      {
        std::size_t n_relu = choice.has_radial_atoms() ? 0 : size;
        if (choice.family == "mixed")
          n_relu = static_cast<std::size_t>(parameters_.relu_share * size);

        AtomSource                    result;
        std::vector<Dictionary::Part> parts;
        if (n_relu > 0)
          parts.push_back(
            {std::make_shared<ReluFamily>(
               parameters_.power, full ? product_sphere(sphere_) : sphere_),
             n_relu});
        for (auto &part : radial_parts(choice.solution, size - n_relu, full))
          parts.push_back(std::move(part));
        result.dictionary =
          std::make_unique<Dictionary>(std::move(parts), parameters_.seed);
        if (choice.has_radial_atoms() && !full)
          result.slice_atoms =
            std::make_unique<SliceAtoms>(choice.solution,
                                         boundary_,
                                         0.9 * parameters_.distance *
                                           cell_size_,
                                         cell_size_);
        return result;
      }

      /** The radius of a ball around the domain. */
      double
      radius() const
      {
        return sphere_.radius;
      }

      /** A typical length of a cell's edge. */
      double
      cell_size() const
      {
        return cell_size_;
      }

      /**
       * The interval of wave numbers around @p wave_number that the parameters
       * ask for.
       */
      FundamentalSolution
      solution(const RadialFunction function, const double wave_number) const
      {
        const double spread = parameters_.wave_number_spread;
        return {function,
                wave_number * (1 - spread),
                wave_number * (1 + spread)};
      }

    private:
      const LearningParameters       &parameters_;
      unsigned int                    dim_;
      BoundingSphere                  sphere_;
      double                          cell_size_;
      std::shared_ptr<const Boundary> boundary_;

      /** Made at first use: a mesh without radial atoms needs none. */
      mutable std::vector<double> centres_;

      const std::vector<double> &
      centres() const
      {
        if (centres_.empty())
          {
            OutsideParameters outside;
            outside.min_distance = parameters_.distance * cell_size_;
            outside.max_distance =
              std::max(parameters_.far_distance * sphere_.radius,
                       outside.min_distance);
            outside.seed = parameters_.seed;
            centres_     = outside_points(*boundary_, outside);
          }
        return centres_;
      }

      std::vector<Dictionary::Part>
      radial_parts(const FundamentalSolution &solution,
                   const std::size_t          size,
                   const bool                 full) const
      {
        if (size == 0)
          return {};
        if (!full)
          return {{std::make_shared<FundamentalFamily>(
                     AtomForm::centred, dim_, solution, centres()),
                   size}};
        // One difference is enough where they would all be the same.
        const std::size_t n_differences =
          has_wave_number(solution.function) ? (size + 15) / 16 : 1;
        return {{std::make_shared<FundamentalFamily>(AtomForm::difference,
                                                     dim_,
                                                     solution),
                 n_differences},
                {std::make_shared<FundamentalFamily>(
                   AtomForm::product, dim_, solution, centres()),
                 size - n_differences}};
      }
    };


    /** Learns a few slices with every candidate. */
    class Scan
    {
    public:
      Scan(const DictionaryMaker    &dictionary_maker,
           const LearningParameters &learning_parameters,
           Preparation              &all_data)
        : maker(dictionary_maker)
        , parameters(learning_parameters)
        , preparation(all_data)
        , rule(preparation.rule.rule)
        , candidates(profiles(rule.dim, preparation.input()))
        , coordinates(choose_slices(), preparation.communicator)
      {}

      /** The smallest relative error on the samples held out. */
      double
      error_of(const DictionaryChoice &choice, const std::size_t size)
      {
        const double error = error_with(n_trial_neurons, choice, size);
        preparation.trials.push_back({choice, error});
        return error;
      }

      /** The profiles that may be chosen. */
      const Profiles &
      functions() const
      {
        return candidates;
      }

      /** The same for radial atoms alone. */
      double
      error_of(const RadialFunction function, const double kappa)
      {
        return error_of(radial(function, kappa), trial_size);
      }

      /**
       * The best wave number of a profile, and its error. A profile that can
       * hardly have an error below @p to_beat is not searched closely; one
       * without rivals has infinity to beat.
       */
      std::pair<double, double>
      best_wave_number(const RadialFunction function, const double to_beat)
      {
        const std::vector<double> grid = wave_number_grid(function);
        double                    best = grid.front();
        double     best_error          = std::numeric_limits<double>::max();
        const auto try_one             = [&](const double kappa) {
          const double error = error_of(function, kappa);
          if (is_better(error, best_error))
            {
              best       = kappa;
              best_error = error;
            }
        };
        for (const double kappa :
             promising(function, grid, std::isfinite(to_beat)))
          try_one(kappa);
        if (best_error > worth_refining * to_beat)
          return {best, best_error};
        for (double half = (grid[1] - grid[0]) / 2; half > 0.02 * best;
             half /= 2)
          {
            const double middle = best;
            try_one(middle - half);
            try_one(middle + half);
          }
        return {best, best_error};
      }

    private:
      DictionaryChoice
      radial(const RadialFunction function, const double kappa) const
      {
        return {"fundamental", maker.solution(function, kappa)};
      }

      double
      error_with(const unsigned int      n_neurons,
                 const DictionaryChoice &choice,
                 const std::size_t       size) const
      {
        GreedyParameters greedy =
          parameters_for(choice, preparation, parameters);
        greedy.n_neurons        = n_neurons;
        greedy.keep_factors     = false;
        greedy.tolerance        = 0;
        greedy.patience         = 0;
        const AtomSource source = maker.make(choice, size, false);
        std::vector<Fit> fits;
        approximate_slices({rule,
                            coordinates,
                            *source.dictionary,
                            greedy,
                            preparation.communicator},
                           fits,
                           {},
                           {source.slice_atoms.get(), &points});

        double squares[2] = {0., 0.};
        for (const Fit &fit : fits)
          {
            squares[0] += *std::min_element(fit.validation_squares.begin(),
                                            fit.validation_squares.end());
            squares[1] += fit.validation_squares.front();
          }
        Collective::sum(preparation.communicator, squares, 2);
        return squares[1] > 0 ? std::sqrt(squares[0] / squares[1]) : 0.;
      }

      /** The wave numbers that are good with few neurons already. */
      std::vector<double>
      promising(const RadialFunction       function,
                const std::vector<double> &grid,
                const bool                 has_rivals) const
      {
        const auto first_error = [&](const RadialFunction f, const double k) {
          return error_with(n_first_neurons, radial(f, k), trial_size);
        };
        std::vector<double> errors, result;
        for (const double kappa : grid)
          errors.push_back(first_error(function, kappa));
        double least = *std::min_element(errors.begin(), errors.end());
        if (has_rivals)
          for (const RadialFunction plain : candidates.plain)
            least = std::min(least, first_error(plain, 1.));
        for (std::size_t i = 0; i < grid.size(); ++i)
          if (errors[i] <= clearly_worse * least)
            result.push_back(grid[i]);
        return result;
      }

      /**
       * Waves of the wrong length are out of phase somewhere in the domain, so
       * the grid is as fine as one radian over its radius. Decaying functions
       * change with the ratio of their wave numbers.
       */
      std::vector<double>
      wave_number_grid(const RadialFunction function) const
      {
        const double end = max_phase_per_cell / maker.cell_size();
        const double first =
          std::max(1. / maker.radius(), end / max_wave_numbers);
        const bool waves = function == RadialFunction::neumann ||
                           function == RadialFunction::cosine ||
                           function == RadialFunction::sine;
        std::vector<double> grid = {first, waves ? 2 * first : 1.7 * first};
        while (grid.back() < end)
          grid.push_back(waves ? grid.back() + first : 1.7 * grid.back());
        return grid;
      }

      /** Every so many of all slices, whichever ranks they are on. */
      TrainingData
      choose_slices()
      {
        TrainingData      data = preparation.data;
        const std::size_t dim  = rule.dim;
        const auto       &all  = preparation.response;
        const std::size_t every =
          std::max<std::size_t>(1, all.size() / n_trial_slices);

        std::vector<std::size_t> chosen;
        for (std::size_t s = 0; s < data.response.size(); ++s)
          {
            const auto position =
              std::lower_bound(all.begin(),
                               all.end(),
                               preparation.local_response[s]) -
              all.begin();
            if (static_cast<std::size_t>(position) % every != every / 2)
              continue;
            chosen.push_back(data.response[s]);
            points.insert(points.end(),
                          preparation.points.begin() + s * dim,
                          preparation.points.begin() + (s + 1) * dim);
          }
        data.response = chosen;
        data.validation =
          validation_split(data.n_samples, trial_share, parameters.seed);
        return data;
      }

      const DictionaryMaker    &maker;
      const LearningParameters &parameters;
      Preparation              &preparation;
      const QuadratureRule     &rule;
      const Profiles            candidates;
      std::vector<double>       points;
      Coordinates               coordinates;
    };


    /** Whether the parameters leave no wave number to be found. */
    bool
    is_known(const LearningParameters &parameters,
             const RadialFunction      function)
    {
      return !has_wave_number(function) || parameters.wave_number > 0;
    }


    /** The profile and wave number of the radial atoms. */
    FundamentalSolution
    choose_solution(const DictionaryMaker    &maker,
                    const LearningParameters &parameters,
                    const unsigned int        dim,
                    Scan                     &scan)
    {
      if (parameters.function != "auto")
        {
          const RadialFunction function = parameters.radial_function(dim);
          const double         kappa =
            is_known(parameters, function)
                      ? parameters.wave_number
                      : scan
                  .best_wave_number(function,
                                    std::numeric_limits<double>::infinity())
                  .first;
          return maker.solution(function, kappa);
        }
      FundamentalSolution best;
      double              best_error = std::numeric_limits<double>::max();
      for (const RadialFunction function : scan.functions().plain)
        if (const double error = scan.error_of(function, 1.);
            is_better(error, best_error))
          {
            best       = maker.solution(function, 1.);
            best_error = error;
          }
      best_error *= clearly_better;
      for (const RadialFunction function : scan.functions().with_wave_number)
        {
          double kappa = parameters.wave_number, error = 0;
          if (kappa > 0)
            error = scan.error_of(function, kappa);
          else
            std::tie(kappa, error) =
              scan.best_wave_number(function, best_error);
          if (is_better(error, best_error))
            {
              best       = maker.solution(function, kappa);
              best_error = error;
            }
        }
      return best;
    }


    /** What the parameters leave open of the kind of dictionary. */
    DictionaryChoice
    choose(const DictionaryMaker    &maker,
           const LearningParameters &parameters,
           Preparation              &preparation)
    {
      DictionaryChoice choice;
      choice.family = parameters.family;
      if (choice.family == "relu")
        return choice;

      const unsigned int dim = preparation.rule.rule.dim;
      if (parameters.function != "auto" &&
          is_for_boundary(parameters.radial_function(dim)) &&
          preparation.input() != Input::boundary_values)
        throw UsageError("'Dictionary/Function' = ",
                         parameters.function,
                         " is for boundary values: it cannot be integrated "
                         "against ",
                         input_words(preparation.input()),
                         ".");
      if (choice.family != "auto" && parameters.function != "auto")
        {
          const RadialFunction function = parameters.radial_function(dim);
          if (is_known(parameters, function))
            {
              choice.solution =
                maker.solution(function, parameters.wave_number);
              return choice;
            }
        }

      Scan scan(maker, parameters, preparation);
      choice.solution = choose_solution(maker, parameters, dim, scan);
      if (choice.family != "auto")
        return choice;

      // Fundamental solutions alone say more from poor data. From good ones,
      // ReLU atoms take what they cannot represent (the effects of the mesh);
      // forcing them to it spoils the kernel for other forcings, which no
      // sample held out tells. In one dimension they are the homogeneous
      // solutions themselves, and nothing is left to ReLU atoms if they fit.
      std::vector<std::string> families = {"mixed", "relu"};
      if (dim == 1)
        families.insert(families.begin(), "fundamental");
      else if (preparation.data_are_poor)
        families.emplace_back("fundamental");
      double best = std::numeric_limits<double>::max();
      for (const std::string &family : families)
        {
          const double error =
            scan.error_of({family, choice.solution}, parameters.size);
          if (is_better(error, best))
            {
              best          = error;
              choice.family = family;
            }
        }
      return choice;
    }
  } // namespace


  std::string
  DictionaryChoice::description() const
  {
    if (!has_radial_atoms())
      return "ReLU ridge functions";
    std::ostringstream text;
    text << (family == "mixed" ? "ReLU ridge functions and " : "")
         << "fundamental solutions " << radial_name(solution.function);
    if (has_wave_number(solution.function))
      text << ", kappa from " << solution.low << " to " << solution.high;
    return text.str();
  }


  void
  choose_dictionary(const MeshData                  &mesh,
                    const std::vector<BoundaryFace> &faces,
                    const LearningParameters        &parameters,
                    Preparation                     &preparation)
  {
    const DictionaryMaker maker(mesh, faces, parameters);
    preparation.choice = choose(maker, parameters, preparation);
    preparation.atoms  = maker.make(preparation.choice,
                                   parameters.size,
                                   parameters.method == "oga");
  }
} // namespace Evergreen
