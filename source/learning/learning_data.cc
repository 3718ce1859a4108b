#include <evergreen/base/error.h>
#include <evergreen/learning/learning_data.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  std::vector<double>
  read_columns(const DatasetReader            &reader,
               const Split                     split,
               const Quantity                  quantity,
               const std::vector<std::size_t> &nodes)
  {
    const auto          samples = reader.valid_samples(split);
    std::vector<double> columns(nodes.size() * samples.size());
    std::vector<double> row(reader.mesh().n_nodes());
    for (std::size_t j = 0; j < samples.size(); ++j)
      {
        if (quantity == Quantity::forcing)
          reader.read_forcings(split, samples[j], 1, row.data());
        else
          reader.read_solutions(split, samples[j], 1, row.data());
        for (std::size_t i = 0; i < nodes.size(); ++i)
          columns[j * nodes.size() + i] = row[nodes[i]];
      }
    return columns;
  }


  std::vector<std::int64_t>
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

    std::vector<std::int64_t> nodes;
    for (const auto &sensor : sensors)
      {
        if (sensor.size() != mesh.dim)
          throw UsageError("A point of 'Sensors' in section 'Greedy' has ",
                           sensor.size(),
                           " coordinates, but the domain has dimension ",
                           mesh.dim,
                           ".");
        const auto square_distance = [&](const std::int64_t node) {
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
