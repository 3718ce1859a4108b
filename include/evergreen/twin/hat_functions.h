// Hat functions on the mesh of a twin: their values anywhere, their integrals,
// the mesh refined once, and which nodes are neighbours. Plain arrays, since
// such a mesh is small and every rank has all of it.

#ifndef evergreen_twin_hat_functions_h
#define evergreen_twin_hat_functions_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/twin/csr_matrix.h>

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace Evergreen
{
  /** Which nodes are neighbours of which: share a cell, themselves included. */
  struct NodeGraph
  {
    std::vector<std::size_t> starts = {0};
    std::vector<std::size_t> neighbours;

    /** From lists of nodes, each of which are all neighbours. */
    static NodeGraph
    of_cells(std::size_t                                  n_nodes,
             const std::vector<std::vector<std::size_t>> &cells);

    /** The nodes that are @p n_rings steps from a node or less, increasing. */
    std::vector<std::size_t>
    rings(std::size_t node, unsigned int n_rings) const;
  };


  /** The neighbours on a mesh whose nodes are the vertices of its cells. */
  NodeGraph
  neighbours(const MeshData &mesh);


  /** A mesh refined once, with the old nodes first and in their order. */
  struct RefinedMesh
  {
    MeshData mesh;

    /** Row k has the values of the old hat k at the new nodes. */
    CsrMatrix old_hats;
  };

  /** Cuts every cell into \f$2^d\f$. */
  RefinedMesh
  refine(const MeshData &mesh);


  /**
   * The continuous functions that are linear on simplices, or multilinear on
   * other cells, with the value one at one node.
   */
  class HatFunctions
  {
  public:
    /** A hat and its value at a point. */
    using Weights = std::vector<std::pair<std::uint32_t, double>>;

    /**
     * Throws an Error unless the nodes are the vertices of the cells, and none
     * of them hangs.
     */
    explicit HatFunctions(const MeshData &mesh);

    const MeshData &
    mesh() const
    {
      return mesh_;
    }

    /**
     * The hats that do not vanish at a point. Outside of the mesh, as happens
     * beside curved boundaries, those of the nearest cell go on.
     */
    Weights
    at(const double *point) const;

    /**
     * Calls @p action with each point of a Gauss rule of @p n points for each
     * direction of each cell, its weight, and the hats there.
     */
    void
    integrate(unsigned int                                    n,
              const std::function<void(const double  *point,
                                       double         weight,
                                       const Weights &hats)> &action) const;

    /** The integrals of all hats. */
    std::vector<double>
    integrals() const;

    /** \f$\int\varphi_k\varphi_l\f$. */
    CsrMatrix
    mass_matrix() const;

  private:
    MeshData     mesh_;
    unsigned int n_vertices_;
    bool         is_simplex_;

    /** Cells are found by the boxes of a grid that they touch. */
    std::array<double, 3>                   lower_, width_;
    std::array<std::size_t, 3>              n_boxes_;
    std::vector<std::vector<std::uint32_t>> cells_of_box_;

    /** The smallest and the largest coordinates of each cell. */
    std::vector<double> bounds_;

    void
    fill_boxes();
    bool
    is_in_bounds(std::size_t cell, const double *point) const;
    std::size_t
    box_of(unsigned int direction, double coordinate) const;
    void
    shape_values(const double *reference, double *values) const;
    double
    map(std::size_t cell, const double *reference, double *point) const;
    double
    locate(std::size_t cell, const double *point, double *reference) const;
  };


  /** The points and weights of Gauss' rule with n points on [0, 1]. */
  std::pair<std::vector<double>, std::vector<double>>
  gauss_rule(unsigned int n);
} // namespace Evergreen

#endif
