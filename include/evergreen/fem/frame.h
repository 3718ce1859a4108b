// Other variables for a kernel, in which constant coefficients are those of
// the Laplacian: fundamental solutions fit anisotropy and advection there.

#ifndef evergreen_fem_frame_h
#define evergreen_fem_frame_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/fem/quadrature_rule.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * Writes kernels as \f$G(x,y)=e^{-\beta\cdot y}\,H(x,Ty)\f$. For
   * \f$-\nabla\cdot(a\nabla u)+b\cdot\nabla u+cu=f\f$ with constant
   * coefficients, \f$T=a^{-1/2}\f$ and \f$\beta=a^{-1}b/2\f$ the slices of H
   * are those of a multiple of
   * \f$-\Delta+\beta\cdot a\beta+c\f$ on the domain's image under T: their
   * singularity is that of -log r, K0(kappa r) or their counterparts in three
   * dimensions, and mirror images are where they should be. A scalar a that
   * varies as an exponential is the same with \f$\beta=\nabla\ln a/2\f$. If
   * coefficients vary otherwise, means make a frame that does so in part.
   *
   * To learn in a frame, and to use what was learned, is to have another
   * quadrature rule: one whose points are images and whose weights have the
   * exponential factor.
   */
  struct Frame
  {
    /** T, dim x dim numbers, and its inverse; empty for the unit matrix. */
    std::vector<double> map, inverse;

    /** \f$\beta\f$; empty for zero. */
    std::vector<double> drift;

    /** Whether nothing changes. */
    bool
    is_trivial() const
    {
      return map.empty() && drift.empty();
    }

    /**
     * The frame of an anisotropic a, a symmetric positive definite tensor of
     * dim x dim numbers, without drift. T is scaled to keep volumes.
     */
    static Frame
    of_tensor(unsigned int dim, const std::vector<double> &a);

    /** One line for people: "T y, T = (1, 0; 0, 2), times exp(-(1, 2).y)". */
    std::string
    description() const;

    /** The images of points, @p dim numbers each. */
    std::vector<double>
    images(unsigned int dim, const std::vector<double> &points) const;

    /** \f$e^{-\beta\cdot y}\f$ */
    double
    factor(const double *y) const;

    /** The mesh with the images of its nodes. */
    MeshData
    image(const MeshData &mesh) const;

    /** The faces with the images of their corners. */
    std::vector<BoundaryFace>
    images(unsigned int dim, const std::vector<BoundaryFace> &faces) const;

    /** The rule for functions of the image points. */
    QuadratureRule
    image(const QuadratureRule &rule) const;
  };
} // namespace Evergreen

#endif
