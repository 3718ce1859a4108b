// From atoms to their coordinates H = C B g(y_q), all on the device.

#ifndef evergreen_cuda_projector_cuh
#define evergreen_cuda_projector_cuh

#include "atom_functions.cuh"
#include "device.cuh"

#include <evergreen/dictionary/dictionary.h>
#include <evergreen/fem/quadrature_rule.h>

#include <vector>

namespace Evergreen
{
  namespace Cuda
  {
    /** The tables of all profiles on the device, made when they are needed. */
    class RadialTables
    {
    public:
      /** The tables; the first call uploads them. */
      const double *
      get(const Device &device);

    private:
      DeviceArray<double> coefficients;
      bool                is_ready = false;
    };


    /** A list of atoms on the device. */
    class DeviceAtoms
    {
    public:
      /** Takes the atoms [first, first + n) of a list. */
      void
      assign(const Device   &device,
             const AtomList &atoms,
             std::size_t     first,
             std::size_t     n);

      /**
       * The same for the dictionaries of the iterations
       * [iteration, iteration + n): ridge atoms are drawn on the device, those
       * of other families on the host. If there are such, @p drawn becomes a
       * list of all atoms in which those of the device are zeros.
       */
      void
      draw(const Device     &device,
           const Dictionary &dictionary,
           std::size_t       iteration,
           std::size_t       n,
           AtomList         &drawn);

      /** For kernels; with @p tables if there are radial atoms. */
      AtomArrays
      arrays(const double *tables) const;

      /** Whether an atom is radial. */
      bool
      has_radial() const;

    private:
      /** The part of draw() that the host does. */
      void
      draw_on_host(const Device     &device,
                   const Dictionary &dictionary,
                   std::size_t       iteration,
                   std::size_t       n,
                   AtomList         &drawn);

      std::size_t         size   = 0;
      bool                radial = false;
      DeviceArray<int>    kinds;
      DeviceArray<double> weights, biases;
    };


    /** The rule on the device: points, and B by rows. */
    struct RuleArrays
    {
      std::size_t         n_rows;
      const double       *points;
      const unsigned int *row_starts;
      const unsigned int *columns;
      const double       *values;
    };


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

      /** The most atoms that are projected at once. */
      std::size_t
      max_atoms() const;

      /** The bytes that max_atoms() atoms need besides their coordinates. */
      std::size_t
      work_bytes() const;

      /** The coordinates of atoms in a list, to the host. */
      void
      coordinates(const AtomList &atoms, double *h);

      /**
       * The coordinates of the dictionaries of the iterations
       * [iteration, iteration + n), to the device.
       */
      void
      dictionaries(const Dictionary &dictionary,
                   std::size_t       iteration,
                   std::size_t       n,
                   double           *h);

      /** The points of the rule, for other kernels. */
      const double *
      points() const;

      RadialTables tables;

    private:
      /** H for the present atoms, which are those of @p host from @p first. */
      void
      project(const AtomList &host,
              std::size_t     first,
              std::size_t     n,
              double         *h);

      void
      add_corrections(const AtomList &host, std::size_t first, std::size_t n);

      const Device         *device;
      const QuadratureRule *rule     = nullptr;
      std::size_t           n_rows   = 0;
      bool                  has_unit = false;

      DeviceArray<double>       rule_points, rule_values, c;
      DeviceArray<unsigned int> row_starts, columns;
      DeviceAtoms               atoms;
      DeviceArray<double>       actions, part;
      DeviceArray<unsigned int> correction_rows, correction_atoms;
      DeviceArray<double>       correction_values;
    };
  } // namespace Cuda
} // namespace Evergreen

#endif
