// The stages that a batch of samples goes through on its way to the dataset
// file; used by generator.cc only.

#ifndef evergreen_source_data_production_h
#define evergreen_source_data_production_h

#include <evergreen/data/generator.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  namespace Internal
  {
    /** A few consecutive samples of one split. */
    struct Batch
    {
      Split       split;
      std::size_t first;
      std::size_t count;
    };


    /**
     * The values of a batch: one sample after the other, at the local nodes in
     * the order of the degrees of freedom. Objects are used for one batch after
     * the other, since fresh memory is slow.
     */
    struct BatchValues
    {
      std::vector<double>       forcings;
      std::vector<double>       solutions;
      std::vector<SampleStatus> status;

      /** On rank 0, if there are others: the values of one rank after another.
       */
      std::vector<double> all_forcings;
      std::vector<double> all_solutions;
    };


    /**
     * Draws, solves, gathers and writes batches. Solving and gathering
     * communicate: they belong to the thread that does so. Drawing and writing
     * do not and may run on others, each one batch at a time.
     */
    template <int dim>
    class Production
    {
    public:
      Production(LinearProblem<dim> &problem, const ForcingParameters &forcing);

      /** Learns which rank has which nodes. Collective, and the first call. */
      void
      find_layout();

      void
      draw(const Batch &batch, BatchValues &values) const;

      void
      solve(const Batch &batch, BatchValues &values, GenerationReport &report);

      /** Collects the values of all ranks on rank 0. */
      void
      gather(const Batch &batch, BatchValues &values) const;

      /** On rank 0: brings all values into the order of the nodes. */
      void
      write(const Batch       &batch,
            const BatchValues &values,
            DatasetWriter     &writer);

    private:
      void
      sum_over_ranks(std::vector<double> &values) const;

      void
      mark_infinite_solutions(const Batch      &batch,
                              BatchValues      &values,
                              GenerationReport &report) const;

      void
      normalise(const Batch &batch, std::vector<double> &forcings) const;

      void
      add_noise(const Batch &batch, std::vector<double> &solutions) const;

      void
      gather(std::size_t                count,
             const std::vector<double> &local,
             std::vector<double>       &all) const;

      const double *
      in_node_order(std::size_t                count,
                    const std::vector<double> &all,
                    std::vector<double>       &ordered) const;

      LinearProblem<dim>      &problem;
      const Space<dim>        &space;
      const ForcingParameters &forcing;
      const RandomField        field;

      /** The numbers of local nodes of all ranks. */
      std::vector<int> n_nodes_of_rank;

      /** On rank 0: the nodes of all ranks, one rank after the other. */
      std::vector<std::size_t> all_nodes;

      /** What is written, in the order of the nodes. */
      std::vector<double> ordered_forcings;
      std::vector<double> ordered_solutions;
    };
  } // namespace Internal
} // namespace Evergreen

#endif
