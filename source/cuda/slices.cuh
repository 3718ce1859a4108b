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

      double *misfit;
      double *square_norm;

      /** The slices' own atoms: those of slice s are own_starts[s] and on. */
      unsigned int *own_starts;
      double       *own_h;
      double       *own_norms;
      double       *own_scores;

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


    /** Dictionaries on the device, one after the other. */
    struct DictionaryArrays
    {
      double *h; ///< n_rows for each atom
      float  *h_single; ///< the same; nullptr if not needed
      double *norms; ///< by the first n_dot rows
      double *max_norm; ///< the largest of a dictionary

      /** Those from a position on. */
      DictionaryArrays
      from(const std::size_t position, const SliceArrays &slices) const
      {
        const std::size_t atom   = position * slices.n_atoms;
        const std::size_t number = atom * slices.n_rows;
        return {h + number,
                h_single == nullptr ? nullptr : h_single + number,
                norms + atom,
                max_norm + position};
      }
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
     * Norms of dictionaries, of the sizes that @p slices has, from their
     * coordinates, and the copy of these in single precision.
     */
    void
    finish_dictionaries(const Device           &device,
                        const SliceArrays      &slices,
                        const DictionaryArrays &dictionaries,
                        std::size_t             n_dictionaries);

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
