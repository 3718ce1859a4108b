// Quadrature on reference cells with as many points as wanted, for smooth
// functions on simplices, too, and for singular functions.

#ifndef evergreen_fem_singular_quadrature_h
#define evergreen_fem_singular_quadrature_h

#include <evergreen/base/compat.h>

#include <deal.II/base/quadrature.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/hp/q_collection.h>

namespace Evergreen
{
  /**
   * A rule with @p n points per direction for smooth functions. On simplices,
   * where deal.II's rules end at four, it is the image of a tensor product.
   */
  template <int dim>
  dealii::Quadrature<dim>
  smooth_quadrature(const dealii::ReferenceCell &cell, const unsigned int n);

  /** Gauss quadrature with @p n points per direction for each face of a cell.
   */
  template <int dim>
  dealii::hp::QCollection<dim - 1>
  face_quadratures(const dealii::ReferenceCell &cell, const unsigned int n);

  /**
   * A rule for functions that are singular at the @p apex a, a point of the
   * reference cell or of its boundary. The cell is the union of the cones over
   * its faces, with points \f$\xi=a+t(z-a)\f$ for z on the face. The Jacobian
   * \f$t^{d-1}\f$ cancels the singularities of fundamental solutions, but for
   * a logarithm in 2D, which is smoothed by a substitution
   * \f$t=\tau^p\f$. The rule has more points for apexes that are no
   * vertices, as these are closer to their faces.
   */
  template <int dim>
  dealii::Quadrature<dim>
  singular_quadrature(const dealii::ReferenceCell &cell,
                      const dealii::Point<dim>    &apex);
} // namespace Evergreen

#endif
