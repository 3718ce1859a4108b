// The fast backend for processors: vector instructions, threads of TBB and
// one-threaded BLAS inside them.

#ifndef evergreen_dictionary_cpu_evaluator_h
#define evergreen_dictionary_cpu_evaluator_h

#include <evergreen/dictionary/evaluator.h>

namespace Evergreen
{
  /**
   * The fast backend. Sparse B first, in tiles of atoms that stay in cache,
   * then C by matrix products; every task is one thread of TBB, and BLAS must
   * run with one thread (see Blas::SingleThread).
   */
  class CpuEvaluator : public Evaluator
  {
  public:
    void
    reinit(const QuadratureRule      &rule,
           const std::vector<double> &c,
           std::size_t                n_rows) override;

    void
    coordinates(const AtomList &atoms, double *h) const override;

    void
    correlations(std::size_t          n,
                 const double        *h,
                 std::size_t          ldh,
                 std::size_t          n_atoms,
                 const double *const *residuals,
                 std::size_t          n_slices,
                 double              *result) const override;

    void
    correlations(std::size_t         n,
                 const float        *h,
                 std::size_t         ldh,
                 std::size_t         n_atoms,
                 const float *const *residuals,
                 std::size_t         n_slices,
                 float              *result) const override;

    void
    kernel_correlations(const AtomList &atoms,
                        std::size_t     n_x,
                        const double   *x,
                        const double   *p,
                        std::size_t     ldp,
                        double         *result) const override;

    void
    kernel_correlations(const AtomList &atoms,
                        std::size_t     n_x,
                        const double   *x,
                        const float    *p,
                        std::size_t     ldp,
                        double         *result) const override;

  private:
    /** The quadrature points, direction by direction. */
    std::vector<std::vector<double>> points;
  };
} // namespace Evergreen

#endif
