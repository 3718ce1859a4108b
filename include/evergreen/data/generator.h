// From a problem and a random-forcing model to a dataset file.

#ifndef evergreen_data_generator_h
#define evergreen_data_generator_h

#include <evergreen/data/dataset_file.h>
#include <evergreen/data/random_field.h>
#include <evergreen/data/samples.h>
#include <evergreen/fem/linear_problem.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Evergreen
{
  /** How many samples. */
  struct DatasetParameters
  {
    std::size_t n_training_samples = 1000;
    std::size_t n_test_samples     = 500;

    /** Declares these parameters in the subsection "Dataset". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;
  };


  /** What generate_dataset() tells while it works; sent by rank 0. */
  struct GenerationProgress
  {
    std::size_t n_done;
    std::size_t n_total;
    std::size_t n_failed;
  };


  /** What became of a generation. The same on every rank. */
  struct GenerationReport
  {
    struct FailedSample
    {
      Split       split;
      std::size_t sample;
      std::string reason;
    };

    /** Samples that an earlier, interrupted run had already finished. */
    std::size_t n_resumed = 0;

    /** Samples computed by this run, failed ones included. */
    std::size_t n_computed = 0;

    /** The samples that could not be solved in this run. */
    std::vector<FailedSample> failures;

    /** Whether the user asked to stop; the partial file can be resumed. */
    bool interrupted = false;

    /** Wall time of the calls to LinearProblem::solve_block(). */
    double seconds_solving = 0;

    /** Wall time of everything. */
    double seconds = 0;
  };


  /** Options of generate_dataset() that do not change the result. */
  struct GenerationOptions
  {
    /** Continue from the partial file of an interrupted run, if any. */
    bool resume = false;

    /** The parameters that describe the run, for the file. */
    std::string parameter_text = "";

    /** Further attributes of the file. */
    std::map<std::string, std::string> attributes = {};

    /** Called now and then; may be empty. */
    std::function<void(const GenerationProgress &)> on_progress = {};
  };


  /**
   * Draws random forcings, solves @p problem (which is set up) for each and
   * writes the pairs to the file @p target. Collective; rank 0 writes.
   *
   * Samples are worked on in batches of a size that depends on the mesh only:
   * while one batch is solved, the next is drawn and the last is written.
   * Finished batches survive whatever happens; see DatasetWriter. Meanwhile the
   * BLAS library works on one thread, so that its threads do not fight with
   * those of the stages.
   */
  template <int dim>
  GenerationReport
  generate_dataset(LinearProblem<dim>      &problem,
                   const ForcingParameters &forcing,
                   const DatasetParameters &dataset,
                   const std::string       &target,
                   const GenerationOptions &options = GenerationOptions());


  /**
   * Draws the first @p n_samples random forcings of a split and solves
   * @p problem, which is set up, for each: the samples that generate_dataset()
   * would write. Those that cannot be solved are left out. Collective.
   */
  template <int dim>
  Samples
  generate_samples(LinearProblem<dim>      &problem,
                   const ForcingParameters &forcing,
                   const Split              split,
                   const std::size_t        n_samples);


  /**
   * Opens a dataset on all ranks of @p communicator, or throws the same Error
   * on all.
   */
  std::unique_ptr<DatasetReader>
  open_dataset(const std::string &path, const MPI_Comm communicator);

  /** Whether a file is a dataset made with just these parameters. Collective.
   */
  bool
  is_dataset_of(const std::string &path,
                const std::string &parameters,
                const MPI_Comm     communicator);
} // namespace Evergreen

#endif
