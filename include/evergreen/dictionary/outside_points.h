// Where fundamental solutions may sit: points outside the domain, at a wanted
// distance from its boundary, and the mirror images of points inside.

#ifndef evergreen_dictionary_outside_points_h
#define evergreen_dictionary_outside_points_h

#include <evergreen/fem/mesh_data.h>

#include <deal.II/base/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Evergreen
{
  /**
   * The boundary of a mesh as oriented flat facets: points in one dimension,
   * segments in two, triangles in three, where a quadrilateral face is split
   * in two triangles. It answers what the method of fundamental solutions asks
   * of a domain, which need be neither convex nor simply connected: how far a
   * point is from the boundary, on which side of it, and what its mirror image
   * is.
   */
  class Boundary
  {
  public:
    /** The normals of the faces point away from the cells behind them. */
    Boundary(unsigned int dim, const std::vector<BoundaryFace> &faces);

    /** The space dimension. */
    unsigned int
    dim() const
    {
      return space_dim;
    }

    std::size_t
    n_facets() const
    {
      return facets.size();
    }

    /** The number of boundary points, the perimeter or the surface area. */
    double
    measure() const
    {
      return cumulative_measure.back();
    }

    /**
     * The distance from @p x to the boundary, on either side of it. The point
     * of the boundary where it is attained is written to @p nearest, if given.
     */
    double
    distance(const double *x, double *nearest = nullptr) const;

    /**
     * Whether @p x is inside the domain: whether the winding number of the
     * boundary around it is one rather than zero. This is the sum of the
     * angles (in three dimensions the solid angles) under which the facets
     * are seen from x, with a sign for the side that is seen, divided by the
     * full angle. The answer for a point of the boundary itself is arbitrary.
     */
    bool
    contains(const double *x) const;

    /**
     * Writes to @p image the mirror image $2b - x$ of a point @p x of the
     * domain in its nearest boundary point $b$. Returns whether it can serve
     * as a centre: it does not if it has come to lie inside the domain again,
     * as across a narrow slot, or closer to the boundary than
     * @p min_distance.
     */
    bool
    mirror(const double *x, double min_distance, double *image) const;

    /**
     * The boundary point that belongs to dim() uniform numbers in (0, 1), with
     * the unit outward normal there: the first number chooses a facet by its
     * measure and the others a place in it, so that the points are uniform on
     * the boundary.
     */
    void
    sample(const double *uniforms, double *point, double *normal) const;

  private:
    /** A point or direction; the coordinates from dim() on are zero. */
    using Vector = dealii::Tensor<1, 3>;

    /**
     * A simplex of dim() vertices. Their order is such that the normal is to
     * the right of the segment, or the triangle is counter-clockwise when the
     * normal points at the viewer.
     */
    struct Facet
    {
      std::array<Vector, 3> vertices;

      /** The unit outward normal. */
      Vector normal;

      /** A ball around the facet, to pass over it when it is far away. */
      Vector centre;
      double radius;
    };

    Vector
    load(const double *x) const;

    void
    store(const Vector &v, double *x) const;

    /** Adds a face of dim() or, for a quadrilateral, four corners. */
    void
    add_face(std::vector<Vector> corners, const Vector &cell_centre);

    void
    add_facet(const std::array<Vector, 3> &vertices, double side);

    unsigned int       space_dim;
    std::vector<Facet> facets;

    /** The measure of all facets up to and including each one. */
    std::vector<double> cumulative_measure;

    /** The corners of the smallest axis-parallel box around the domain. */
    Vector low, high;
  };


  /** How outside_points() chooses its points. All lengths are absolute. */
  struct OutsideParameters
  {
    /** The range of distances from the boundary; both must be set. */
    double min_distance = 0;
    double max_distance = 0;

    std::size_t n_points = 4096;

    std::uint64_t seed = 0;

    /** Throws a UsageError unless 0 < min_distance <= max_distance. */
    void
    check() const;
  };


  /**
   * Random points outside the domain, stored one after the other: places for
   * the centres of fundamental solutions.
   *
   * A candidate is a uniform boundary point, moved along its outward normal by
   * a distance whose logarithm is uniform between those of min_distance and
   * max_distance: as many centres for every length scale. Where the boundary
   * bends towards itself it may end up inside the domain or too near another
   * part of the boundary. Then it is dropped; a tenth of min_distance is
   * granted for the dents of polygons that approximate curves.
   *
   * Candidate i is a pure function of boundary, seed and i. Hence the points
   * are the same on every rank, and fewer points are the first of more points.
   *
   * Throws an Error if nearly all candidates are dropped.
   */
  std::vector<double>
  outside_points(const Boundary &boundary, const OutsideParameters &parameters);
} // namespace Evergreen

#endif
