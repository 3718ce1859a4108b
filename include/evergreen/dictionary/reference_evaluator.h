// The backend that only has to be right: plain loops, kept as the oracle of
// every other one.

#ifndef evergreen_dictionary_reference_evaluator_h
#define evergreen_dictionary_reference_evaluator_h

#include <evergreen/dictionary/evaluator.h>

namespace Evergreen
{
  /**
   * The naive backend: evaluates atom by atom and point by point.
   */
  class ReferenceEvaluator : public Evaluator
  {
  public:
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
  };
} // namespace Evergreen

#endif
