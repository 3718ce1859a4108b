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

      std::vector<double>
      kernel_correlations(const AtomList          &atoms,
                          MatrixView<const double> x,
                          MatrixView<const double> p,
                          bool                     single) const override;

    private:
      template <typename Number>
      std::vector<double>
      search(const AtomList          &atoms,
             MatrixView<const double> x,
             MatrixView<const Number> p) const;

      mutable std::mutex          mutex;
      Device                      device;
      mutable Projector           projector;
      mutable DeviceAtoms         device_atoms;
      mutable DeviceArray<double> points, parts, sums;
      mutable DeviceArray<char>   weights;
    };
  } // namespace Cuda
} // namespace Evergreen

#endif
