#include "production.h"

#include <evergreen/base/collective.h>
#include <evergreen/base/random.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  namespace Internal
  {
    using namespace dealii;

    template <int dim>
    Production<dim>::Production(LinearProblem<dim>      &problem_,
                                const ForcingParameters &forcing_)
      : problem(problem_)
      , space(problem_.space())
      , forcing(forcing_)
      , field(forcing_, dim, space.points(), space.local_nodes())
    {}


    template <int dim>
    void
    Production<dim>::find_layout()
    {
      const auto parts =
        Utilities::MPI::gather(space.communicator(), space.local_nodes());
      n_nodes_of_rank =
        Utilities::MPI::all_gather(space.communicator(),
                                   static_cast<int>(space.n_local_nodes()));
      for (const auto &part : parts)
        all_nodes.insert(all_nodes.end(), part.begin(), part.end());
    }


    template <int dim>
    void
    Production<dim>::draw(const Batch &batch, BatchValues &values) const
    {
      values.forcings.resize(space.n_local_nodes() * batch.count);
      field.sample(batch.split == Split::train
                     ? Random::Stream::training_forcing
                     : Random::Stream::test_forcing,
                   batch.first,
                   batch.count,
                   values.forcings.data());
    }


    template <int dim>
    void
    Production<dim>::solve(const Batch      &batch,
                           BatchValues      &values,
                           GenerationReport &report)
    {
      if (space.hanging_nodes().is_coupled())
        space.hanging_nodes().distribute(values.forcings.data(), batch.count);
      if (forcing.normalise)
        normalise(batch, values.forcings);
      values.solutions.resize(values.forcings.size());
      values.status.assign(batch.count, SampleStatus::solved);
      const double start = MPI_Wtime();
      for (const auto &failure : problem.solve_block(values.forcings.data(),
                                                     values.solutions.data(),
                                                     batch.count))
        {
          values.status[failure.sample] = SampleStatus::failed;
          report.failures.push_back(
            {batch.split, batch.first + failure.sample, failure.reason});
        }
      report.seconds_solving += MPI_Wtime() - start;
      mark_infinite_solutions(batch, values, report);
      if (forcing.noise > 0 && batch.split == Split::train)
        add_noise(batch, values.solutions);
    }


    template <int dim>
    void
    Production<dim>::sum_over_ranks(std::vector<double> &values) const
    {
      Collective::sum(space.communicator(), values);
    }


    /** A solution with a value that is not finite on some rank has failed. */
    template <int dim>
    void
    Production<dim>::mark_infinite_solutions(const Batch      &batch,
                                             BatchValues      &values,
                                             GenerationReport &report) const
    {
      const std::size_t   n = space.n_local_nodes();
      std::vector<double> n_bad(batch.count, 0.);
      for (std::size_t j = 0; j < batch.count; ++j)
        n_bad[j] = std::count_if(values.solutions.begin() + j * n,
                                 values.solutions.begin() + (j + 1) * n,
                                 [](double u) { return !std::isfinite(u); });
      sum_over_ranks(n_bad);
      for (std::size_t j = 0; j < batch.count; ++j)
        if (n_bad[j] > 0 && values.status[j] == SampleStatus::solved)
          {
            values.status[j] = SampleStatus::failed;
            report.failures.push_back(
              {batch.split, batch.first + j, "the solution is not finite"});
          }
    }


    /** Scales every forcing to unit L2 norm. */
    template <int dim>
    void
    Production<dim>::normalise(const Batch         &batch,
                               std::vector<double> &forcings) const
    {
      const std::size_t n       = space.n_local_nodes();
      const auto        squares = space.square_norms(forcings, batch.count);
      for (std::size_t j = 0; j < batch.count; ++j)
        for (std::size_t i = 0; i < n; ++i)
          forcings[j * n + i] /= std::sqrt(squares[j]);
    }


    /** Adds independent noise relative to the solution's root mean square. */
    template <int dim>
    void
    Production<dim>::add_noise(const Batch         &batch,
                               std::vector<double> &solutions) const
    {
      const std::size_t   n = space.n_local_nodes();
      std::vector<double> squares(batch.count, 0.);
      for (std::size_t j = 0; j < batch.count; ++j)
        for (std::size_t i = 0; i < n; ++i)
          squares[j] += std::pow(solutions[j * n + i], 2);
      sum_over_ranks(squares);

      for (std::size_t j = 0; j < batch.count; ++j)
        {
          const double level =
            forcing.noise * std::sqrt(squares[j] / space.n_nodes());
          for (std::size_t i = 0; i < n; ++i)
            if (!space.is_constrained(i))
              solutions[j * n + i] +=
                level * Random::normal(forcing.seed,
                                       Random::Stream::noise,
                                       batch.first + j,
                                       space.local_nodes()[i]);
        }
    }


    template <int dim>
    void
    Production<dim>::gather(const Batch &batch, BatchValues &values) const
    {
      if (n_nodes_of_rank.size() == 1)
        return;
      gather(batch.count, values.forcings, values.all_forcings);
      gather(batch.count, values.solutions, values.all_solutions);
    }


    template <int dim>
    void
    Production<dim>::gather(const std::size_t          count,
                            const std::vector<double> &local,
                            std::vector<double>       &all) const
    {
      std::vector<int> counts, offsets;
      int              offset = 0;
      for (const int n : n_nodes_of_rank)
        {
          counts.push_back(n * static_cast<int>(count));
          offsets.push_back(offset);
          offset += counts.back();
        }
      all.resize(all_nodes.size() * count);
      MPI_Gatherv(local.data(),
                  static_cast<int>(local.size()),
                  MPI_DOUBLE,
                  all.data(),
                  counts.data(),
                  offsets.data(),
                  MPI_DOUBLE,
                  0,
                  space.communicator());
    }


    template <int dim>
    void
    Production<dim>::write(const Batch       &batch,
                           const BatchValues &values,
                           DatasetWriter     &writer)
    {
      const bool alone = n_nodes_of_rank.size() == 1;
      writer.write(batch.split,
                   batch.first,
                   batch.count,
                   in_node_order(batch.count,
                                 alone ? values.forcings : values.all_forcings,
                                 ordered_forcings),
                   in_node_order(batch.count,
                                 alone ? values.solutions
                                       : values.all_solutions,
                                 ordered_solutions),
                   values.status.data());
    }


    /** Returns the values themselves if they have that order already. */
    template <int dim>
    const double *
    Production<dim>::in_node_order(const std::size_t          count,
                                   const std::vector<double> &all,
                                   std::vector<double>       &ordered) const
    {
      const std::size_t m = space.n_nodes();
      if (n_nodes_of_rank.size() == 1 &&
          std::is_sorted(all_nodes.begin(), all_nodes.end()))
        return all.data();

      ordered.resize(m * count);
      const double      *source = all.data();
      const std::size_t *nodes  = all_nodes.data();
      for (const std::size_t n : n_nodes_of_rank)
        {
          for (std::size_t j = 0; j < count; ++j, source += n)
            for (std::size_t i = 0; i < n; ++i)
              ordered[j * m + nodes[i]] = source[i];
          nodes += n;
        }
      return ordered.data();
    }


    template class Production<1>;
    template class Production<2>;
    template class Production<3>;
  } // namespace Internal
} // namespace Evergreen
