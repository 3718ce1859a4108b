#include <evergreen/fem/singular_quadrature.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/tensor.h>

#include <cmath>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /**
     * How many Gauss points a cone rule has along the cone and in each
     * direction of a face, and the exponent of \f$t=\tau^p\f$.
     */
    struct ConeParameters
    {
      unsigned int n_along;
      unsigned int n_face;
      unsigned int exponent;
    };


    /** The cones over faces, which are spanned by edges from one vertex. */
    template <int dim>
    Quadrature<dim>
    cone_rule(const ReferenceCell  &cell,
              const Point<dim>     &apex,
              const ConeParameters &parameters)
    {
      const auto [n_along, n_face, exponent] = parameters;
      const QGauss<1> along(n_along);
      const auto      on_face =
        smooth_quadrature<dim - 1>(cell.face_reference_cell(0), n_face);
      std::vector<double> t, dt; // and the Jacobian
      for (unsigned int i = 0; i < n_along; ++i)
        {
          const double tau = along.point(i)[0];
          t.push_back(std::pow(tau, exponent));
          dt.push_back(exponent * std::pow(tau, exponent * dim - 1.) *
                       along.weight(i));
        }
      std::vector<Point<dim>> points;
      std::vector<double>     weights;
      for (const unsigned int face : cell.face_indices())
        {
          const auto vertex = [&](const unsigned int v) {
            return cell.template vertex<dim>(
              cell.face_to_cell_vertices(face, v, 1));
          };
          Tensor<2, dim> edges;
          edges[0] = vertex(0) - apex;
          for (unsigned int d = 1; d < dim; ++d)
            edges[d] = vertex(d) - vertex(0);
          const double volume = std::abs(determinant(edges));
          if (volume < 1e-12) // the apex is in the plane of the face
            continue;

          for (unsigned int q = 0; q < on_face.size(); ++q)
            {
              Tensor<1, dim> z = edges[0];
              for (unsigned int d = 1; d < dim; ++d)
                z += on_face.point(q)[d - 1] * edges[d];
              for (unsigned int i = 0; i < n_along; ++i)
                {
                  points.push_back(apex + t[i] * z);
                  weights.push_back(volume * dt[i] * on_face.weight(q));
                }
            }
        }
      return Quadrature<dim>(points, weights);
    }
  } // namespace


  // A simplex is a cone with vertex 0 as apex, and one point more along it
  // makes up for the degree of the Jacobian.
  template <int dim>
  Quadrature<dim>
  smooth_quadrature(const ReferenceCell &cell, const unsigned int n)
  {
    if constexpr (dim > 1)
      if (!cell.is_hyper_cube())
        return cone_rule(cell, Point<dim>(), {n + 1, n, 1});
    return QGauss<dim>(n);
  }


  template <int dim>
  hp::QCollection<dim - 1>
  face_quadratures(const ReferenceCell &cell, const unsigned int n)
  {
    hp::QCollection<dim - 1> result;
    if constexpr (dim == 1)
      result.push_back(QGauss<0>(n));
    else
      for (const auto f : cell.face_indices())
        result.push_back(cell.face_reference_cell(f)
                           .template get_gauss_type_quadrature<dim - 1>(n));
    return result;
  }


  // The functions of 1D and 3D are analytic along the cone once the Jacobian is
  // there, and a substitution would only waste points.
  template <int dim>
  Quadrature<dim>
  singular_quadrature(const ReferenceCell &cell, const Point<dim> &apex)
  {
    bool at_vertex = false;
    for (const unsigned int v : cell.vertex_indices())
      at_vertex =
        at_vertex || apex.distance(cell.template vertex<dim>(v)) < 1e-10;
    constexpr ConeParameters parameters[3][2] = {{{10, 1, 1}, {10, 1, 1}},
                                                 {{12, 12, 3}, {12, 10, 3}},
                                                 {{8, 12, 1}, {8, 8, 1}}};
    return cone_rule(cell, apex, parameters[dim - 1][at_vertex]);
  }


#define INSTANTIATE(dim)                                                       \
  template decltype(smooth_quadrature<dim>)   smooth_quadrature<dim>;          \
  template decltype(face_quadratures<dim>)    face_quadratures<dim>;           \
  template decltype(singular_quadrature<dim>) singular_quadrature<dim>;
  INSTANTIATE(1)
  INSTANTIATE(2)
  INSTANTIATE(3)
#undef INSTANTIATE
} // namespace Evergreen
