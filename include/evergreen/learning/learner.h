// From a dataset to a learned kernel.

#ifndef evergreen_learning_learner_h
#define evergreen_learning_learner_h

#include <evergreen/data/samples.h>
#include <evergreen/dictionary/backends.h>
#include <evergreen/fem/space.h>
#include <evergreen/greedy/fit.h>
#include <evergreen/greedy/parameters.h>
#include <evergreen/kernel/learned_kernel.h>
#include <evergreen/learning/dictionary_choice.h>
#include <evergreen/learning/learning_parameters.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Options of learn_kernel() that do not change the result. */
  struct LearningOptions
  {
    /** Where the kernel will be written; empty for no checkpoints. */
    std::string target = "";

    /** Continue from the checkpoint of an interrupted run, if any. */
    bool resume = false;

    /** The parameters that describe the run, for the file. */
    std::string parameter_text = "";

    /** Called now and then on rank 0; may be empty. */
    std::function<void(const GreedyProgress &)> on_progress = {};
  };


  /** A learned kernel and how it came about. The same on every rank. */
  struct LearningResult
  {
    /** The kernel with levels for 1, 2, 3, 4, 6, 8, 12, ... neurons. */
    LearnedKernel kernel;

    /** The rank of the training forcings. */
    std::size_t rank = 0;

    /**
     * The largest number of neurons, if the rank of the data made it smaller
     * than what was asked for; 0 otherwise.
     */
    std::size_t neuron_limit = 0;

    /** The relative size of the part of u that no kernel can explain. */
    double misfit = 0;

    /** How many training samples were held out for validation. */
    std::size_t n_validation = 0;

    /** The atoms that were offered, and what was tried to find them. */
    DictionaryChoice       dictionary;
    std::vector<ScanTrial> trials;

    /** What did the work, and why. */
    BackendChoice backend;

    /** How many expansions ended for which reason. */
    std::map<StopReason, std::size_t> reasons;

    /** Slices (or neurons, for the method oga) from an earlier run. */
    std::size_t n_resumed = 0;

    /** Whether the user asked to stop; the checkpoint can be resumed. */
    bool interrupted = false;

    /** Wall time, reading the data included. */
    double seconds = 0;
  };


  /** Removes what learn_kernel() kept beside its target, once that is saved. */
  void
  remove_checkpoints(const std::string &target);


  /**
   * Learns the kernel of pairs (f, u) on a finite element space. Collective.
   */
  template <int dim>
  LearningResult
  learn_kernel(const Space<dim>         &space,
               const Samples            &samples,
               const LearningParameters &parameters,
               const LearningOptions    &options = LearningOptions());
} // namespace Evergreen

#endif
