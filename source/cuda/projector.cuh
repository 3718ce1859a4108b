// From atoms to their coordinates H = C B g(y_q), on the device.

#ifndef evergreen_cuda_projector_cuh
#define evergreen_cuda_projector_cuh

#include "atom_functions.cuh"
#include "device.cuh"

#include <evergreen/dictionary/evaluator.h>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * Evaluates atoms and projects them. The values of all atoms at all points
     * are computed on the device and never stored; the few corrections on cells
     * near the centre of a singular atom are computed by the host
     * (near_corrections()) and added on the device.
     */
    class Projector
    {
    public:
      explicit Projector(const Device &device);

      /** Takes rule and matrix as Evaluator::reinit() does. */
      void
      reinit(const QuadratureRule      &rule,
             const std::vector<double> &c,
             std::size_t                n_rows);

      /** The bytes that the projection needs besides the coordinates. */
      std::size_t
      work_bytes() const;

      /**
       * Brings the atoms [first, first + n) of a list to the device, where they
       * stay until the next call.
       */
      AtomArrays
      upload(const AtomList &list, std::size_t first, std::size_t n);

      /** The coordinates of atoms in a list, to the device. */
      void
      project(const AtomList &list, double *h);

      /** The same, to the host. */
      void
      coordinates(const AtomList &list, double *h);

      /** The points of the rule, for other kernels. */
      const double *
      points() const;

    private:
      /** The most atoms that are projected at once. */
      std::size_t
      max_atoms() const;

      /** H for the atoms [first, first + n). */
      void
      project(const AtomList &list,
              std::size_t     first,
              std::size_t     n,
              double         *h);

      void
      add_corrections(const AtomList &list, std::size_t first, std::size_t n);

      const Device         *device;
      const QuadratureRule *rule     = nullptr;
      std::size_t           n_rows   = 0;
      bool                  has_unit = false;

      DeviceArray<double>         rule_points, rule_values, c;
      DeviceArray<unsigned int>   row_starts, columns;
      DeviceArray<int>            kinds;
      DeviceArray<double>         weights, biases, tables, actions, part;
      DeviceArray<NearCorrection> corrections;
    };
  } // namespace Cuda
} // namespace Evergreen

#endif
