// What the tests of dataset files write: two small meshes and samples whose
// values are known.

#ifndef evergreen_tests_dataset_samples_h
#define evergreen_tests_dataset_samples_h

#include <evergreen/data/dataset_file.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    // The unit square, cut into two triangles.
    inline DatasetDescription
    square(const std::size_t n_train, const std::size_t n_test)
    {
      DatasetDescription description;
      description.mesh.dim       = 2;
      description.mesh.cell_type = "triangle";
      description.mesh.points    = {0., 0., 1., 0., 0., 1., 1., 1.};
      description.mesh.cells     = {0, 1, 2, 1, 3, 2};
      description.mesh.boundary  = {0, 3};
      description.parameters     = "subsection Forcing\n  set Seed = 1\nend\n";
      description.n_train        = n_train;
      description.n_test         = n_test;
      return description;
    }


    // A line with many nodes, so that samples are large.
    inline DatasetDescription
    line(const std::size_t n_nodes, const std::size_t n_train)
    {
      DatasetDescription description;
      description.mesh.dim       = 1;
      description.mesh.cell_type = "line";
      for (std::size_t i = 0; i < n_nodes; ++i)
        description.mesh.points.push_back(static_cast<double>(i));
      for (std::size_t i = 0; i + 1 < n_nodes; ++i)
        {
          description.mesh.cells.push_back(i);
          description.mesh.cells.push_back(i + 1);
        }
      description.n_train = n_train;
      return description;
    }


    inline double
    value(const std::size_t sample, const std::size_t node, const bool solution)
    {
      return std::sin(1. + 13. * sample + 0.37 * node) + (solution ? 10. : 0.);
    }


    inline std::vector<double>
    values(const std::size_t first,
           const std::size_t count,
           const std::size_t n_nodes,
           const bool        solution)
    {
      std::vector<double> result;
      for (std::size_t j = first; j < first + count; ++j)
        for (std::size_t i = 0; i < n_nodes; ++i)
          result.push_back(value(j, i, solution));
      return result;
    }


    inline void
    write_samples(DatasetWriter    &writer,
                  const Split       split,
                  const std::size_t first,
                  const std::size_t count,
                  const std::size_t n_nodes)
    {
      writer.write(split,
                   first,
                   count,
                   values(first, count, n_nodes, false).data(),
                   values(first, count, n_nodes, true).data());
    }
  } // namespace Testing
} // namespace Evergreen

#endif
