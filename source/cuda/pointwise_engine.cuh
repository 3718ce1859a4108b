// PW-OGA on the device.

#ifndef evergreen_cuda_pointwise_engine_cuh
#define evergreen_cuda_pointwise_engine_cuh

#include "device.cuh"
#include "projector.cuh"
#include "slices.cuh"

#include <evergreen/greedy/pointwise_engine.h>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * Dictionaries, bases and residuals live on the device. An iteration is one
     * matrix product (the correlations of a whole dictionary with a whole group
     * of slices) and one kernel, and the host only hears, now and then, how
     * many slices are left. Copies that would have to be asynchronous to pay
     * are not there: a group's targets go up once, its outcomes come down once.
     */
    class CudaPointwiseEngine : public PointwiseEngine
    {
    public:
      CudaPointwiseEngine();

      void
      reinit(const Problem &problem) override;

      void
      coordinates(const AtomList &atoms, double *h) override;

      Plan
      plan(std::size_t n_slices) const override;

      void
      reserve(const Plan &plan) override;

      void
      make_dictionaries(std::size_t position,
                        std::size_t first,
                        std::size_t n) override;

      double *
      coordinates_on_host(std::size_t position, std::size_t n) override;

      void
      finish_dictionaries(std::size_t   position,
                          std::size_t   n,
                          const double *complete) override;

      void
      start(const std::vector<SliceStart> &starts) override;

      bool
      advance(std::size_t n) override;

      std::vector<Fit>
      outcomes() override;

    private:
      /** Whether the search may be in single precision. */
      bool
      may_be_single() const;

      /** The bytes that a dictionary and a slice need. */
      std::size_t
      dictionary_bytes() const;
      std::size_t
      slice_bytes() const;

      /** Uploads the slices' own atoms. */
      void
      start_own_atoms(const std::vector<SliceStart> &starts);

      /** What kernels get to know of the present group. */
      SliceArrays
      arrays() const;

      /** One iteration with the dictionary at a position. */
      void
      iterate(const SliceArrays &slices, std::size_t position, bool single);

      Device    device;
      Projector projector;
      Problem   problem;

      std::size_t max_neurons = 0;
      std::size_t n_slices    = 0;

      std::vector<double>          staged; ///< coordinates on the host
      DeviceArray<double>          h, norms, max_norms;
      DeviceArray<float>           h_single;
      DeviceArray<double>          correlations;
      DeviceArray<float>           correlations_single;
      DeviceArray<IterationCounts> counts;

      DeviceArray<double>        basis, residual, norm, misfit, square_norm;
      DeviceArray<float>         residual_single;
      DeviceArray<unsigned int>  own_starts;
      DeviceArray<double>        own_h, own_norms, own_scores;
      DeviceArray<double>        scores;
      DeviceArray<unsigned char> tried;
      DeviceArray<int>           reason;
      DeviceArray<unsigned int>  count, chosen, best_validation;
      DeviceArray<double>        factor, projection, train, validation;
    };
  } // namespace Cuda
} // namespace Evergreen

#endif
