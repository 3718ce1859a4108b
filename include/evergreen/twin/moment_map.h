// From functions of a finite element space to their moments.

#ifndef evergreen_twin_moment_map_h
#define evergreen_twin_moment_map_h

#include <evergreen/fem/space.h>
#include <evergreen/twin/csr_matrix.h>
#include <evergreen/twin/hat_functions.h>

#include <cstddef>
#include <vector>

namespace Evergreen
{
  /**
   * The integrals \f$\int f\varphi_k\f$ of functions of a space, by one sparse
   * matrix that is made once. \f$\varphi_k\f$ are the hats of another mesh,
   * interpolated in the space (which changes nothing if its cells are parts of
   * those of the other mesh), or the shape functions of the space itself, whose
   * constraints are then applied to the integrals.
   *
   * Every rank has the columns of its cells; the results are on all ranks. All
   * functions are collective.
   */
  template <int dim>
  class MomentMap
  {
  public:
    /** With the shape functions of the space, by their nodes. */
    explicit MomentMap(const Space<dim> &space);

    /** With the hats of another mesh of the same domain. */
    MomentMap(const Space<dim> &space, const MeshData &mesh);

    std::size_t
    n_moments() const
    {
      return integrals_.size();
    }

    /** The integrals of the functions themselves. */
    const std::vector<double> &
    integrals() const
    {
      return integrals_;
    }

    /**
     * Moments of @p n functions, columns of local nodal values, divided by the
     * integrals of their hats.
     */
    std::vector<double>
    apply(const double *columns, std::size_t n) const;

    /** For each function the share of its norm that the hats do not see. */
    std::vector<double>
    unseen_shares(const double *columns, std::size_t n) const;

  private:
    const Space<dim>        &space_;
    bool                     is_own_;
    std::vector<std::size_t> nodes_; // of the columns, for other ranks' values
    CsrMatrix                matrix_;
    CsrMatrix                mass_;
    std::vector<double>      integrals_;

    std::vector<double>
    integrate(const double *columns, std::size_t n) const;
    void
    assemble(const HatFunctions &hats);
    void
    make_mass_matrix(const std::vector<HatFunctions::Weights> &hats_of_column);
  };
} // namespace Evergreen

#endif
