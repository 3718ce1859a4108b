#include <evergreen/base/error.h>
#include <evergreen/kernel/learned_kernel.h>

#include <limits>

namespace Evergreen
{
  std::size_t
  LearningHistory::add(const std::size_t n_neurons)
  {
    neurons.push_back(n_neurons);
    for (auto *const errors : {&train_error,
                               &validation_error,
                               &test_error,
                               &kernel_error,
                               &seconds})
      errors->push_back(std::numeric_limits<double>::quiet_NaN());
    return neurons.size() - 1;
  }


  std::size_t
  LearnedKernel::n_neurons() const
  {
    return expansions.levels.empty() ? 0 : expansions.levels.back().n_neurons;
  }


  std::vector<std::int64_t>
  LearnedKernel::slice_of_node() const
  {
    std::vector<std::int64_t> result(mesh.n_nodes(), -1);
    for (std::size_t s = 0; s < response.size(); ++s)
      result[response[s]] = s;
    return result;
  }


  LearnedKernel
  LearnedKernel::with_neurons(const std::size_t n) const
  {
    LearnedKernel result = *this;
    // The table was made with all neurons.
    if (n != n_neurons())
      result.table.reset();
    result.expansions.levels.clear();
    for (const auto &level : expansions.levels)
      if (level.n_neurons == n)
        result.expansions.levels.push_back(level);
    if (result.expansions.levels.empty())
      throw Error("The kernel is not known with ", n, " neurons.");
    return result;
  }


  double
  LearnedKernel::value(const Expansion &slice, const double *const y) const
  {
    if (frame.is_trivial())
      return slice.value(y);
    const auto image =
      frame.images(mesh.dim, std::vector<double>(y, y + mesh.dim));
    return frame.factor(y) * slice.value(image.data());
  }


  Expansions
  LearnedKernel::slices(const std::vector<std::size_t> &wanted) const
  {
    if (is_pointwise())
      return expansions.subset(wanted);
    std::vector<double> x;
    for (const std::size_t s : wanted)
      for (unsigned int d = 0; d < mesh.dim; ++d)
        x.push_back(mesh.points[response[s] * mesh.dim + d]);
    return expansions.restricted(wanted.size(), x.data());
  }
} // namespace Evergreen
