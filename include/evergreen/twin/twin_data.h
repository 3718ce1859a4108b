// What a twin is learned from: pairs (f, u) reduced to values of u at the nodes
// of a mesh and moments of f.

#ifndef evergreen_twin_twin_data_h
#define evergreen_twin_twin_data_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/twin/hat_functions.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /** How wide the hats are that moments of forcings are taken with. */
  enum class MomentWidth
  {
    full,
    half
  };


  /** Moments of one width: who is whose neighbour, and how they are made. */
  struct MomentFamily
  {
    MomentWidth         width;
    NodeGraph           graph;
    std::vector<double> points;
    std::vector<double> integrals;

    /**
     * These moments by the finest ones, all divided by the integrals of their
     * hats; without rows they are the finest.
     */
    CsrMatrix from_finest;
  };


  /**
   * The mesh of a twin: its nodes, of which the first ones in every family of
   * moments are the same, and their neighbours.
   */
  struct TwinMesh
  {
    MeshData mesh;

    /** Whether it is the mesh of the solver itself. */
    bool is_own = false;

    NodeGraph graph;

    /** The last one is the finest. */
    std::vector<MomentFamily> families;

    /** A coarse mesh with hats of both widths. */
    static TwinMesh
    coarse(const MeshData &mesh);

    /**
     * Divides by other integrals of the finest hats, for example those that a
     * solver's quadrature finds where its domain is curved.
     */
    void
    set_integrals(const std::vector<double> &finest);

    std::size_t
    n_moments() const
    {
      return families.back().integrals.size();
    }
  };


  /**
   * Pairs, reduced: columns of values at all nodes, and of the finest moments
   * \f$\hat f_k=\int f\varphi_k/\int\varphi_k\f$.
   */
  struct TwinData
  {
    TwinMesh mesh;

    /** The nodes at which u is not zero always, in increasing order. */
    std::vector<std::size_t> free;

    std::size_t         n_samples = 0;
    std::vector<double> values;
    std::vector<double> moments;

    /**
     * For each forcing the share of its norm that the finest hats do not see,
     * |f - f_seen| / |f| with the L2 projection f_seen; may be empty.
     */
    std::vector<double> unseen;
  };


  /**
   * The square of the L2 norm of a forcing's projection onto hats with the mass
   * matrix M, from its moments m, not divided: \f$m^TM^{-1}m\f$.
   */
  double
  seen_square_norm(const CsrMatrix &mass, const std::vector<double> &moments);
} // namespace Evergreen

#endif
