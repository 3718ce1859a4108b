// The seam between the greedy algorithms and the kinds of atoms they may pick:
// a family turns uniform random numbers into atoms.

#ifndef evergreen_dictionary_family_h
#define evergreen_dictionary_family_h

#include <evergreen/dictionary/atoms.h>

#include <vector>

namespace Evergreen
{
  /** A ball that contains a domain. */
  struct BoundingSphere
  {
    std::vector<double> centre;
    double              radius = 0;
  };

  /**
   * The smallest axis-parallel box around @p n_points points (stored one after
   * the other), with the ball around its centre that reaches the farthest of
   * them.
   */
  BoundingSphere
  bounding_sphere(unsigned int dim, std::size_t n_points, const double *points);

  /** The ball around $\Omega \times \Omega$, given the one around $\Omega$. */
  BoundingSphere
  product_sphere(const BoundingSphere &sphere);


  /**
   * A set of atoms from which random dictionaries are drawn. A new family
   * implements these members, adds its AtomKind and its evaluation in
   * AtomList::value(), restrict_to_points() and the evaluators.
   */
  class AtomFamily
  {
  public:
    /**
     * Of atoms in @p dim variables that are made of @p n_uniforms uniform
     * random numbers each.
     */
    AtomFamily(const unsigned int dim, const unsigned int n_uniforms)
      : dim(dim), n_uniforms(n_uniforms)
    {}

    virtual ~AtomFamily() = default;

    /**
     * Appends to @p atoms the atom that belongs to n_uniforms numbers in
     * (0, 1).
     */
    virtual void
    draw(const double *uniforms, AtomList &atoms) const = 0;

    const unsigned int dim;
    const unsigned int n_uniforms;
  };


  /**
   * The paper's ridge atoms $\sigma_k(w \cdot y + b)$,
   * $\sigma_k(z) = \max(z, 0)^k$: the unit vector w through hyperspherical
   * angles, uniform in $[0, \pi]^{d-2} \times [0, 2\pi)$ (in one dimension
   * $w = \pm 1$), and b uniform in $-w \cdot c + [-\rho, \rho]$ with the
   * centre c and the radius $\rho$ of a ball around the domain. These are
   * the biases for which the kink $w \cdot y + b = 0$ meets the ball; for a
   * ball around the origin they are the paper's $[c_1, c_2]$.
   */
  class ReluFamily : public AtomFamily
  {
  public:
    ReluFamily(unsigned int power, const BoundingSphere &sphere);

    void
    draw(const double *uniforms, AtomList &atoms) const override;

    /**
     * The hyperspherical map of the paper from dim - 1 angles to a unit vector
     * of dim entries.
     */
    static void
    unit_vector(unsigned int dim, const double *angles, double *w);

  private:
    AtomKind       kind;
    BoundingSphere sphere;
  };
} // namespace Evergreen

#endif
