// Accurate integrals of singular functions against shape functions on the few
// cells near the singularity, where the standard quadrature rule fails.

#ifndef evergreen_fem_near_field_h
#define evergreen_fem_near_field_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/quadrature_rule.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>

namespace Evergreen
{
  /** The most Gauss points per direction for centres outside a cell. */
  constexpr unsigned int max_near_gauss_points = 12;

  /**
   * The near field of the locally owned cells of @p dof_handler: of a rule
   * whose points are those of these cells in their order, equally many for each
   * of them.
   *
   * A function g that is singular at a centre c acts on finite element
   * functions through \f$\hat g_k=\int g\varphi_k\f$. The few Gauss points per
   * cell of the standard rule do this well where g is smooth, that is on cells
   * far from the centre. The near field replaces them by an accurate rule,
   * which depends on where the centre is:
   *
   * - Outside a cell of radius R, at a distance zR from its middle, n Gauss
   *   points per direction err by about \f$\rho^{-2n}\f$ with
   *   \f$\rho=z+\sqrt{z^2-1}\f$, the size of the Bernstein ellipse on which
   *   g is analytic. The smallest n that meets the tolerance is taken, at most
   *   #max_near_gauss_points; a cell for which the standard rule has as many
   *   points is not near.
   * - In a cell or on its boundary, the reference cell is the union of the
   *   cones over its faces with the centre as apex. The Jacobian
   *   \f$t^{d-1}\f$ of the coordinate t along a cone cancels the singularity,
   *   or all but a logarithm, which a substitution \f$t=\tau^p\f$ smooths.
   *   What these rules need is tabulated for the vertices and nodes of the
   *   cell, and computed for other points, as the nodes of finer neighbours,
   *   whenever it is needed.
   *
   * On well-shaped cells, and for the singularities of fundamental solutions,
   * the cone rules err by less than 1e-9 up to \f$\kappa R\approx0.6\f$ for
   * vertices, nodes, and midpoints of edges and faces, and the others by less
   * than the tolerance, relative to the largest \f$\hat g_k\f$ of the cell.
   * Beyond three radii, this is the error on a mesh: a shape function of degree
   * p takes p from the exponent 2n on a single cell, but rises on one of two
   * neighbours and falls on the other. A centre that is closer to a face than
   * about a fifth of the cell's size, but not on it, is beyond both rules: on
   * the cells to either side they err by 1e-4 at a tenth of the cell's size,
   * and more if it is closer.
   *
   * Cells are as curved as @p mapping makes them: their geometry is the
   * interpolation of the mapping by polynomials of its degree, or, if that is
   * not known, of degree 3 (2 on simplices). The mesh need not be conforming.
   * Nothing refers to the arguments afterwards. On several ranks each holds its
   * own cells, and the actions add up.
   *
   * @param mapping      the geometry of the cells,
   * @param dof_handler  the cells and their scalar finite element,
   * @param n_standard   the Gauss points per direction of the standard rule,
   * @param tolerance    the bound for \f$\rho^{-2n}\f$. It decides how far the
   *                     near field reaches: \f$z<\frac12(\rho+\rho^{-1})\f$,
   *                     which with 1e-6 is 16 radii for 2 standard points per
   *                     direction and 5 radii for 3 of them.
   */
  template <int dim>
  std::shared_ptr<const NearField>
  make_near_field(const dealii::Mapping<dim>    &mapping,
                  const dealii::DoFHandler<dim> &dof_handler,
                  const unsigned int             n_standard,
                  const double                   tolerance);
} // namespace Evergreen

#endif
