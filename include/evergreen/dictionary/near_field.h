// Accurate integrals of singular atoms against shape functions on the few
// cells near the centre of the singularity, where the standard quadrature rule
// fails.

#ifndef evergreen_dictionary_near_field_h
#define evergreen_dictionary_near_field_h

#include <evergreen/dictionary/quadrature_rule.h>
#include <evergreen/dictionary/radial.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace Evergreen
{
  /**
   * A radial atom \f$g(y)=\psi_\kappa(|y-c|)\f$ acts on finite element
   * functions through \f$\hat g_k=\int g\phi_k\f$. The few Gauss points per
   * cell of the standard rule do this well where g is smooth, that is on cells
   * far from the centre c. This class knows the cells and adds
   * \f[
   *   \sum_{\text{near cells}}
   *   (\text{accurate rule} - \text{standard rule})
   * \f]
   * to the action that the standard rule gave. The accurate rule depends on
   * where the centre is:
   *
   * - Outside a cell of radius R, at a distance zR from its middle, n Gauss
   *   points per direction err by about \f$\rho^{-2n}\f$ with
   *   \f$\rho=z+\sqrt{z^2-1}\f$, the size of the Bernstein ellipse on which
   *   the atom is analytic. The smallest n that meets the tolerance is taken,
   *   at most @p max_gauss_points; a cell for which the standard rule has as
   *   many points is not near.
   * - At a vertex or node of a cell, the cell is the union of the cones with
   *   this apex over its faces. The Jacobian \f$t^{d-1}\f$ of the coordinate
   *   t along a cone cancels the singularity, or all but a logarithm, which a
   *   substitution \f$t=\tau^p\f$ smooths.
   *
   * On well-shaped cells, and for the functions made for the dimension, the
   * cone rules err by less than 1e-9 up to \f$\kappa R\approx0.6\f$, and the
   * others by less than the tolerance, relative to the largest
   * \f$\hat g_k\f$ of the cell. Beyond three radii, this is the error on a
   * mesh: a shape function of degree p takes p from the exponent 2n on a single
   * cell, but rises on one of two neighbours and falls on the other.
   *
   * A centre that is in a cell, but no node of it, or outside at less than
   * about a fifth of the cell's size, is beyond both rules: it gets
   * @p max_gauss_points, and errors of 1e-4 at a tenth of the cell's size and
   * 1e-2 inside.
   *
   * All that depends on the reference cell only is computed once, by the
   * constructor. On several ranks each holds its own cells, and the actions
   * add up.
   */
  class NearField
  {
  public:
    /** The default for the error on cells that do not touch the centre. */
    static constexpr double default_tolerance = 1e-6;

    /** The most Gauss points per direction for centres outside a cell. */
    static constexpr unsigned int max_gauss_points = 12;

    /**
     * Describes the reference cell: the hypercube \f$[0,1]^d\f$, with its
     * vertices in lexicographic order as in deal.II, or the simplex with the
     * vertices \f$0, e_1,\ldots,e_d\f$, in 1, 2 or 3 dimensions.
     *
     * @param dim         the dimension d,
     * @param is_simplex  simplex or hypercube,
     * @param n_shapes    the number of shape functions on the cell,
     * @param shape_value the value of shape function k at a reference point,
     *                    called by the constructor only,
     * @param unit_nodes  the nodes of the finite element on the reference
     *                    cell, d numbers each; the vertices, at which a centre
     *                    may be as well, need not be among them,
     * @param n_standard  the Gauss points per direction of the standard rule,
     * @param tolerance   the bound for \f$\rho^{-2n}\f$. It decides how far the
     *                    near field reaches: \f$z<\frac12(\rho+\rho^{-1})\f$,
     *                    that is 16 radii with 2 standard points per direction
     *                    and 5 radii with 3 of them by default.
     */
    NearField(
      unsigned int                                               dim,
      bool                                                       is_simplex,
      unsigned int                                               n_shapes,
      const std::function<double(unsigned int, const double *)> &shape_value,
      const std::vector<double>                                 &unit_nodes,
      unsigned int                                               n_standard,
      double tolerance = default_tolerance);

    /**
     * Appends a cell.
     *
     * @param vertices    its vertices, d numbers each, of which the cell is
     *                    the affine or multilinear image of the reference cell,
     * @param rows        the rows of its shape functions in the rule's B,
     * @param first_point the first of its points in the rule, which follow each
     *                    other,
     * @param n_points    their number.
     */
    void
    add_cell(const double       *vertices,
             const unsigned int *rows,
             std::size_t         first_point,
             std::size_t         n_points);

    /**
     * Gives the rows new numbers, as it must be done whenever the rows of the
     * rule get new ones.
     */
    void
    renumber_rows(const std::vector<unsigned int> &new_numbers);

    /** The number of cells added so far. */
    std::size_t
    n_cells() const;

    /**
     * Adds the correction for the atom \f$\psi_\kappa(|y-c|)\f$ to
     * <tt>action[row * stride]</tt>, for the rows of the near cells. May be
     * called by several threads at once.
     *
     * @param rule     the rule that the cells' points and rows refer to,
     * @param function the profile \f$\psi\f$,
     * @param kappa    its wave number, if it has one,
     * @param centre   the d coordinates of c,
     * @param action   the action by the standard rule, which is corrected,
     * @param stride   the distance between the entries of the action,
     * @param factor   what the correction is multiplied by.
     */
    void
    correct(const QuadratureRule &rule,
            RadialFunction        function,
            double                kappa,
            const double         *centre,
            double               *action,
            std::size_t           stride = 1,
            double                factor = 1) const;

  private:
    // A rule on the reference cell, with all that is needed at its points. The
    // number of points is a multiple of what the vector kernels want.
    struct ReferenceRule
    {
      std::size_t         n_points = 0;
      std::vector<double> weights; // of point q
      std::vector<double> monomials; // [m n_points + q], see below
      std::vector<double> shapes; // [k n_points + q]
    };

    // The numbers that identify an atom.
    struct Atom
    {
      RadialFunction function;
      double         kappa;
      const double  *centre;
      double         factor;
    };

    const ReferenceRule &
    choose_rule(std::size_t cell, const Atom &atom, double distance_2) const;

    void
    correct_cell(std::size_t           cell,
                 const ReferenceRule  &accurate,
                 const QuadratureRule &standard,
                 const Atom           &atom,
                 double               *action,
                 std::size_t           stride) const;

    // The points of a rule on the cell, coordinate by coordinate.
    void
    map_points(std::size_t          cell,
               const ReferenceRule &rule,
               double *const       *x) const;

    // The volume of the cell per volume of the reference cell at these points.
    void
    volume_elements(std::size_t          cell,
                    const ReferenceRule &rule,
                    double              *result) const;

    unsigned int dim;
    bool         is_simplex;
    unsigned int n_shapes;
    unsigned int n_standard;

    // The rules with n_standard + 1, n_standard + 2, ... Gauss points per
    // direction, and the square of z from which on each is good enough; the
    // first of these numbers belongs to the standard rule.
    std::vector<ReferenceRule> gauss_rules;
    std::vector<double>        limits;

    // The vertices and nodes of the reference cell, and the rule for each.
    std::vector<double>        apexes;
    std::vector<ReferenceRule> cone_rules;

    // The map from the reference cell to a cell is x = sum_m C_m xi^m, where
    // bit e of m says whether xi_e is a factor of the monomial. Affine cells
    // have vanishing C_m for all products of two or three. The derivative of a
    // monomial is another one, so that one table serves map and Jacobian.
    std::vector<double> coefficients; // [(cell 2^dim + m) dim + d]
    std::vector<char>   is_affine;

    // The middle of each cell (three coordinates, zeros where there are fewer),
    // its radius and the square of the radius of its near field: in arrays, as
    // they are read for every atom.
    std::array<std::vector<double>, 3> middles;
    std::vector<double>                radii;
    std::vector<double>                near_radii_2;

    // A box around all near fields, for a quick exit.
    std::array<double, 3> lower;
    std::array<double, 3> upper;

    std::vector<unsigned int> rows; // [cell n_shapes + k]
    std::vector<std::size_t>  first_points;
    std::vector<std::size_t>  point_counts;
  };
} // namespace Evergreen

#endif
