// The innermost loops of the learner, compiled for several instruction
// sets and chosen once at run time. Everything above them is portable C++.

#ifndef evergreen_dictionary_simd_h
#define evergreen_dictionary_simd_h

#include <cstddef>

namespace Evergreen
{
  struct QuadratureRule;

  namespace Simd
  {
    /**
     * The lengths of vectors passed to the loops below are multiples of this
     * number unless they say otherwise; pad with zeros.
     */
    constexpr std::size_t alignment = 8;

    /** The smallest multiple of the alignment that is not below @p n. */
    constexpr std::size_t
    padded(const std::size_t n)
    {
      return (n + alignment - 1) / alignment * alignment;
    }

    /** The instruction sets that the loops are compiled for. */
    enum class Instructions
    {
      portable,
      avx2
    };

    /** The best of them that this machine has. */
    Instructions
    best_instructions();

    /**
     * Makes all loops use @p instructions, or the best of the machine if it
     * does not have them, until it is called again: to compare the versions
     * with each other. Not to be called while loops are running.
     */
    void
    use_instructions(Instructions instructions);

    /** How many ridge atoms accumulate_ridge() works on at once. */
    constexpr std::size_t ridge_tile = 16;

    /** How many atoms kernel_sums() works on at once. */
    constexpr std::size_t kernel_tile = 32;


    /** The loops that exist in both precisions. */
    template <typename Number>
    struct LoopsOfPrecision
    {
      /**
       * All dot products $h_j \cdot r_s$ of @p n_atoms columns of H with
       * @p n_slices vectors of length @p n, into
       * <tt>result[s n_atoms + j]</tt>. The order of summation of a product
       * does not depend on the number of atoms or slices; it is made in at
       * least 32 / sizeof(number) parts: Slice relies on it to bound the
       * rounding.
       */
      void (*correlate)(std::size_t          n,
                        const Number        *h,
                        std::size_t          ldh,
                        std::size_t          n_atoms,
                        const Number *const *r,
                        std::size_t          n_slices,
                        Number              *result);

      /**
       * $Q^T h$ for the @p n_vectors columns of @p q; the sums are in double.
       */
      void (*dots)(std::size_t   n,
                   const Number *q,
                   std::size_t   ldq,
                   std::size_t   n_vectors,
                   const double *h,
                   double       *result);

      /** $h \leftarrow h - Q c$ for the same columns. */
      void (*subtract)(std::size_t   n,
                       const Number *q,
                       std::size_t   ldq,
                       std::size_t   n_vectors,
                       const double *c,
                       double       *h);

      /**
       * Adds $\sum_{i,q} \sigma_k(a_{ij} + c_{qj}) P_{iq}$ for the atoms j of
       * a tile to @p sums. Here <tt>a[i kernel_tile + j]</tt> belongs to row i,
       * <tt>c[j n_columns + q]</tt> to column q and <tt>p[i ldp + q]</tt> is
       * the weight; @p n_columns is a multiple of the alignment.
       */
      void (*kernel_sums)(unsigned int  power,
                          std::size_t   n_rows,
                          std::size_t   n_columns,
                          const Number *a,
                          const Number *c,
                          const Number *p,
                          std::size_t   ldp,
                          double       *sums);
    };


    /** All loops of a precision. */
    template <typename Number>
    struct Loops : LoopsOfPrecision<Number>
    {};

    /** In double precision there are more. */
    template <>
    struct Loops<double> : LoopsOfPrecision<double>
    {
      /**
       * Modified Gram-Schmidt by blocks: $c = Q^T h$, $h \leftarrow h - Q c$
       * for the @p n_vectors columns of @p q, each block of which is read from
       * memory once. Only the first @p n_dot entries take part in the dot
       * products, all @p n_all in the update. Adds to @p c.
       */
      void (*project_out)(std::size_t   n_dot,
                          std::size_t   n_all,
                          const double *q,
                          std::size_t   n_vectors,
                          double       *h,
                          double       *c);

      /** The dot product of two vectors of @p n entries. */
      double (*dot)(std::size_t n, const double *a, const double *b);

      /** y += alpha x for vectors of any number of entries. */
      void (*add)(std::size_t n, double alpha, const double *x, double *y);

      /**
       * Adds $\hat g = B g$ of ridge_tile ReLU atoms of one @p power to
       * <tt>result[row ridge_tile + atom]</tt>, with the weights given as
       * <tt>weights[d ridge_tile + atom]</tt>.
       */
      void (*accumulate_ridge)(unsigned int          power,
                               const QuadratureRule &rule,
                               const double         *weights,
                               const double         *biases,
                               double               *result);

      /**
       * Adds $\alpha \sigma_k(w \cdot y_q + b)$ at any number of points, the
       * coordinate d of which is <tt>y[d][q]</tt>, in at most three variables.
       */
      void (*add_ridge)(unsigned int         dim,
                        unsigned int         power,
                        std::size_t          n,
                        const double        *w,
                        double               b,
                        double               alpha,
                        const double *const *y,
                        double              *values);

      /**
       * The values of a RadialTable, times a factor, for the squares of the
       * distances from the centre, times @p scale, at the points y as above;
       * their number @p n is a multiple of four. Returns whether all squares
       * are in the table; where they are not, values are wrong.
       */
      bool (*look_up_radial)(const double        *coefficients,
                             double               factor,
                             double               scale,
                             unsigned int         dim,
                             const double        *centre,
                             std::size_t          n,
                             const double *const *y,
                             double              *values);
    };

    /** The loops in the version in use. */
    template <typename Number = double>
    const Loops<Number> &
    loops();

    template <>
    const Loops<double> &
    loops();

    template <>
    const Loops<float> &
    loops();
  } // namespace Simd
} // namespace Evergreen

#endif
