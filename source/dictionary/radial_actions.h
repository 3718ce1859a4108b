// How the processor backend integrates radial atoms.

#ifndef evergreen_source_dictionary_radial_actions_h
#define evergreen_source_dictionary_radial_actions_h

#include <evergreen/base/matrix_view.h>
#include <evergreen/dictionary/atoms.h>
#include <evergreen/fem/quadrature_rule.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * Adds the action B g of @p n centred atoms from @p first on, at most
   * Simd::ridge_tile of one kind, to <tt>tile[row ridge_tile + atom]</tt>, with
   * the near field's quadrature. @p points are those of the rule, direction by
   * direction.
   */
  void
  radial_actions(const QuadratureRule                   &rule,
                 const std::vector<std::vector<double>> &points,
                 const AtomList                         &atoms,
                 std::size_t                             first,
                 std::size_t                             n,
                 double                                 *tile);

  /**
   * The fused search (see Evaluator::kernel_correlations()) for @p n atoms of
   * the form difference, or of the form product, all of one kind: adds to the
   * numbers from <tt>result[first]</tt> on.
   */
  template <typename Number>
  void
  difference_correlations(const std::vector<std::vector<double>> &points,
                          const AtomList                         &atoms,
                          std::size_t                             first,
                          std::size_t                             n,
                          MatrixView<const double>                x,
                          MatrixView<const Number>                p,
                          double                                 *result);

  template <typename Number>
  void
  product_correlations(const std::vector<std::vector<double>> &points,
                       const AtomList                         &atoms,
                       std::size_t                             first,
                       std::size_t                             n,
                       MatrixView<const double>                x,
                       MatrixView<const Number>                p,
                       double                                 *result);
} // namespace Evergreen

#endif
