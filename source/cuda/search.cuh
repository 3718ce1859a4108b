// The fused search of the full algorithm.

#ifndef evergreen_cuda_search_cuh
#define evergreen_cuda_search_cuh

#include "atom_functions.cuh"
#include "device.cuh"

namespace Evergreen
{
  namespace Cuda
  {
    /** The points of the fused search. */
    template <typename Number>
    struct KernelPoints
    {
      std::size_t   n_x;
      const double *x;
      std::size_t   n_y;
      const double *y;
      const Number *p; ///< the weights, p[i ldp + q]
      std::size_t   ldp;
    };

    /** The number of partial sums that kernel_sums() needs for an atom. */
    std::size_t
    n_kernel_parts(std::size_t n_y);

    /**
     * \f$\sum_{iq} g_j(x_i,y_q)P_{iq}\f$ for the atoms [first, first + n), all
     * of one kind, in (x, y) with @p dim coordinates each, by @p parts for
     * n_kernel_parts() sums of n atoms, into @p result.
     */
    template <typename Number>
    void
    kernel_sums(const Device               &device,
                int                         dim,
                int                         kind,
                const AtomArrays           &atoms,
                std::size_t                 first,
                std::size_t                 n,
                const KernelPoints<Number> &points,
                double                     *parts,
                double                     *result);
  } // namespace Cuda
} // namespace Evergreen

#endif
