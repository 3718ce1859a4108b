#include "preparation.h"
#include "reciprocity.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/interrupt.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>
#include <evergreen/learning/checkpoint.h>
#include <evergreen/learning/learner.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    constexpr double seconds_between_checkpoints = 5.;

    // For slices of fundamental solutions alone: an atom that leaves less than
    // this part of its norm outside of the span of the others is left out.
    // What such functions cannot represent, the effects of the mesh, they
    // would otherwise fit by large coefficients that cancel where the forcings
    // look and nowhere else.
    constexpr double      radial_span_tolerance = 1e-3;
    constexpr std::size_t radial_max_skipped    = 32;

    /**
     * The numbers of neurons at which coefficients are kept: 1, 2, 3, 4, 6, 8,
     * 12, ..., and the last one.
     */
    std::vector<std::size_t>
    history_levels(const std::size_t n_neurons)
    {
      std::vector<std::size_t> levels;
      for (std::size_t n = 1; n < n_neurons; n *= 2)
        {
          levels.push_back(n);
          if (n > 1 && 3 * n / 2 < n_neurons)
            levels.push_back(3 * n / 2);
        }
      levels.push_back(n_neurons);
      return levels;
    }


    /** Coefficients with fewer neurons, instead of the factors they need. */
    void
    keep_levels(SliceFit &slice, const std::size_t max_neurons)
    {
      const std::size_t n_kept = slice.fit.n_kept();
      for (const std::size_t n : history_levels(max_neurons))
        if (n < n_kept)
          slice.levels[n] = slice.fit.coefficients_of(n);
      slice.fit.factor.clear();
      slice.fit.factor.shrink_to_fit();
      slice.fit.projection.clear();
    }


    /** The parameters of PW-OGA for the atoms that were chosen. */
    GreedyParameters
    slice_parameters(const Preparation        &preparation,
                     const LearningParameters &parameters,
                     LearningResult           &result)
    {
      GreedyParameters greedy =
        parameters_for(preparation.choice, preparation, parameters);
      if (preparation.rule.rule.dim > 1 &&
          preparation.choice.family == "fundamental")
        {
          greedy.span_tolerance = radial_span_tolerance;
          greedy.max_skipped    = radial_max_skipped;
        }
      const auto limit = static_cast<unsigned int>(
        std::max(1., std::floor(parameters.rank_share * result.rank)));
      if (preparation.choice.has_radial_atoms() && result.n_validation == 0 &&
          limit < greedy.n_neurons)
        {
          greedy.n_neurons    = limit;
          result.neuron_limit = limit;
        }
      return greedy;
    }


    /** PW-OGA with checkpoints of finished slices. */
    std::vector<SliceFit>
    learn_slices(const Preparation        &preparation,
                 const LearningParameters &parameters,
                 const LearningOptions    &options,
                 Checkpoint               &checkpoint,
                 LearningResult           &result)
    {
      const auto      &nodes = preparation.local_response;
      GreedyParameters greedy =
        slice_parameters(preparation, parameters, result);
      std::vector<Fit>                   fits(nodes.size());
      std::vector<SliceFit>              slices(nodes.size());
      std::vector<bool>                  is_saved(nodes.size(), false);
      std::map<std::size_t, std::size_t> place;
      for (std::size_t s = 0; s < nodes.size(); ++s)
        place[nodes[s]] = s;
      result.n_resumed = checkpoint.found.size();
      for (SliceFit &slice : checkpoint.found)
        if (const auto found = place.find(slice.node); found != place.end())
          {
            fits[found->second]     = slice.fit;
            is_saved[found->second] = true;
            slices[found->second]   = std::move(slice);
          }

      const auto save_finished = [&]() {
        std::vector<SliceFit> record;
        for (std::size_t s = 0; s < fits.size(); ++s)
          if (!is_saved[s] && fits[s].reason != StopReason::unfinished)
            {
              slices[s].node = nodes[s];
              slices[s].fit  = fits[s];
              keep_levels(slices[s], greedy.n_neurons);
              fits[s]     = slices[s].fit;
              is_saved[s] = true;
              record.push_back(slices[s]);
            }
        checkpoint.append(record);
      };
      result.interrupted =
        !approximate_slices({preparation.rule.rule,
                             *preparation.coordinates,
                             *preparation.atoms.dictionary,
                             greedy,
                             preparation.communicator},
                            fits,
                            [&](const GreedyProgress &progress) {
                              save_finished();
                              if (options.on_progress && preparation.is_root())
                                options.on_progress(progress);
                              return !InterruptGuard::requested();
                            },
                            {preparation.atoms.slice_atoms.get(),
                             &preparation.points});
      save_finished();
      return slices;
    }


    /** Full OGA; the whole state is saved every few seconds. */
    std::vector<SliceFit>
    learn_whole(const Preparation        &preparation,
                const LearningParameters &parameters,
                const LearningOptions    &options,
                Checkpoint               &checkpoint,
                LearningResult           &result)
    {
      const GreedyParameters greedy = parameters.greedy_parameters();
      SliceFit               whole;
      if (!checkpoint.found.empty())
        whole = std::move(checkpoint.found.front());
      result.n_resumed = whole.fit.chosen.size();

      double     last_saved = MPI_Wtime();
      const auto save       = [&]() {
        checkpoint.replace(whole);
        last_saved = MPI_Wtime();
      };
      const auto observer = [&](const GreedyProgress &progress) {
        const double elapsed =
          Utilities::MPI::broadcast(preparation.communicator,
                                    MPI_Wtime() - last_saved);
        if (elapsed > seconds_between_checkpoints)
          save();
        if (options.on_progress && preparation.is_root())
          options.on_progress(progress);
        return !InterruptGuard::requested();
      };
      result.interrupted = !approximate_kernel({preparation.rule.rule,
                                                *preparation.coordinates,
                                                *preparation.atoms.dictionary,
                                                greedy,
                                                preparation.communicator},
                                               preparation.points,
                                               preparation.weights,
                                               whole.fit,
                                               observer);
      save();
      if (!result.interrupted)
        keep_levels(whole, greedy.n_neurons);
      // All ranks have the same fit; one of them speaks for all.
      return preparation.is_root() ? std::vector<SliceFit>{whole}
                                   : std::vector<SliceFit>{};
    }


    /** Gives all ranks all fits, in the order of their nodes. */
    std::vector<SliceFit>
    gather_fits(const std::vector<SliceFit> &local, const MPI_Comm communicator)
    {
      std::vector<SliceFit> all;
      for (const auto &part :
           Utilities::MPI::all_gather(communicator,
                                      Utilities::pack(local, false)))
        for (auto &slice :
             Utilities::unpack<std::vector<SliceFit>>(part, false))
          all.push_back(std::move(slice));
      std::sort(all.begin(),
                all.end(),
                [](const SliceFit &a, const SliceFit &b) {
                  return a.node < b.node;
                });
      return all;
    }


    /** Atoms of the dictionaries by iteration and index: numbers in a pool. */
    using AtomNumbers =
      std::map<std::pair<std::size_t, unsigned int>, std::uint32_t>;


    /** Draws all that were chosen, in the order of the iterations. */
    AtomNumbers
    fill_pool(const std::vector<SliceFit> &slices,
              const Dictionary            &dictionary,
              AtomList                    &pool)
    {
      AtomNumbers numbers;
      for (const SliceFit &slice : slices)
        for (std::size_t i = 0; i < slice.fit.n_kept(); ++i)
          if (slice.fit.chosen[i] < dictionary.size())
            numbers.emplace(std::make_pair(i, slice.fit.chosen[i]), 0);
      for (auto &[atom, number] : numbers)
        {
          number = pool.size();
          dictionary.draw(atom.first, atom.second, pool);
        }
      return numbers;
    }


    /** The pool of the atoms that were chosen, and the lists of the slices. */
    void
    fill_expansions(const std::vector<SliceFit> &slices,
                    const Preparation           &preparation,
                    LearningResult              &result)
    {
      const Dictionary &dictionary  = *preparation.atoms.dictionary;
      const auto       &slice_atoms = preparation.atoms.slice_atoms;
      const MeshData   &mesh        = result.kernel.mesh;
      Expansions       &expansions  = result.kernel.expansions;
      const auto points = preparation.frame.images(mesh.dim, mesh.points);

      const AtomNumbers numbers =
        fill_pool(slices, dictionary, expansions.pool);
      std::size_t n_neurons = 0;
      for (const SliceFit &slice : slices)
        {
          const auto    &chosen = slice.fit.chosen;
          const AtomList own =
            slice_atoms ? slice_atoms->at(&points[slice.node * mesh.dim])
                        : AtomList(dictionary.dim());
          for (std::size_t i = 0; i < slice.fit.n_kept(); ++i)
            if (chosen[i] >= dictionary.size())
              {
                expansions.atoms.push_back(expansions.pool.size());
                expansions.pool.push_back(own, chosen[i] - dictionary.size());
              }
            else
              expansions.atoms.push_back(numbers.at({i, chosen[i]}));
          expansions.starts.push_back(expansions.atoms.size());
          ++result.reasons[slice.fit.reason];
          n_neurons = std::max(n_neurons, slice.fit.n_kept());
        }
      for (const std::size_t n : history_levels(n_neurons))
        {
          expansions.levels.push_back({n, {}});
          auto &coefficients = expansions.levels.back().coefficients;
          for (const SliceFit &slice : slices)
            {
              const auto  found = slice.levels.find(n);
              const auto &its   = found == slice.levels.end()
                                    ? slice.fit.coefficients
                                    : found->second;
              coefficients.insert(coefficients.end(), its.begin(), its.end());
            }
        }
    }


    /** The errors that the greedy algorithms themselves know. */
    void
    fill_history(const std::vector<Fit> &fits,
                 const Preparation      &preparation,
                 LearningResult         &result)
    {
      const bool       pointwise = result.kernel.is_pointwise();
      LearningHistory &learned   = result.kernel.history;
      for (const HistoryPoint &point :
           history(fits,
                   pointwise ? preparation.weights : std::vector<double>{},
                   preparation.communicator))
        if (point.n_neurons > 0 && point.n_neurons <= result.kernel.n_neurons())
          {
            const std::size_t i    = learned.add(point.n_neurons);
            learned.train_error[i] = point.train_error;
            if (result.n_validation > 0)
              learned.validation_error[i] = point.validation_error;
          }
    }
  } // namespace


  void
  remove_checkpoints(const std::string &target)
  {
    Checkpoint::remove(target);
  }


  namespace
  {
    /** Learns once with what the preparation has. */
    LearningResult
    learn_once(const Preparation        &preparation,
               const MeshData           &mesh,
               const LearningParameters &parameters,
               const LearningOptions    &options)
    {
      LearningResult result;
      result.rank              = preparation.coordinates->rank();
      result.misfit            = preparation.coordinates->relative_misfit();
      result.n_validation      = preparation.data.validation.size();
      result.dictionary        = preparation.choice;
      result.trials            = preparation.trials;
      result.kernel.quadrature = preparation.quadrature;
      result.kernel.parameters = options.parameter_text;
      result.kernel.mesh       = mesh;
      result.kernel.response   = preparation.response;
      result.kernel.frame      = preparation.frame;
      result.kernel.expansions.pool =
        AtomList(preparation.atoms.dictionary->dim());

      Checkpoint checkpoint(options.target,
                            options.parameter_text + preparation.identity,
                            options.resume,
                            preparation.communicator);
      const auto learn =
        result.kernel.is_pointwise() ? learn_slices : learn_whole;
      const auto local =
        learn(preparation, parameters, options, checkpoint, result);
      if (result.interrupted)
        return result;
      fill_expansions(gather_fits(local, preparation.communicator),
                      preparation,
                      result);
      std::vector<Fit> fits;
      for (const SliceFit &slice : local)
        fits.push_back(slice.fit);
      fill_history(fits, preparation, result);
      return result;
    }
  } // namespace


  template <int dim>
  LearningResult
  learn_kernel(const Space<dim>         &space,
               const Samples            &samples,
               const LearningParameters &given_parameters,
               const LearningOptions    &options)
  {
    const double         start        = MPI_Wtime();
    const MPI_Comm       communicator = space.communicator();
    const InterruptGuard guard;
    const BackendChoice  backend =
      choose_backend(given_parameters.backend, communicator);
    LearningParameters parameters = given_parameters;
    parameters.backend            = backend.name;
    const Preparation preparation(space, samples, parameters);
    LearningResult    result =
      learn_once(preparation, space.mesh_data(), parameters, options);
    if (parameters.reciprocity && !result.interrupted)
      symmetrise(result.kernel,
                 space,
                 preparation.rule,
                 preparation.data.penalty.node_weights);
    result.backend        = backend;
    result.kernel.backend = backend.name;
    result.seconds        = MPI_Wtime() - start;
    return result;
  }


#define INSTANTIATE(dim)                                                       \
  template LearningResult learn_kernel(const Space<dim> &,                     \
                                       const Samples &,                        \
                                       const LearningParameters &,             \
                                       const LearningOptions &);
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
