// Fits as plain numbers, for checkpoints and for the way between ranks.

#ifndef evergreen_learning_packed_fit_h
#define evergreen_learning_packed_fit_h

#include <evergreen/greedy/fit.h>

#include <cstdint>
#include <map>
#include <vector>

namespace Evergreen
{
  /** The fit of one slice, and its coefficients with fewer neurons. */
  struct SliceFit
  {
    std::int64_t                               node = 0;
    Fit                                        fit;
    std::map<std::size_t, std::vector<double>> levels;
  };

  /** Appends a fit to a list of numbers. */
  void
  pack(const SliceFit &slice, std::vector<double> &numbers);

  /** Reads all fits of a list of numbers. */
  std::vector<SliceFit>
  unpack(const std::vector<double> &numbers);

  /**
   * The numbers of neurons at which coefficients are kept: 1, 2, 3, 4, 6, 8,
   * 12, ..., and the last one.
   */
  std::vector<std::size_t>
  history_levels(const std::size_t n_neurons);
} // namespace Evergreen

#endif
