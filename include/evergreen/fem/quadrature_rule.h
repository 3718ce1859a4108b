// The quadrature that turns a function into its action on FE functions, as
// plain arrays, and what it asks of the quadrature near singularities.

#ifndef evergreen_fem_quadrature_rule_h
#define evergreen_fem_quadrature_rule_h

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace Evergreen
{
  struct QuadratureRule;

  /** A function that is singular at a point and analytic elsewhere. */
  struct SingularFunction
  {
    /** The coordinates of the singularity. */
    const double *centre;

    /** How fast the function oscillates, since waves need points, or 0. */
    double wave_number;

    /**
     * Evaluates it at n points: coordinate d of point q is
     * <tt>coordinates[d][q]</tt>.
     */
    std::function<
      void(std::size_t n, const double *const *coordinates, double *values)>
      evaluate;
  };


  /**
   * Better quadrature for singular functions on the cells near the
   * singularity; see make_near_field().
   */
  class NearField
  {
  public:
    virtual ~NearField() = default;

    /**
     * Adds to <tt>action[row * stride]</tt>, which @p rule has computed, what
     * it lacks: on the near cells, the difference between an accurate rule and
     * the given one, whose cells are those of the near field. May be called by
     * several threads at once.
     */
    virtual void
    correct(const QuadratureRule   &rule,
            const SingularFunction &function,
            double                 *action,
            std::size_t             stride = 1) const = 0;
  };


  /**
   * Quadrature points $y_q$ and the sparse matrix $B$ with
   * $\hat g_k = \int g \phi_k = \sum_q B_{kq} g(y_q)$, that is
   * $B_{kq} = w_q \phi_k(y_q)$. The matrix is stored by columns: the entries
   * of point q are <tt>rows[k], values[k]</tt> with
   * <tt>column_starts[q] <= k < column_starts[q + 1]</tt>. The paper's
   * Monte-Carlo rule has the nodes as points and a multiple of the unit matrix
   * as $B$. On several ranks each holds its own points, and the rows are
   * numbered as the rank's own rows of F. With a near field, the points are
   * those of its cells, one cell after the other, and all columns of a cell
   * have entries for its shape functions in their order on the cell.
   */
  struct QuadratureRule
  {
    /** The number of coordinates of a point. */
    unsigned int dim = 0;

    /** The number of rows of B, that is of FE shape functions. */
    std::size_t n_rows = 0;

    /** The points, one after the other. */
    std::vector<double> points;

    std::vector<std::size_t>  column_starts = {0};
    std::vector<unsigned int> rows;
    std::vector<double>       values;

    /**
     * Better quadrature near singularities; without it singular functions are
     * integrated as all others.
     */
    std::shared_ptr<const NearField> near_field;

    /** The number of quadrature points. */
    std::size_t
    n_points() const
    {
      return column_starts.size() - 1;
    }

    /** Appends a point with @p n entries in its column of B. */
    void
    add_point(const double       *point,
              unsigned int        n,
              const unsigned int *entry_rows,
              const double       *entry_values);

    /** Throws an Error if sizes or indices do not fit, or a value is NaN. */
    void
    check() const;
  };

  /**
   * The rule with $B = \mathrm{diag}(d_q)$: with $d_q = |\Omega| / m$ at the
   * nodes it is the paper's Monte-Carlo rule.
   */
  QuadratureRule
  diagonal_rule(unsigned int               dim,
                const std::vector<double> &points,
                const std::vector<double> &diagonal);

  /** The points of a rule, direction by direction. */
  std::vector<std::vector<double>>
  coordinates_of(const QuadratureRule &rule);
} // namespace Evergreen

#endif
