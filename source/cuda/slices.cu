#include "reductions.cuh"
#include "slices.cuh"

#include <evergreen/greedy/fit.h>

#include <type_traits>

namespace Evergreen
{
  namespace Cuda
  {
    namespace
    {
      // A block has one slice, and at most so many threads.
      constexpr unsigned int threads = 128;

      // So many vectors of the basis are projected out at once.
      constexpr int group = 4;

      // As in Slice: a projection that leaves less than this part of the norm
      // is repeated.
      constexpr double cancellation = 1e-4;


      /** What the best atom has most of, by the wanted selection. */
      __device__ inline double
      score_of(const bool normalised, const double product, const double norm)
      {
        return normalised && norm > 0 ? fabs(product) / norm : fabs(product);
      }


      /** The dot product of two vectors by one warp, in all lanes. */
      __device__ inline double
      warp_dot(const std::size_t n, const double *a, const double *b)
      {
        double sum = 0;
        for (std::size_t i = threadIdx.x % warp_size; i < n; i += warp_size)
          sum += a[i] * b[i];
        return warp_sum_of_all(sum);
      }


      /** Stores the errors of n neurons and looks whether to stop. */
      __device__ void
      record(const SliceArrays &slices,
             const std::size_t  s,
             const unsigned int n,
             double            *scratch)
      {
        const double *const r       = slices.residual + s * slices.n_rows;
        double              sums[4] = {};
        for (std::size_t i = threadIdx.x; i < slices.n_rows; i += blockDim.x)
          {
            const double square = r[i] * r[i];
            if (i < slices.n_data)
              sums[0] += square;
            if (i < slices.n_dot)
              sums[1] += square;
            else
              sums[2] += square;
            if (slices.residual_single != nullptr)
              slices.residual_single[s * slices.n_rows + i] =
                static_cast<float>(r[i]);
          }
        block_sum_of_four(sums, scratch);
        if (threadIdx.x != 0)
          return;

        const double error = sums[0] + slices.misfit[s];
        slices.norm[s]     = sqrt(sums[1]);
        slices.count[s]    = n;
        slices.train[s * (slices.max_neurons + 1) + n] = error;
        if (slices.validation != nullptr)
          {
            double *const all =
              slices.validation + s * (slices.max_neurons + 1);
            all[n] = sums[2];
            if (n == 0 || sums[2] < all[slices.best_validation[s]])
              slices.best_validation[s] = n;
          }

        StopReason reason = StopReason::unfinished;
        if (error <=
            slices.tolerance * slices.tolerance * slices.square_norm[s])
          reason = StopReason::tolerance;
        else if (n >= slices.rank)
          reason = StopReason::rank;
        else if (n >= slices.n_neurons)
          reason = StopReason::neurons;
        else if (slices.patience > 0 && slices.validation != nullptr &&
                 n + 1 - slices.best_validation[s] > slices.patience)
          reason = StopReason::validation;
        slices.reason[s] = static_cast<int>(reason);
      }


