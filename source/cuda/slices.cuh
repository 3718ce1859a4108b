// The kernels of PW-OGA: what Slice does for one slice on a processor, a block
// of threads does here.

#ifndef evergreen_cuda_slices_cuh
#define evergreen_cuda_slices_cuh

#include "device.cuh"

#include <cstddef>

namespace Evergreen
{
  namespace Cuda
  {
    /**
     * The slices of a group on the device. Vectors have n_rows entries, of
     * which the first n_dot make up inner products and the first n_data errors;
     * the rest belongs to held-out samples. Arrays of slice s begin at s times
     * the size that is given in brackets.
     */
    struct SliceArrays
    {
      std::size_t n_slices;
      std::size_t n_rows;
      std::size_t n_dot;
      std::size_t n_data;
      std::size_t n_atoms; ///< of a dictionary
      std::size_t max_neurons;

      double *basis; ///< [max_neurons n_rows]
      double *residual; ///< [n_rows]
      float  *residual_single; ///< [n_rows]; nullptr if not needed
      double *norm; ///< of the residual

      const double *misfit;
      const double *square_norm;

      /** The slices' own atoms: those of slice s are own_starts[s] and on. */
      const unsigned int *own_starts;
      const double       *own_h;
      const double       *own_norms;
      double             *own_scores;

      /** Room for the search. */
      double        *scores; ///< [n_atoms]
      unsigned char *tried; ///< [n_atoms]

      /** What is found, see Fit. */
      int          *reason;
      unsigned int *count;
      unsigned int *chosen; ///< [max_neurons]
      double       *factor; ///< [max_neurons (max_neurons + 1) / 2]
      double       *projection; ///< [max_neurons]
      double       *train; ///< [max_neurons + 1]
      double       *validation; ///< [max_neurons + 1]; nullptr if none
      unsigned int *best_validation; ///< where it was smallest

      /** The parameters, see GreedyParameters. */
      bool         normalised;
      double       span_tolerance;
      std::size_t  max_skipped; ///< 0 for no limit
      double       tolerance;
      unsigned int rank;
      unsigned int n_neurons;
      unsigned int patience;
    };


    /** One dictionary on the device. */
    struct DictionaryArrays
    {
      const double *h; ///< n_rows for each atom
      const double *norms; ///< by the first n_dot rows
      const double *max_norm; ///< the largest
    };


    /** What the host is told of an iteration, summed over the slices. */
    struct IterationCounts
    {
      unsigned int active; ///< slices that want more
      unsigned int candidates; ///< atoms that were looked at closely
    };


    /** Makes the errors of empty approximations of all slices. */
    void
    start_slices(const Device &device, const SliceArrays &slices);

    /**
     * Norms of n dictionaries from their coordinates, and a copy of these in
     * single precision if @p h_single is there.
     */
    void
    finish_dictionaries(const Device &device,
                        std::size_t   n_dictionaries,
                        std::size_t   n_atoms,
                        std::size_t   n_rows,
                        std::size_t   n_dot,
                        const double *h,
                        float        *h_single,
                        double       *norms,
                        double       *max_norms);

    /**
     * One iteration of all active slices: the best atom by @p correlations
     * (n_atoms for each slice), whose errors are at most @p rounding times
     * the product of norms, is orthogonalised and removed from the residual.
     */
    template <typename Number>
    void
    advance_slices(const Device           &device,
                   const SliceArrays      &slices,
                   const DictionaryArrays &dictionary,
                   const Number           *correlations,
                   double                  rounding,
                   IterationCounts        *counts);
  } // namespace Cuda
} // namespace Evergreen

#endif
