#include <evergreen/base/collective.h>
#include <evergreen/data/samples.h>

#include <algorithm>
#include <map>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** So many bytes of rows a rank reads between two exchanges. */
    constexpr std::size_t memory_of_rows = std::size_t(64) << 20;
  } // namespace


  Input
  input_of(const DatasetReader &reader)
  {
    const std::string name = reader.attribute("input");
    return name.empty() ? Input::forcing : input_from_name(name);
  }


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

    const MPI_Comm communicator = space.communicator();
    const auto     samples      = reader.valid_samples(split);
    const auto     nodes_of   = Utilities::MPI::all_gather(communicator, nodes);
    const std::size_t n_ranks = nodes_of.size();
    const std::size_t rank    = Utilities::MPI::this_mpi_process(communicator);
    const std::size_t n_nodes = reader.mesh().n_nodes();
    const std::size_t share =
      std::max<std::size_t>(1, memory_of_rows / 8 / n_nodes / n_ranks);

    // Each rank reads a share of the rows and hands them to their owners.
    std::vector<double> row(n_nodes);
    const auto          columns = [&](const bool forcings) {
      std::vector<double> result(nodes.size() * samples.size());
      for (std::size_t first = 0; first < samples.size();
           first += share * n_ranks)
        {
          const auto begin = [&](const std::size_t r) {
            return std::min(first + r * share, samples.size());
          };
          std::map<unsigned int, std::vector<double>> parts;
          collectively(communicator, [&]() {
            for (std::size_t j = begin(rank); j < begin(rank + 1); ++j)
              {
                if (forcings)
                  reader.read_forcings(split, samples[j], 1, row.data());
                else
                  reader.read_solutions(split, samples[j], 1, row.data());
                for (std::size_t r = 0; r < n_ranks; ++r)
                  for (const std::size_t node : nodes_of[r])
                    parts[r].push_back(row[node]);
              }
          });
          for (const auto &[r, values] :
               Utilities::MPI::some_to_some(communicator, parts))
            std::copy(values.begin(),
                      values.end(),
                      result.begin() + begin(r) * nodes.size());
        }
      return result;
    };
    Samples result;
    result.forcings  = columns(true);
    result.solutions = columns(false);
    result.n_samples = samples.size();
    result.input     = input_of(reader);
    return result;
  }


#define INSTANTIATE(dim) template decltype(load_samples<dim>) load_samples<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE


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