      /** One block for each slice. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        start_slices_kernel(const SliceArrays slices)
      {
        double *const shared_memory = shared_numbers();
        record(slices, blockIdx.x, 0, shared_memory);
      }


      /** One warp for each atom. */
      __global__ void
      __launch_bounds__(threads, min_blocks)
        finish_dictionaries_kernel(const SliceArrays      slices,
                                   const DictionaryArrays dictionaries,
                                   const std::size_t      n_columns)
      {
        const unsigned int lane = threadIdx.x % warp_size;
        const std::size_t  j =
          (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
        if (j >= n_columns)
          return;
        const double *const column = dictionaries.h + j * slices.n_rows;
        const double        norm = sqrt(warp_dot(slices.n_dot, column, column));
        if (lane == 0)
          {
            dictionaries.norms[j] = norm;
            // Numbers that are not negative are ordered as their bits.
            atomicMax(reinterpret_cast<unsigned long long *>(
                        dictionaries.max_norm + j / slices.n_atoms),
                      static_cast<unsigned long long>(
                        __double_as_longlong(norm)));
          }
        if (dictionaries.h_single != nullptr)
          for (std::size_t i = lane; i < slices.n_rows; i += warp_size)
            dictionaries.h_single[j * slices.n_rows + i] =
              static_cast<float>(column[i]);
      }


      /**
       * The best atom of the dictionary that was not tried yet and its score,
       * or n_atoms and 0. All atoms that the errors of the correlations could
       * have kept from being the best are looked at again in double precision;
       * of equals the first is taken.
       */
      template <typename Number>
      __device__ unsigned int
      pick(const SliceArrays      &slices,
           const std::size_t       s,
           const DictionaryArrays &dictionary,
           const Number           *correlations,
           double                  rounding,
           IterationCounts        *counts,
           double                 *scratch,
           double                 &best)
      {
        const std::size_t          n        = slices.n_atoms;
        const double               norm     = slices.norm[s];
        const double               max_norm = *dictionary.max_norm;
        const unsigned char *const tried    = slices.tried + s * n;
        double *const              scores   = slices.scores + s * n;

        // Far from the ends of its range only, single precision has relative
        // errors; else it says nothing but that |h . r| <= |h| |r|.
        const bool in_range =
          !std::is_same<Number, float>::value ||
          (norm > 1e-12 && norm < 1e12 && max_norm > 1e-12 && max_norm < 1e12);
        if (!in_range)
          rounding = 1;
        const auto searched = [&](const std::size_t j) {
          return score_of(slices.normalised,
                          in_range ? double(correlations[s * n + j]) : 0.,
                          dictionary.norms[j]);
        };
        const auto error = [&](const std::size_t j) {
          return score_of(slices.normalised,
                          rounding * norm * dictionary.norms[j],
                          dictionary.norms[j]);
        };

        double least = 0;
        for (std::size_t j = threadIdx.x; j < n; j += blockDim.x)
          if (!tried[j])
            least = fmax(least, searched(j) - error(j));
        least = block_maximum(least, scratch);

        const double equals =
          1e-14 * norm * (slices.normalised ? 1. : max_norm);
        const double *const r  = slices.residual + s * slices.n_rows;
        best                   = 0;
        unsigned int looked_at = 0;
        for (std::size_t j = threadIdx.x / warp_size; j < n;
             j += blockDim.x / warp_size)
          {
            double exact = 0;
            if (!tried[j] && searched(j) + error(j) >= least - equals)
              {
                exact = score_of(slices.normalised,
                                 warp_dot(slices.n_dot,
                                          dictionary.h + j * slices.n_rows,
                                          r),
                                 dictionary.norms[j]);
                ++looked_at;
              }
            if (threadIdx.x % warp_size == 0)
              scores[j] = exact;
            best = fmax(best, exact);
          }
        if (threadIdx.x % warp_size == 0)
          atomicAdd(&counts->candidates, looked_at);
        best = block_maximum(best, scratch);

        unsigned int first = static_cast<unsigned int>(n);
        for (std::size_t j = threadIdx.x; j < n; j += blockDim.x)
          if (j < first && scores[j] > 0 && scores[j] >= best - equals)
            first = static_cast<unsigned int>(j);
        first = block_minimum(first, static_cast<unsigned int>(n), scratch);
        best  = first < n ? scores[first] : 0.;
        return first;
      }


      /** Removes the first n vectors of a basis from q; adds to column. */
      __device__ void
      project_out(const SliceArrays &slices,
                  const double      *basis,
                  const unsigned int n,
                  double            *q,
                  double            *column,
                  double            *scratch)
      {
        for (unsigned int k = 0; k < n; k += group)
          {
            double factors[group] = {};
            for (std::size_t i = threadIdx.x; i < slices.n_dot; i += blockDim.x)
              {
                const double value = q[i];
#pragma unroll
                for (int l = 0; l < group; ++l)
                  if (k + l < n)
                    factors[l] += basis[(k + l) * slices.n_rows + i] * value;
              }
            block_sum_of_four(factors, scratch);
            for (std::size_t i = threadIdx.x; i < slices.n_rows;
                 i += blockDim.x)
              {
                double value = q[i];
#pragma unroll
                for (int l = 0; l < group; ++l)
                  if (k + l < n)
                    value -= factors[l] * basis[(k + l) * slices.n_rows + i];
                q[i] = value;
              }
            if (threadIdx.x == 0)
              for (int l = 0; l < group; ++l)
                if (k + l < n)
                  column[k + l] += factors[l];
          }
      }


      /** Adds an atom to the basis of a slice unless it is in its span. */
      __device__ bool
      append(const SliceArrays &slices,
             const std::size_t  s,
             const unsigned int n,
             const double      *h,
             const double       h_norm,
             double            *scratch)
      {
        double *const basis =
          slices.basis + s * slices.max_neurons * slices.n_rows;
        double *const q = basis + n * slices.n_rows;
        double *const column =
          slices.factor +
          s * (slices.max_neurons * (slices.max_neurons + 1) / 2) +
          std::size_t(n) * (n + 1) / 2;
        for (std::size_t i = threadIdx.x; i < slices.n_rows; i += blockDim.x)
          q[i] = h[i];
        if (threadIdx.x == 0)
          for (unsigned int k = 0; k <= n; ++k)
            column[k] = 0;

        double before = h_norm, after = h_norm;
        do
          {
            before = after;
            project_out(slices, basis, n, q, column, scratch);
            double square = 0;
            for (std::size_t i = threadIdx.x; i < slices.n_dot; i += blockDim.x)
              square += q[i] * q[i];
            after = sqrt(block_sum(square, scratch));
            if (!(after > slices.span_tolerance * h_norm))
              return false;
        } while (after < cancellation * before);

        double *const r       = slices.residual + s * slices.n_rows;
        double        product = 0;
        for (std::size_t i = threadIdx.x; i < slices.n_rows; i += blockDim.x)
          {
            const double value = q[i] / after;
            q[i]               = value;
            if (i < slices.n_dot)
              product += value * r[i];
          }
        product = block_sum(product, scratch);
        for (std::size_t i = threadIdx.x; i < slices.n_rows; i += blockDim.x)
          r[i] -= product * q[i];
        if (threadIdx.x == 0)
          {
            column[n]                                     = after;
            slices.projection[s * slices.max_neurons + n] = product;
          }
        return true;
      }


      /** The scores of a slice's own atoms. */
      __device__ void
      score_own_atoms(const SliceArrays &slices, const std::size_t s)
      {
        const double *const r = slices.residual + s * slices.n_rows;
        for (std::size_t k = slices.own_starts[s] + threadIdx.x / warp_size;
             k < slices.own_starts[s + 1];
             k += blockDim.x / warp_size)
          {
            const double score = score_of(
              slices.normalised,
              warp_dot(slices.n_dot, slices.own_h + k * slices.n_rows, r),
              slices.own_norms[k]);
            if (threadIdx.x % warp_size == 0)
              slices.own_scores[k] = score;
          }
        __syncthreads();
      }


      /**
       * The first of the slice's own atoms with the largest score, if that is
       * larger than @p best; otherwise the end of its atoms.
       */
      __device__ unsigned int
      pick_own_atom(const SliceArrays &slices, const std::size_t s, double best)
      {
        const unsigned int end    = slices.own_starts[s + 1];
        unsigned int       winner = end;
        for (unsigned int k = slices.own_starts[s]; k < end; ++k)
          if (slices.own_scores[k] > best)
            {
              best   = slices.own_scores[k];
              winner = k;
            }
        return winner;
      }


      /** One block for each slice. */
      template <typename Number>
      __global__ void
      __launch_bounds__(threads, min_blocks)
        advance_slices_kernel(const SliceArrays      slices,
                              const DictionaryArrays dictionary,
                              const Number          *correlations,
                              const double           rounding,
                              IterationCounts       *counts)
      {
        double *const shared_memory = shared_numbers();

        const std::size_t    s     = blockIdx.x;
        const std::size_t    size  = slices.n_atoms;
        unsigned char *const tried = slices.tried + s * size;
        if (slices.reason[s] != static_cast<int>(StopReason::unfinished))
          return;
        const unsigned int n = slices.count[s];
        for (std::size_t j = threadIdx.x; j < size; j += blockDim.x)
          tried[j] = 0;
        score_own_atoms(slices, s);

        for (std::size_t n_skipped = 0;; ++n_skipped)
          {
            double             best   = 0;
            const unsigned int j      = pick(slices,
                                        s,
                                        dictionary,
                                        correlations,
                                        rounding,
                                        counts,
                                        shared_memory,
                                        best);
            const unsigned int k      = pick_own_atom(slices, s, best);
            const bool         is_own = k < slices.own_starts[s + 1];
            const bool         enough =
              slices.max_skipped > 0 && n_skipped >= slices.max_skipped;
            if (enough || (!is_own && j == size))
              {
                if (threadIdx.x == 0)
                  slices.reason[s] = static_cast<int>(StopReason::rank);
                return;
              }
            const double *const h = is_own ? slices.own_h + k * slices.n_rows
                                           : dictionary.h + j * slices.n_rows;
            const double        norm =
              is_own ? slices.own_norms[k] : dictionary.norms[j];
            if (append(slices, s, n, h, norm, shared_memory))
              {
                if (threadIdx.x == 0)
                  slices.chosen[s * slices.max_neurons + n] =
                    is_own ? static_cast<unsigned int>(size) + k -
                               slices.own_starts[s]
                           : j;
                break;
              }
            // In the span: everybody has read the scores before the barriers
            // of append(), and must see the change before the next search.
            if (threadIdx.x == 0)
              {
                if (is_own)
                  slices.own_scores[k] = 0;
                else
                  tried[j] = 1;
              }
            __syncthreads();
          }
        record(slices, s, n + 1, shared_memory);
        if (threadIdx.x == 0 &&
            slices.reason[s] == static_cast<int>(StopReason::unfinished))
          atomicAdd(&counts->active, 1u);
      }


      /** How many threads work on vectors of @p n_rows entries. */
      constexpr unsigned int
      threads_for(const std::size_t n_rows)
      {
        return n_rows > 256 ? threads : threads / 2;
      }
    } // namespace


