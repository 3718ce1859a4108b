#include <evergreen/dictionary/simd.h>

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#  define EVERGREEN_WITH_AVX2 1
#else
#  define EVERGREEN_WITH_AVX2 0
#endif

namespace Evergreen
{
  namespace Simd
  {
    // The loops want full unrolling whatever the build type, and max(z, 0) in
    // one instruction; the data were checked to be finite.
#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC push_options
#  pragma GCC optimize("O3", "no-signed-zeros", "finite-math-only")
#endif
    namespace Portable
    {
#include "simd_kernels.inc"
    }

#if EVERGREEN_WITH_AVX2
#  pragma GCC push_options
#  pragma GCC target("avx2,fma")
    namespace Avx2
    {
#  include "simd_kernels.inc"
    }
#  pragma GCC pop_options
#endif

#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC pop_options
#endif


    Instructions
    best_instructions()
    {
#if EVERGREEN_WITH_AVX2
      if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return Instructions::avx2;
#endif
      return Instructions::portable;
    }


    namespace
    {
      Instructions used = best_instructions();

#if EVERGREEN_WITH_AVX2
#  define EVERGREEN_DISPATCH(call)                                             \
    if (used == Instructions::avx2)                                            \
      return Avx2::call;                                                       \
    else                                                                       \
      return Portable::call
#else
#  define EVERGREEN_DISPATCH(call) return Portable::call
#endif
    } // namespace


    void
    use_instructions(const Instructions instructions)
    {
      used = std::min(instructions, best_instructions());
    }


    template <typename Number>
    void
    correlate(const std::size_t    n,
              const Number        *h,
              const std::size_t    ldh,
              const std::size_t    n_atoms,
              const Number *const *r,
              const std::size_t    n_slices,
              Number              *result)
    {
      EVERGREEN_DISPATCH(correlate(n, h, ldh, n_atoms, r, n_slices, result));
    }


    void
    project_out(const std::size_t n_dot,
                const std::size_t n_all,
                const double     *q,
                const std::size_t n_vectors,
                double           *h,
                double           *c)
    {
      EVERGREEN_DISPATCH(project_out(n_dot, n_all, q, n_vectors, h, c));
    }


    template <typename Number>
    void
    dots(const std::size_t n,
         const Number     *q,
         const std::size_t ldq,
         const std::size_t n_vectors,
         const double     *h,
         double           *result)
    {
      EVERGREEN_DISPATCH(dots(n, q, ldq, n_vectors, h, result));
    }


    template <typename Number>
    void
    subtract(const std::size_t n,
             const Number     *q,
             const std::size_t ldq,
             const std::size_t n_vectors,
             const double     *factor,
             double           *h)
    {
      EVERGREEN_DISPATCH(subtract(n, q, ldq, n_vectors, factor, h));
    }


    double
    dot(const std::size_t n, const double *a, const double *b)
    {
      EVERGREEN_DISPATCH(dot(n, a, b));
    }


    void
    add(const std::size_t n, const double alpha, const double *x, double *y)
    {
      EVERGREEN_DISPATCH(add(n, alpha, x, y));
    }


    void
    accumulate_ridge(const unsigned int    power,
                     const QuadratureRule &rule,
                     const double         *weights,
                     const double         *biases,
                     double               *result)
    {
      EVERGREEN_DISPATCH(
        accumulate_ridge(power, rule, weights, biases, result));
    }


    template <typename Number>
    void
    kernel_sums(const unsigned int power,
                const std::size_t  n_rows,
                const std::size_t  n_columns,
                const Number      *a,
                const Number      *c,
                const Number      *p,
                const std::size_t  ldp,
                double            *sums)
    {
      EVERGREEN_DISPATCH(
        kernel_sums(power, n_rows, n_columns, a, c, p, ldp, sums));
    }


    template void
    correlate(std::size_t,
              const double *,
              std::size_t,
              std::size_t,
              const double *const *,
              std::size_t,
              double *);
    template void
    correlate(std::size_t,
              const float *,
              std::size_t,
              std::size_t,
              const float *const *,
              std::size_t,
              float *);
    template void
    dots(std::size_t,
         const double *,
         std::size_t,
         std::size_t,
         const double *,
         double *);
    template void
    subtract(std::size_t,
             const double *,
             std::size_t,
             std::size_t,
             const double *,
             double *);
    template void
    dots(std::size_t,
         const float *,
         std::size_t,
         std::size_t,
         const double *,
         double *);
    template void
    subtract(std::size_t,
             const float *,
             std::size_t,
             std::size_t,
             const double *,
             double *);
    template void
    kernel_sums(unsigned int,
                std::size_t,
                std::size_t,
                const double *,
                const double *,
                const double *,
                std::size_t,
                double *);
    template void
    kernel_sums(unsigned int,
                std::size_t,
                std::size_t,
                const float *,
                const float *,
                const float *,
                std::size_t,
                double *);
  } // namespace Simd
} // namespace Evergreen
