// A dataset on a finite element space as the plain arrays that the dictionary
// and the greedy algorithms work on.

#ifndef evergreen_learning_learning_data_h
#define evergreen_learning_learning_data_h

#include <evergreen/base/compat.h>

#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/space_rule.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Samples as columns: for every valid sample of a split the values at
   * @p nodes. Only one of forcings and solutions is read.
   */
  enum class Quantity
  {
    forcing,
    solution
  };
  std::vector<double>
  read_columns(const DatasetReader            &reader,
               const Split                     split,
               const Quantity                  quantity,
               const std::vector<std::size_t> &nodes);

  /**
   * The nodes at which slices of the kernel are wanted, in increasing order:
   * those nearest to @p sensors or, without any, all nodes that are not on
   * the boundary of the data.
   */
  std::vector<std::int64_t>
  response_nodes(const MeshData                         &mesh,
                 const std::vector<std::vector<double>> &sensors);
} // namespace Evergreen

#endif
