#include <evergreen/base/collective.h>
#include <evergreen/data/samples.h>

#include <algorithm>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** So many bytes of rows a rank reads between two exchanges. */
    constexpr std::size_t memory_of_rows = std::size_t(64) << 20;


    /** Reads the rows of samples and hands their columns to their owners. */
    class Exchange
    {
    public:
      Exchange(const DatasetReader            &reader,
               const Split                     split,
               const std::vector<std::size_t> &nodes,
               const MPI_Comm                  communicator)
        : reader(reader)
        , split(split)
        , samples(reader.valid_samples(split))
        , n_own(nodes.size())
        , communicator(communicator)
        , nodes_of_rank(Utilities::MPI::all_gather(communicator, nodes))
      {}

      std::size_t
      n_samples() const
      {
        return samples.size();
      }

      std::vector<double>
      columns(const bool forcings) const
      {
        const std::size_t n_ranks = nodes_of_rank.size();
        const std::size_t n_nodes = reader.mesh().n_nodes();
        const std::size_t share =
          std::max<std::size_t>(1, memory_of_rows / 8 / n_nodes / n_ranks);
        std::vector<double> result(n_own * samples.size());
        for (std::size_t first = 0; first < samples.size();
             first += share * n_ranks)
          exchange(forcings, first, share, result);
        return result;
      }

    private:
      const DatasetReader                  &reader;
      Split                                 split;
      std::vector<std::size_t>              samples;
      std::size_t                           n_own;
      MPI_Comm                              communicator;
      std::vector<std::vector<std::size_t>> nodes_of_rank;

      /** Rank r reads the samples from first + r * share on. */
      void
      exchange(const bool           forcings,
               const std::size_t    first,
               const std::size_t    share,
               std::vector<double> &result) const
      {
        const std::size_t n_ranks = nodes_of_rank.size();
        const auto        begin   = [&](const std::size_t rank) {
          return std::min(first + rank * share, samples.size());
        };
        const std::size_t rank = Utilities::MPI::this_mpi_process(communicator);
        std::vector<double>              row(reader.mesh().n_nodes());
        std::vector<std::vector<double>> parts(n_ranks);
        collectively(communicator, [&]() {
          for (std::size_t j = begin(rank); j < begin(rank + 1); ++j)
            {
              if (forcings)
                reader.read_forcings(split, samples[j], 1, row.data());
              else
                reader.read_solutions(split, samples[j], 1, row.data());
              for (std::size_t r = 0; r < n_ranks; ++r)
                for (const std::size_t node : nodes_of_rank[r])
                  parts[r].push_back(row[node]);
            }
        });
        std::vector<double> received;
        send(parts, received, begin);
        std::copy(received.begin(),
                  received.end(),
                  result.begin() + first * n_own);
      }

      template <typename Begin>
      void
      send(const std::vector<std::vector<double>> &parts,
           std::vector<double>                    &received,
           const Begin                            &begin) const
      {
        const std::size_t   n_ranks = parts.size();
        std::vector<double> sent;
        std::vector<int>    n_sent, n_received, to(1, 0), from(1, 0);
        for (std::size_t r = 0; r < n_ranks; ++r)
          {
            sent.insert(sent.end(), parts[r].begin(), parts[r].end());
            n_sent.push_back(parts[r].size());
            n_received.push_back((begin(r + 1) - begin(r)) * n_own);
            to.push_back(to.back() + n_sent.back());
            from.push_back(from.back() + n_received.back());
          }
        received.resize(from.back());
        MPI_Alltoallv(sent.data(),
                      n_sent.data(),
                      to.data(),
                      MPI_DOUBLE,
                      received.data(),
                      n_received.data(),
                      from.data(),
                      MPI_DOUBLE,
                      communicator);
      }
    };
  } // namespace


  template <int dim>
  Samples
  load_samples(const DatasetReader &reader,
               const Split          split,
               const Space<dim>    &space)
  {
    std::vector<std::size_t> place(space.n_nodes()), nodes;
    const auto               node_of =
      space.match(reader.mesh().points, "'" + reader.path() + "'");
    for (std::size_t i = 0; i < node_of.size(); ++i)
      place[node_of[i]] = i;
    for (const std::size_t node : space.local_nodes())
      nodes.push_back(place[node]);
    const Exchange exchange(reader, split, nodes, space.communicator());
    Samples        result;
    result.forcings  = exchange.columns(true);
    result.solutions = exchange.columns(false);
    result.n_samples = exchange.n_samples();
    return result;
  }


  template Samples
  load_samples(const DatasetReader &, const Split, const Space<1> &);
  template Samples
  load_samples(const DatasetReader &, const Split, const Space<2> &);
  template Samples
  load_samples(const DatasetReader &, const Split, const Space<3> &);


  std::vector<double>
  read_columns(const DatasetReader &reader,
               const Split          split,
               const Quantity       quantity)
  {
    const std::size_t   n_nodes = reader.mesh().n_nodes();
    const auto          samples = reader.valid_samples(split);
    std::vector<double> columns(n_nodes * samples.size());
    for (std::size_t j = 0; j < samples.size(); ++j)
      if (quantity == Quantity::forcing)
        reader.read_forcings(split, samples[j], 1, &columns[j * n_nodes]);
      else
        reader.read_solutions(split, samples[j], 1, &columns[j * n_nodes]);
    return columns;
  }
} // namespace Evergreen
