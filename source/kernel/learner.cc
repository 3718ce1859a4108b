#include "packed_fit.h"
#include "reciprocity.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/interrupt.h>
#include <evergreen/greedy/coordinates.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>
#include <evergreen/kernel/checkpoint.h>
#include <evergreen/kernel/learner.h>
#include <evergreen/kernel/learning_data.h>

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

    /** This rank's part of the data, as the greedy algorithms want it. */
    template <int dim>
    struct Preparation
    {
      DistributedRule              rule;
      std::vector<double>          forcings, solutions;
      TrainingData                 data;
      std::vector<std::int64_t>    response; // all slices
      std::vector<std::int64_t>    local_response; // this rank's slices
      std::vector<double>          points, weights;
      std::unique_ptr<Coordinates> coordinates;
      DictionaryChoice             choice;
      std::vector<ScanTrial>       trials;
      AtomSource                   atoms;

      /** Whether the samples do not exhaust the forcings, or are noisy. */
      bool data_are_poor = false;

      Preparation(const FiniteElementSpace<dim> &space,
                  const DatasetReader           &reader,
                  const LearningParameters      &parameters)
        : rule(make_rule(space, parameters.quadrature == "monte-carlo"))
      {
        collectively(space.communicator(), [&]() {
          parameters.check();
          response = response_nodes(reader.mesh(), parameters.sensor_points());
          forcings =
            read_columns(reader, Split::train, Quantity::forcing, rule.nodes);
          solutions = read_columns(reader,
                                   Split::train,
                                   Quantity::solution,
                                   space.local_nodes());
        });
        choose_local_slices(space);
        describe_data(space, reader);
        describe_penalty(space, parameters);
        compute_coordinates(parameters, space.communicator());
        make_dictionary(reader.mesh(), parameters, space.communicator());
      }

      /** The atoms that a fit stands for. */
      AtomList
      atoms_of(const SliceFit &slice, const MeshData &mesh) const
      {
        const Fit &fit = slice.fit;
        return fit.atoms(*atoms.dictionary,
                         atoms.slice_atoms
                           ? atoms.slice_atoms->at(
                               &mesh.points[slice.node * mesh.dim])
                           : AtomList(atoms.dictionary->dim()),
                         fit.n_kept());
      }

    private:
      void
      choose_local_slices(const FiniteElementSpace<dim> &space)
      {
        const auto all_weights = nodal_weights(space);
        for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
          {
            const auto node = static_cast<std::int64_t>(space.local_nodes()[i]);
            if (!std::binary_search(response.begin(), response.end(), node))
              continue;
            data.response.push_back(i);
            local_response.push_back(node);
            weights.push_back(all_weights[i]);
            for (unsigned int d = 0; d < dim; ++d)
              points.push_back(space.mesh_data().points[node * dim + d]);
          }
      }

      void
      describe_data(const FiniteElementSpace<dim> &space,
                    const DatasetReader           &reader)
      {
        data.n_samples = reader.valid_samples(Split::train).size();
        data.f         = forcings.data();
        data.n_f_rows  = rule.nodes.size();
        data.n_owned   = rule.n_owned;
        data.u         = solutions.data();
        data.n_u_rows  = space.n_local_nodes();
      }

      /** The Tikhonov term that keeps what the data do not see quiet. */
      void
      describe_penalty(const FiniteElementSpace<dim> &space,
                       const LearningParameters      &parameters)
      {
        const auto local        = nodal_weights(space);
        auto      &node_weights = data.penalty.node_weights;
        node_weights.assign(space.n_nodes(), 0.);
        for (std::size_t i = 0; i < local.size(); ++i)
          node_weights[space.local_nodes()[i]] = local[i];
        Utilities::MPI::sum(node_weights, space.communicator(), node_weights);
        data.penalty.weight = parameters.regularisation;
        data.penalty.nodes  = rule.nodes;
        data.penalty.seed   = parameters.seed;
        if (parameters.reciprocity)
          data.penalty.constraints =
            boundary_functionals(rule,
                                 space.mesh_data().boundary,
                                 node_weights,
                                 space.communicator());
      }

      /** The coordinates; decides whether samples are held out. */
      void
      compute_coordinates(const LearningParameters &parameters,
                          const MPI_Comm            communicator)
      {
        const auto hold_out = [&]() {
          data.validation = validation_split(data.n_samples,
                                             parameters.validation_share,
                                             parameters.seed);
        };
        if (parameters.stopping == "validation")
          hold_out();
        coordinates = std::make_unique<Coordinates>(data, communicator);
        data_are_poor =
          coordinates->rank() + data.validation.size() >= data.n_samples ||
          coordinates->relative_misfit() > LearningParameters::noisy_misfit;
        if (parameters.stopping == "auto" && data.n_samples > 1 &&
            data_are_poor)
          {
            hold_out();
            coordinates = std::make_unique<Coordinates>(data, communicator);
          }
      }

      void
      make_dictionary(const MeshData           &mesh,
                      const LearningParameters &parameters,
                      const MPI_Comm            communicator)
      {
        const DictionaryMaker maker(mesh, parameters);
        choice = choose_dictionary(maker,
                                   parameters,
                                   {&rule.rule,
                                    data,
                                    &points,
                                    communicator,
                                    &response,
                                    &local_response,
                                    data_are_poor},
                                   trials);
        atoms = maker.make(choice, parameters.size, parameters.method == "oga");
      }
    };


    /** What tells one run from another: its parameters and its data. */
    template <int dim>
    std::string
    identity_of(const Preparation<dim> &preparation,
                const LearningOptions  &options,
                const MPI_Comm          communicator)
    {
      double            sums[2]   = {0., 0.};
      const std::size_t n_samples = preparation.data.n_samples;
      for (std::size_t j = 0; j < n_samples; ++j)
        for (std::size_t i = 0; i < preparation.data.n_owned; ++i)
          sums[0] +=
            std::abs(preparation.forcings[j * preparation.data.n_f_rows + i]);
      for (const double u : preparation.solutions)
        sums[1] += std::abs(u);
      MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, communicator);
      std::ostringstream identity;
      // Sums over ranks differ in their last digits.
      identity.precision(10);
      identity << options.parameter_text << "samples " << n_samples
               << ", slices " << preparation.response.size() << ", |f| "
               << sums[0] << ", |u| " << sums[1];
      return identity.str();
    }


    /** The checkpoint on rank 0, with collective functions. */
    class SharedCheckpoint
    {
    public:
      SharedCheckpoint(const std::string &target,
                       const std::string &identity,
                       const bool         resume,
                       const MPI_Comm     communicator)
        : communicator(communicator)
        , is_root(Utilities::MPI::this_mpi_process(communicator) == 0)
        , enabled(!target.empty())
        , checkpoint(target, identity)
      {
        std::vector<double> all;
        collectively(communicator, [&]() {
          if (!is_root || !enabled)
            return;
          if (!checkpoint.exists())
            checkpoint.begin();
          else if (!resume)
            throw Error("'",
                        checkpoint.path(),
                        "' holds the work of an interrupted run: continue it "
                        "with --resume, or remove it.");
          else
            for (const auto &record : checkpoint.load())
              all.insert(all.end(), record.begin(), record.end());
        });
        found = unpack(Utilities::MPI::broadcast(communicator, all));
      }

      /** The fits that were found, on all ranks. */
      std::vector<SliceFit> found;

      void
      append(const std::vector<double> &local)
      {
        const auto parts = Utilities::MPI::gather(communicator, local);
        collectively(communicator, [&]() {
          std::vector<double> record;
          for (const auto &part : parts)
            record.insert(record.end(), part.begin(), part.end());
          if (is_root && enabled && !record.empty())
            checkpoint.append(record);
        });
      }

      void
      replace(const std::vector<double> &record)
      {
        collectively(communicator, [&]() {
          if (is_root && enabled)
            checkpoint.replace(record);
        });
      }

    private:
      MPI_Comm   communicator;
      bool       is_root;
      bool       enabled;
      Checkpoint checkpoint;
    };


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
    template <int dim>
    GreedyParameters
    slice_parameters(const Preparation<dim>   &preparation,
                     const LearningParameters &parameters,
                     LearningResult           &result)
    {
      GreedyParameters greedy = parameters.greedy_parameters();
      if (dim > 1 && preparation.choice.family == "fundamental")
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
    template <int dim>
    std::vector<SliceFit>
    learn_slices(const Preparation<dim>   &preparation,
                 const LearningParameters &parameters,
                 const LearningOptions    &options,
                 SharedCheckpoint         &checkpoint,
                 const MPI_Comm            communicator,
                 LearningResult           &result)
    {
      const auto      &nodes = preparation.local_response;
      GreedyParameters greedy =
        slice_parameters(preparation, parameters, result);
      std::vector<Fit>                    fits(nodes.size());
      std::vector<SliceFit>               slices(nodes.size());
      std::vector<bool>                   is_saved(nodes.size(), false);
      std::map<std::int64_t, std::size_t> place;
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
        std::vector<double> record;
        for (std::size_t s = 0; s < fits.size(); ++s)
          if (!is_saved[s] && fits[s].reason != StopReason::unfinished)
            {
              slices[s].node = nodes[s];
              slices[s].fit  = fits[s];
              keep_levels(slices[s], greedy.n_neurons);
              fits[s]     = slices[s].fit;
              is_saved[s] = true;
              pack(slices[s], record);
            }
        checkpoint.append(record);
      };
      PointwiseGreedy algorithm(preparation.rule.rule,
                                *preparation.coordinates,
                                *preparation.atoms.dictionary,
                                greedy,
                                communicator);
      if (preparation.atoms.slice_atoms)
        algorithm.add_slice_atoms(*preparation.atoms.slice_atoms,
                                  preparation.points);
      result.interrupted =
        !algorithm.run(fits, [&](const GreedyProgress &progress) {
          save_finished();
          if (options.on_progress &&
              Utilities::MPI::this_mpi_process(communicator) == 0)
            options.on_progress(progress);
          return !InterruptGuard::requested();
        });
      save_finished();
      return slices;
    }


    /** Full OGA; the whole state is saved every few seconds. */
    template <int dim>
    std::vector<SliceFit>
    learn_whole(const Preparation<dim>   &preparation,
                const LearningParameters &parameters,
                const LearningOptions    &options,
                SharedCheckpoint         &checkpoint,
                const MPI_Comm            communicator,
                LearningResult           &result)
    {
      const GreedyParameters greedy = parameters.greedy_parameters();
      SliceFit               whole;
      if (!checkpoint.found.empty())
        whole = std::move(checkpoint.found.front());
      result.n_resumed = whole.fit.chosen.size();

      double     last_saved = MPI_Wtime();
      const auto save       = [&]() {
        std::vector<double> record;
        pack(whole, record);
        checkpoint.replace(record);
        last_saved = MPI_Wtime();
      };
      KernelGreedy algorithm(preparation.rule.rule,
                             *preparation.coordinates,
                             preparation.points,
                             preparation.weights,
                             *preparation.atoms.dictionary,
                             greedy,
                             communicator);
      result.interrupted =
        !algorithm.run(whole.fit, [&](const GreedyProgress &progress) {
          const double elapsed =
            Utilities::MPI::broadcast(communicator, MPI_Wtime() - last_saved);
          if (elapsed > seconds_between_checkpoints)
            save();
          if (options.on_progress &&
              Utilities::MPI::this_mpi_process(communicator) == 0)
            options.on_progress(progress);
          return !InterruptGuard::requested();
        });
      save();
      if (!result.interrupted)
        keep_levels(whole, greedy.n_neurons);
      // All ranks have the same fit; one of them speaks for all.
      return Utilities::MPI::this_mpi_process(communicator) == 0
               ? std::vector<SliceFit>{whole}
               : std::vector<SliceFit>{};
    }


    /** Gives all ranks all fits, in the order of their nodes. */
    std::vector<SliceFit>
    gather_fits(const std::vector<SliceFit> &local, const MPI_Comm communicator)
    {
      std::vector<double> numbers;
      for (const SliceFit &slice : local)
        pack(slice, numbers);
      std::vector<SliceFit> all;
      for (const auto &part : Utilities::MPI::all_gather(communicator, numbers))
        for (SliceFit &slice : unpack(part))
          all.push_back(std::move(slice));
      std::sort(all.begin(),
                all.end(),
                [](const SliceFit &a, const SliceFit &b) {
                  return a.node < b.node;
                });
      return all;
    }


    template <int dim>
    void
    fill_expansions(const std::vector<SliceFit> &slices,
                    const Preparation<dim>      &preparation,
                    LearningResult              &result)
    {
      std::size_t n_neurons = 0;
      for (const SliceFit &slice : slices)
        {
          result.kernel.expansions.push_back(
            {preparation.atoms_of(slice, result.kernel.mesh),
             slice.fit.coefficients});
          ++result.reasons[slice.fit.reason];
          n_neurons = std::max(n_neurons, slice.fit.n_kept());
        }
      for (const std::size_t n : history_levels(n_neurons))
        for (const SliceFit &slice : slices)
          {
            const auto found = slice.levels.find(n);
            result.levels[n].push_back(found == slice.levels.end()
                                         ? slice.fit.coefficients
                                         : found->second);
          }
    }


    /** The errors that the greedy algorithms themselves know. */
    template <int dim>
    void
    fill_history(const std::vector<Fit> &fits,
                 const Preparation<dim> &preparation,
                 const bool              uses_validation,
                 const MPI_Comm          communicator,
                 LearningResult         &result)
    {
      const bool       pointwise = result.kernel.is_pointwise();
      LearningHistory &learned   = result.kernel.history;
      for (const HistoryPoint &point :
           history(fits,
                   pointwise ? preparation.weights : std::vector<double>{},
                   communicator))
        if (point.n_neurons > 0 && point.n_neurons <= result.kernel.n_neurons())
          {
            const std::size_t i    = learned.add(point.n_neurons);
            learned.train_error[i] = point.train_error;
            if (uses_validation)
              learned.validation_error[i] = point.validation_error;
          }
    }
  } // namespace


  LearnedKernel
  LearningResult::kernel_with(const std::size_t n) const
  {
    LearnedKernel smaller = kernel;
    const auto   &level   = levels.at(n);
    for (std::size_t s = 0; s < smaller.expansions.size(); ++s)
      smaller.expansions[s].coefficients = level[s];
    // The table was made with all neurons.
    if (n < kernel.n_neurons())
      smaller.table.clear();
    return smaller;
  }


  KernelStages::Stage
  LearningResult::stage(const std::size_t n) const
  {
    // The table was made with all neurons.
    return {levels.at(n), kernel.is_symmetrised() && n == kernel.n_neurons()};
  }


  void
  remove_checkpoints(const std::string &target)
  {
    Checkpoint(target, "").remove();
  }


  namespace
  {
    /** Learns once with what the preparation has. */
    template <int dim>
    LearningResult
    learn_once(const Preparation<dim>   &preparation,
               const MeshData           &mesh,
               const LearningParameters &parameters,
               const LearningOptions    &options,
               const MPI_Comm            communicator)
    {
      LearningResult result;
      result.rank              = preparation.coordinates->rank();
      result.misfit            = preparation.coordinates->relative_misfit();
      result.n_validation      = preparation.data.validation.size();
      result.dictionary        = preparation.choice;
      result.trials            = preparation.trials;
      result.kernel.method     = parameters.method;
      result.kernel.quadrature = parameters.quadrature;
      result.kernel.parameters = options.parameter_text;
      result.kernel.mesh       = mesh;
      result.kernel.response   = preparation.response;

      SharedCheckpoint checkpoint(options.target,
                                  identity_of(preparation,
                                              options,
                                              communicator),
                                  options.resume,
                                  communicator);
      const auto       learn =
        result.kernel.is_pointwise() ? learn_slices<dim> : learn_whole<dim>;
      const auto local = learn(
        preparation, parameters, options, checkpoint, communicator, result);
      if (result.interrupted)
        return result;
      fill_expansions(gather_fits(local, communicator), preparation, result);
      std::vector<Fit> fits;
      for (const SliceFit &slice : local)
        fits.push_back(slice.fit);
      fill_history(
        fits, preparation, result.n_validation > 0, communicator, result);
      return result;
    }
  } // namespace


  template <int dim>
  LearningResult
  learn_kernel(const FiniteElementSpace<dim> &space,
               const DatasetReader           &reader,
               const LearningParameters      &given_parameters,
               const LearningOptions         &options)
  {
    const double         start        = MPI_Wtime();
    const MPI_Comm       communicator = space.communicator();
    const InterruptGuard guard;
    const BackendChoice  backend =
      choose_backend(given_parameters.backend, communicator);
    LearningParameters parameters = given_parameters;
    parameters.backend            = backend.name;
    const Preparation<dim> preparation(space, reader, parameters);
    LearningResult         result =
      learn_once(preparation, reader.mesh(), parameters, options, communicator);
    if (parameters.reciprocity && !result.interrupted)
      symmetrise(result.kernel,
                 preparation.rule,
                 preparation.data.penalty.node_weights,
                 communicator);
    result.backend        = backend;
    result.kernel.backend = backend.name;
    result.seconds        = MPI_Wtime() - start;
    return result;
  }


  template LearningResult
  learn_kernel(const FiniteElementSpace<1> &,
               const DatasetReader &,
               const LearningParameters &,
               const LearningOptions &);
  template LearningResult
  learn_kernel(const FiniteElementSpace<2> &,
               const DatasetReader &,
               const LearningParameters &,
               const LearningOptions &);
  template LearningResult
  learn_kernel(const FiniteElementSpace<3> &,
               const DatasetReader &,
               const LearningParameters &,
               const LearningOptions &);
} // namespace Evergreen