    void
    start_slices(const Device &device, const SliceArrays &slices)
    {
      device.launch("start_slices",
                    dim3(static_cast<unsigned int>(slices.n_slices)),
                    threads_for(slices.n_rows),
                    reduction_bytes(threads_for(slices.n_rows)),
                    start_slices_kernel,
                    slices);
    }


    void
    finish_dictionaries(const Device           &device,
                        const SliceArrays      &slices,
                        const DictionaryArrays &dictionaries,
                        const std::size_t       n_dictionaries)
    {
      const std::size_t n_columns = n_dictionaries * slices.n_atoms;
      device.set_zero(dictionaries.max_norm, n_dictionaries * sizeof(double));
      device.launch("finish_dictionaries",
                    dim3(n_blocks(n_columns * warp_size, threads)),
                    threads,
                    0,
                    finish_dictionaries_kernel,
                    slices,
                    dictionaries,
                    n_columns);
    }


    template <typename Number>
    void
    advance_slices(const Device           &device,
                   const SliceArrays      &slices,
                   const DictionaryArrays &dictionary,
                   const Number           *correlations,
                   const double            rounding,
                   IterationCounts        *counts)
    {
      device.launch("advance_slices",
                    dim3(static_cast<unsigned int>(slices.n_slices)),
                    threads_for(slices.n_rows),
                    reduction_bytes(threads_for(slices.n_rows)),
                    advance_slices_kernel<Number>,
                    slices,
                    dictionary,
                    correlations,
                    rounding,
                    counts);
    }


    template void
    advance_slices(const Device &,
                   const SliceArrays &,
                   const DictionaryArrays &,
                   const double *,
                   double,
                   IterationCounts *);
    template void
    advance_slices(const Device &,
                   const SliceArrays &,
                   const DictionaryArrays &,
                   const float *,
                   double,
                   IterationCounts *);
  } // namespace Cuda
} // namespace Evergreen
