// A kernel that is known in closed form.

#ifndef evergreen_tests_report_exact_kernel_h
#define evergreen_tests_report_exact_kernel_h

#include <evergreen/kernel/learned_kernel.h>

#include <cmath>

namespace Evergreen
{
  namespace Testing
  {
    /**
     * Poisson's on the interval, G(x, y) = (1 - x) max(y, 0) - max(y - x, 0),
     * as a point-wise one; an error may be added to each slice.
     */
    inline LearnedKernel
    exact_kernel(const MeshData &mesh, const double perturbation = 0.)
    {
      LearnedKernel kernel;
      kernel.mesh             = mesh;
      kernel.response         = free_nodes(mesh);
      const double one        = 1;
      Expansions  &expansions = kernel.expansions;
      expansions.pool         = AtomList(1);
      expansions.pool.push_back(AtomKind::relu_1, &one, 0.);
      expansions.levels.push_back({2, {}});
      for (const auto node : kernel.response)
        {
          const double x            = mesh.points[node];
          auto        &coefficients = expansions.levels[0].coefficients;
          expansions.atoms.push_back(0);
          expansions.atoms.push_back(expansions.pool.size());
          expansions.pool.push_back(AtomKind::relu_1, &one, -x);
          coefficients.push_back(1 - x + perturbation);
          coefficients.push_back(-1);
          expansions.starts.push_back(expansions.atoms.size());
        }
      for (const std::size_t n : {1, 2, 4, 8, 16, 32})
        {
          const auto i                   = kernel.history.add(n);
          kernel.history.train_error[i]  = std::pow(n, -2.);
          kernel.history.test_error[i]   = 2 * std::pow(n, -1.5);
          kernel.history.kernel_error[i] = std::pow(n, -1.);
        }
      return kernel;
    }
  } // namespace Testing
} // namespace Evergreen

#endif
