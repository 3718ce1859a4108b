#include <evergreen/base/error.h>
#include <evergreen/dictionary/family.h>

#include <algorithm>
#include <cmath>

namespace Evergreen
{
  BoundingSphere
  bounding_sphere(const unsigned int dim,
                  const std::size_t  n_points,
                  const double      *points)
  {
    if (n_points == 0)
      throw Error("There is no ball around an empty set of points.");

    BoundingSphere sphere;
    for (unsigned int d = 0; d < dim; ++d)
      {
        double low = points[d], high = points[d];
        for (std::size_t i = 0; i < n_points; ++i)
          {
            low  = std::min(low, points[i * dim + d]);
            high = std::max(high, points[i * dim + d]);
          }
        sphere.centre.push_back(0.5 * (low + high));
      }
    for (std::size_t i = 0; i < n_points; ++i)
      {
        double square = 0;
        for (unsigned int d = 0; d < dim; ++d)
          square += std::pow(points[i * dim + d] - sphere.centre[d], 2);
        sphere.radius = std::max(sphere.radius, std::sqrt(square));
      }
    return sphere;
  }


  BoundingSphere
  product_sphere(const BoundingSphere &sphere)
  {
    BoundingSphere product = sphere;
    product.centre.insert(product.centre.end(),
                          sphere.centre.begin(),
                          sphere.centre.end());
    product.radius = std::sqrt(2.) * sphere.radius;
    return product;
  }


  ReluFamily::ReluFamily(const unsigned int    power,
                         const BoundingSphere &bounding)
    : AtomFamily(static_cast<unsigned int>(bounding.centre.size()),
                 std::max<unsigned int>(bounding.centre.size(), 2))
    , kind(relu_kind(power))
    , sphere(bounding)
  {
    if (sphere.centre.empty() || !(sphere.radius > 0))
      throw Error("The ball around the domain has ",
                  sphere.centre.size(),
                  " coordinates and the radius ",
                  sphere.radius,
                  ": both must be positive.");
  }


  void
  ReluFamily::draw(const double *uniforms, AtomList &atoms) const
  {
    std::vector<double> angles(dim), w(dim);
    if (dim == 1)
      w[0] = (uniforms[0] < 0.5) ? 1. : -1.;
    else
      {
        for (unsigned int i = 0; i + 1 < dim; ++i)
          angles[i] = (i + 2 < dim ? M_PI : 2 * M_PI) * uniforms[i];
        unit_vector(dim, angles.data(), w.data());
      }

    double bias = sphere.radius * (2 * uniforms[n_uniforms - 1] - 1);
    for (unsigned int i = 0; i < dim; ++i)
      bias -= w[i] * sphere.centre[i];
    atoms.push_back(kind, w.data(), bias);
  }


  void
  ReluFamily::unit_vector(const unsigned int n_entries,
                          const double      *angles,
                          double            *w)
  {
    double sines = 1;
    for (unsigned int i = 0; i + 1 < n_entries; ++i)
      {
        w[i] = sines * std::cos(angles[i]);
        sines *= std::sin(angles[i]);
      }
    w[n_entries - 1] = sines;
  }
} // namespace Evergreen
