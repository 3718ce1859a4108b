// Coefficients as values on the cells of a uniform grid: random media, and
// permeabilities from files. They know nothing of the mesh.

#ifndef evergreen_fem_medium_h
#define evergreen_fem_medium_h

#include <evergreen/base/compat.h>

#include <deal.II/base/bounding_box.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/point.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Which medium, on how fine a grid. */
  struct MediumParameters
  {
    std::string   type     = "none";
    std::string   cells    = "32";
    double        contrast = 100;
    double        width    = 2;
    double        share    = 0.25;
    std::uint64_t seed     = 1;
    std::string   file     = "";

    /** Declares these parameters in the subsection "Medium". */
    void
    add_parameters(dealii::ParameterHandler &prm);

    /** Throws a UsageError that names the first impossible key. */
    void
    check() const;

    /** Whether there is a medium at all. */
    bool
    is_present() const
    {
      return type != "none";
    }
  };


  /** The box around points, dim numbers each. */
  template <int dim>
  dealii::BoundingBox<dim>
  bounding_box(const std::vector<double> &points);


  /**
   * A positive coefficient that is constant on each cell of a uniform grid over
   * a box. Random media take values from 1 to the contrast \f$\kappa\f$; their
   * lengths are in cells of the grid:
   *
   * - <i>independent cells</i>: \f$\kappa^{\xi}\f$ with uniform random
   *   \f$\xi\in(0,1)\f$ for every cell;
   * - <i>layers</i>: the same for every layer across the last direction, as
   *   thick as the width;
   * - <i>inclusions</i>: \f$\kappa\f$ in balls of the width as diameter, 1
   *   around them;
   * - <i>channels</i>: \f$\kappa\f$ in straight channels of this width, half
   *   as long as the box, with random places and directions;
   * - <i>log-normal</i>: \f$\exp(\frac14\ln\kappa\,g)\f$ with a Gaussian field
   *   g of variance one: white noise smoothed over the width. Two standard
   *   deviations to either side make up the contrast.
   *
   * There are as many inclusions or channels as cover the wanted share of the
   * box in the mean. All random numbers are keyed by the seed: a medium is the
   * same on every rank, and on every mesh.
   *
   * A <i>file</i> has one positive number a cell as text, x fastest, then y,
   * beginning at the corner with the least coordinates; what follows a # in a
   * line is ignored. With several files, one for each direction, the medium is
   * a diagonal tensor.
   */
  template <int dim>
  class Medium
  {
  public:
    /** Makes or reads the medium. Throws an Error for a wrong file. */
    Medium(const MediumParameters         &parameters,
           const dealii::BoundingBox<dim> &box);

    /**
     * The value at a point, or that of the cell nearest to it; of an
     * anisotropic medium the value in a @p direction.
     */
    double
    value(const dealii::Point<dim> &point,
          const unsigned int        direction = 0) const;

    /** Whether values() differ by direction. */
    bool
    is_anisotropic() const
    {
      return values_.size() > 1;
    }

    /** The numbers of cells in all directions. */
    const std::array<unsigned int, dim> &
    n_cells() const
    {
      return n_cells_;
    }

    /** The values of all cells, x fastest. */
    const std::vector<double> &
    values(const unsigned int direction = 0) const
    {
      return values_[is_anisotropic() ? direction : 0];
    }

    /** One line for people. */
    std::string
    description() const;

  private:
    std::string                      type_;
    dealii::BoundingBox<dim>         box_;
    std::array<unsigned int, dim>    n_cells_;
    std::vector<std::vector<double>> values_; // by direction
  };
} // namespace Evergreen

#endif
