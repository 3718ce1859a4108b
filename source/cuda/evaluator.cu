#include "evaluator.cuh"
#include "search.cuh"

#include <evergreen/base/error.h>

#include <algorithm>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      // The fused search launches at most so many atoms at once.
      constexpr std::size_t max_atoms_per_launch = 4096;


      /** The end of the run of atoms of one kind that begins at @p first. */
      std::size_t
      end_of_run(const AtomList &atoms, const std::size_t first)
      {
        std::size_t end = first + 1;
        while (end < atoms.size() && end - first < max_atoms_per_launch &&
               atoms.kinds[end] == atoms.kinds[first])
          ++end;
        return end;
      }


      template <typename Number>
      Number *
      numbers(DeviceArray<char> &bytes, const std::size_t n)
      {
        bytes.resize(n * sizeof(Number));
        return reinterpret_cast<Number *>(bytes.data());
      }
    } // namespace


    CudaEvaluator::CudaEvaluator() : projector(device)
    {}


    void
    CudaEvaluator::reinit(const QuadratureRule      &new_rule,
                          const std::vector<double> &new_c,
                          const std::size_t          new_n_rows)
    {
      Evaluator::reinit(new_rule, new_c, new_n_rows);
      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      projector.reinit(new_rule, new_c, new_n_rows);
    }


    void
    CudaEvaluator::coordinates(const AtomList &atoms, double *h) const
    {
      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      projector.coordinates(atoms, h);
    }


    template <typename Number>
    void
    CudaEvaluator::correlate_on_device(const std::size_t    n,
                                       const Number        *h,
                                       const std::size_t    ldh,
                                       const std::size_t    n_atoms,
                                       const Number *const *residuals,
                                       const std::size_t    n_slices,
                                       Number              *result) const
    {
      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      std::vector<Number> a, b;
      for (std::size_t j = 0; j < n_atoms; ++j)
        a.insert(a.end(), h + j * ldh, h + j * ldh + n);
      for (std::size_t s = 0; s < n_slices; ++s)
        b.insert(b.end(), residuals[s], residuals[s] + n);
      Number *const device_h = numbers<Number>(left, a.size());
      Number *const device_r = numbers<Number>(right, b.size());
      Number *const device_c = numbers<Number>(products, n_atoms * n_slices);
      device.upload(device_h, a.data(), a.size() * sizeof(Number));
      device.upload(device_r, b.data(), b.size() * sizeof(Number));
      correlate(device, n, device_h, n_atoms, device_r, n_slices, device_c);
      device.download(result, device_c, n_atoms * n_slices * sizeof(Number));
    }


    template <typename Number>
    void
    CudaEvaluator::search_on_device(const AtomList   &atoms,
                                    const std::size_t n_x,
                                    const double     *x,
                                    const Number     *p,
                                    const std::size_t ldp,
                                    double           *result) const
    {
      const unsigned int dim = rule->dim;
      if (dim > 3 || atoms.dim != 2 * dim)
        throw Error("The search for atoms in ",
                    atoms.dim,
                    " variables at points with ",
                    dim,
                    " coordinates is not possible.");
      std::fill(result, result + atoms.size(), 0.);
      if (n_x == 0 || rule->n_points() == 0 || atoms.size() == 0)
        return;

      const std::lock_guard<std::mutex> lock(mutex);
      device.make_current();
      device_atoms.assign(device, atoms, 0, atoms.size());
      const AtomArrays arrays = device_atoms.arrays(
        device_atoms.has_radial() ? projector.tables.get(device) : nullptr);
      points.resize(n_x * dim);
      device.upload(points.data(), x, n_x * dim * sizeof(double));
      Number *const weights = numbers<Number>(left, n_x * ldp);
      device.upload(weights, p, n_x * ldp * sizeof(Number));
      const KernelPoints<Number> kernel_points = {
        n_x, points.data(), rule->n_points(), projector.points(), weights, ldp};
      parts.resize(n_kernel_parts(rule->n_points()) *
                   std::min(atoms.size(), max_atoms_per_launch));
      sums.resize(atoms.size());
      for (std::size_t first = 0, end; first < atoms.size(); first = end)
        {
          end = end_of_run(atoms, first);
          kernel_sums(device,
                      static_cast<int>(dim),
                      static_cast<int>(atoms.kinds[first]),
                      arrays,
                      first,
                      end - first,
                      kernel_points,
                      parts.data(),
                      sums.data() + first);
        }
      device.download(result, sums.data(), atoms.size() * sizeof(double));
    }


    void
    CudaEvaluator::correlations(const std::size_t    n,
                                const double        *h,
                                const std::size_t    ldh,
                                const std::size_t    n_atoms,
                                const double *const *residuals,
                                const std::size_t    n_slices,
                                double              *result) const
    {
      correlate_on_device(n, h, ldh, n_atoms, residuals, n_slices, result);
    }


    void
    CudaEvaluator::correlations(const std::size_t   n,
                                const float        *h,
                                const std::size_t   ldh,
                                const std::size_t   n_atoms,
                                const float *const *residuals,
                                const std::size_t   n_slices,
                                float              *result) const
    {
      correlate_on_device(n, h, ldh, n_atoms, residuals, n_slices, result);
    }


    void
    CudaEvaluator::kernel_correlations(const AtomList   &atoms,
                                       const std::size_t n_x,
                                       const double     *x,
                                       const double     *p,
                                       const std::size_t ldp,
                                       double           *result) const
    {
      search_on_device(atoms, n_x, x, p, ldp, result);
    }


    void
    CudaEvaluator::kernel_correlations(const AtomList   &atoms,
                                       const std::size_t n_x,
                                       const double     *x,
                                       const float      *p,
                                       const std::size_t ldp,
                                       double           *result) const
    {
      search_on_device(atoms, n_x, x, p, ldp, result);
    }
  } // namespace Cuda
} // namespace Evergreen
