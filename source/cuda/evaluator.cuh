// The calls of Evaluator on the device.

#ifndef evergreen_cuda_evaluator_cuh
#define evergreen_cuda_evaluator_cuh

#include "device.cuh"
#include "projector.cuh"

#include <evergreen/dictionary/evaluator.h>

#include <mutex>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * The backend "cuda" of full OGA, and of everything that wants coordinates.
     * Threads that call at once take turns, since there is one device.
     */
    class CudaEvaluator : public Evaluator
    {
    public:
      CudaEvaluator();

      void
      reinit(const QuadratureRule      &rule,
             const std::vector<double> &c,
             std::size_t                n_rows) override;

      void
      coordinates(const AtomList &atoms, double *h) const override;

      void
      correlations(std::size_t          n,
                   const double        *h,
                   std::size_t          ldh,
                   std::size_t          n_atoms,
                   const double *const *residuals,
                   std::size_t          n_slices,
                   double              *result) const override;

      void
      correlations(std::size_t         n,
                   const float        *h,
                   std::size_t         ldh,
                   std::size_t         n_atoms,
                   const float *const *residuals,
                   std::size_t         n_slices,
                   float              *result) const override;

      void
      kernel_correlations(const AtomList &atoms,
                          std::size_t     n_x,
                          const double   *x,
                          const double   *p,
                          std::size_t     ldp,
                          double         *result) const override;

      void
      kernel_correlations(const AtomList &atoms,
                          std::size_t     n_x,
                          const double   *x,
                          const float    *p,
                          std::size_t     ldp,
                          double         *result) const override;

    private:
      template <typename Number>
      void
      correlate_on_device(std::size_t          n,
                          const Number        *h,
                          std::size_t          ldh,
                          std::size_t          n_atoms,
                          const Number *const *residuals,
                          std::size_t          n_slices,
                          Number              *result) const;

      template <typename Number>
      void
      search_on_device(const AtomList &atoms,
                       std::size_t     n_x,
                       const double   *x,
                       const Number   *p,
                       std::size_t     ldp,
                       double         *result) const;

      mutable std::mutex          mutex;
      Device                      device;
      mutable Projector           projector;
      mutable DeviceAtoms         device_atoms;
      mutable DeviceArray<double> points, parts, sums;
      mutable DeviceArray<char>   left, right, products;
    };
  } // namespace Cuda
} // namespace Evergreen

#endif
