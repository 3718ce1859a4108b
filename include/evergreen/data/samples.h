// Pairs of forcings and solutions in memory.

#ifndef evergreen_data_samples_h
#define evergreen_data_samples_h

#include <evergreen/data/dataset_file.h>
#include <evergreen/fem/boundary_data.h>
#include <evergreen/fem/space.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * Pairs (f, u): columns of the values that this rank owns, in the order of
   * its degrees of freedom.
   */
  struct Samples
  {
    std::vector<double> forcings;
    std::vector<double> solutions;

    /** The number of pairs, the same on all ranks. */
    std::size_t n_samples = 0;

    /** What f is: a forcing, or data on the boundary (zero elsewhere). */
    Input input = Input::forcing;

    /**
     * Appends a pair of deal.II's or Trilinos' distributed vectors (or of
     * serial ones in a program on one rank).
     */
    template <typename Vector>
    void
    add(const Vector &forcing, const Vector &solution)
    {
      forcings.insert(forcings.end(), forcing.begin(), forcing.end());
      solutions.insert(solutions.end(), solution.begin(), solution.end());
      ++n_samples;
    }
  };


  /** What the forcings of a dataset are: its attribute "input". */
  Input
  input_of(const DatasetReader &reader);


  /**
   * The valid samples of a split of a dataset on the same mesh. Every rank
   * reads a share of the file and sends the others what they own. Collective.
   */
  template <int dim>
  Samples
  load_samples(const DatasetReader &reader,
               const Split          split,
               const Space<dim>    &space);


  /** What a sample consists of. */
  enum class Quantity
  {
    forcing,
    solution
  };

  /**
   * The forcings or the solutions of the valid samples of a split as columns of
   * values at all nodes. For one process.
   */
  std::vector<double>
  read_columns(const DatasetReader &reader,
               const Split          split,
               const Quantity       quantity);
} // namespace Evergreen

#endif
