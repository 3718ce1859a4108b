// Integrals of singular atoms against shape functions: against fluxes through
// the boundary on whole meshes, and against a slow but simple bisection for
// single shape functions.

#include "dictionary/singular_meshes.h"

#include <gtest/gtest.h>

#include <thread>

using namespace Evergreen;
using namespace Evergreen::Testing::Singular;


TEST(NearField, CentreAtNode)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    {
      // The oracle is slow in 3D.
      const Mesh         mesh(element, {cell}, 2);
      const unsigned int step = element.dim < 3 ? 1 : 8;
      for (unsigned int i = 0; i < mesh.nodes.size(); i += step)
        {
          const Point    &c = mesh.nodes[i];
          const Bisection bisection(element, cell, kappa, c);
          for (const RadialFunction f : functions(element.dim))
            {
              SCOPED_TRACE(text(name, ", ", radial_name(f), ", node ", i));
              const auto &exact = bisection.integrals(f);
              EXPECT_LT(difference(mesh.corrected(f, kappa, c), exact), 1e-9);
              EXPECT_GT(difference(mesh.standard(f, kappa, c), exact),
                        element.dim > 1 ? 1e-3 : 0.);
            }
        }
    }
}


// A shape function of degree p takes p from the exponent in rho^(-2n), on a
// single cell; that matters where n is small, at a distance. (On a mesh, the
// leading terms of neighbouring cells cancel.)
TEST(NearField, CentreOutside)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    {
      const unsigned int n_standard = element.degree + 1;
      const Mesh         mesh(element, {cell}, n_standard);
      Point              middle = {};
      for (const Point &vertex : cell)
        middle = middle + 1. / cell.size() * vertex;

      // Away from vertices, edges and faces by some cell sizes.
      const Element      quadratic(element.dim, element.is_simplex, 2);
      const unsigned int step = element.dim == 3 ? 3 : 1;
      for (unsigned int i = 0; i < quadratic.nodes.size(); i += step)
        for (const double sizes : {0.3, 1., 3.})
          {
            const Point  x      = map(element, cell, quadratic.nodes[i]);
            const double length = distance(x, middle);
            if (length < 0.01)
              continue;
            const Point     c = x + 0.1 * sizes / length * (x + -1. * middle);
            const Bisection bisection(element, cell, kappa, c);
            const double    tolerance = NearField::default_tolerance;
            const double    bound =
              sizes < 2
                   ? tolerance
                   : std::pow(tolerance, 1 - 0.5 * element.degree / n_standard);
            for (const RadialFunction f : functions(element.dim))
              {
                SCOPED_TRACE(
                  text(name, ", ", radial_name(f), ", node ", i, " + ", sizes));
                const auto &exact = bisection.integrals(f);
                EXPECT_LT(difference(mesh.corrected(f, kappa, c), exact),
                          bound);
                EXPECT_GT(difference(mesh.standard(f, kappa, c), exact),
                          sizes < 1 && element.dim > 1 ? 1e-5 : 0.);
              }
          }
    }
}


// Shape functions add up to one, so the entries of the action add up to the
// integral of the atom over the domain.
void
check_domain(const Mesh &mesh, const Boundary &boundary, const Point &centre)
{
  const double       kappa = 3;
  const unsigned int dim   = mesh.element.dim;
  for (const RadialFunction f : functions(dim))
    {
      const double exact    = integral(dim, boundary, f, kappa, centre);
      const auto   ours     = mesh.corrected(f, kappa, centre);
      const auto   standard = mesh.standard(f, kappa, centre);
      // The integral of an oscillating function may vanish.
      double scale = 0;
      for (const double value : ours)
        scale += std::abs(value);
      EXPECT_LT(std::abs(sum(ours) - exact), 1e-6 * scale) << radial_name(f);
      if (dim > 1)
        {
          EXPECT_GT(std::abs(sum(standard) - exact), 1e-5 * scale)
            << radial_name(f);
        }
    }
}


TEST(NearField, Interval)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(1, false, degree),
                      cube_cells(1, false, 5, 0.2),
                      2);
      for (const Point &node : mesh.nodes)
        if (node[0] > 0.01 && node[0] < 0.99)
          check_domain(mesh, cube_boundary(1), node);
      check_domain(mesh, cube_boundary(1), {{1.04, 0, 0}});
    }
}


TEST(NearField, PolygonOfTriangles)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(2, true, degree), disk_cells(5), 2);
      for (unsigned int i = 0; i < mesh.nodes.size(); i += 7)
        if (distance(mesh.nodes[i], {}) < 0.9)
          check_domain(mesh, disk_boundary(5), mesh.nodes[i]);
      check_domain(mesh, disk_boundary(5), {{0.8, 0.75, 0}});
    }
}


TEST(NearField, SquareOfQuadrilaterals)
{
  for (const unsigned int degree : {1u, 2u})
    {
      const Mesh mesh(Element(2, false, degree),
                      cube_cells(2, false, 5, 0.3),
                      2);
      for (const Point &node : mesh.nodes)
        if (distance(node, {{0.5, 0.5, 0}}) < 0.45)
          check_domain(mesh, cube_boundary(2), node);
      check_domain(mesh, cube_boundary(2), {{1.1, 0.3, 0}});
    }
}


TEST(NearField, Cube)
{
  for (const bool is_simplex : {false, true})
    for (const double distortion : {0., 0.3})
      {
        const Mesh mesh(Element(3, is_simplex, 1),
                        cube_cells(3, is_simplex, 4, distortion),
                        2);
        for (const Point &node : mesh.nodes)
          if (distance(node, {{0.5, 0.5, 0.5}}) < 0.3)
            check_domain(mesh, cube_boundary(3), node);
        check_domain(mesh, cube_boundary(3), {{1.15, 0.3, 0.6}});
      }
}


// Where cells are not corrected any more, the standard rule is good enough for
// each shape function on a mesh.
TEST(NearField, FarCentre)
{
  const double kappa = 2;
  const Point  close = {{1.2, 0.5, 0.5}}, far = {{2.2, 0.5, 0.5}};
  for (const unsigned int dim : {1u, 2u, 3u})
    {
      const Element element(dim, false, 1);
      const auto    cells = cube_cells(dim, false, 4, 0.3);
      const Mesh    mesh(element, cells, 3), fine(element, cells, 8);
      for (const RadialFunction f : functions(dim))
        {
          const auto standard = mesh.standard(f, kappa, far);
          EXPECT_EQ(mesh.corrected(f, kappa, far), standard);
          if (dim > 1) // in 1D both rules are exact to rounding
            {
              EXPECT_NE(mesh.corrected(f, kappa, close),
                        mesh.standard(f, kappa, close));
            }
          EXPECT_LT(difference(standard, fine.standard(f, kappa, far)), 2e-6)
            << radial_name(f);
        }
    }
}


TEST(NearField, StrideFactorAndThreads)
{
  const Mesh          mesh(Element(2, true, 2), disk_cells(5), 2);
  const auto          f     = RadialFunction::macdonald;
  const double        kappa = 3;
  const Point         c     = mesh.nodes[17];
  std::vector<double> action(mesh.rule.n_rows), strided(3 * mesh.rule.n_rows);
  mesh.near_field.correct(mesh.rule, f, kappa, c.data(), action.data());
  EXPECT_NE(sum(action), 0.);

  // The same with the opposite sign leaves nothing.
  auto nothing = action;
  mesh.near_field.correct(
    mesh.rule, f, kappa, c.data(), nothing.data(), 1, -1.);
  for (std::size_t k = 0; k < action.size(); ++k)
    EXPECT_NEAR(nothing[k], 0., 1e-15);

  std::vector<std::thread> threads;
  for (unsigned int i = 0; i < 3; ++i)
    threads.emplace_back([&, i]() {
      mesh.near_field.correct(
        mesh.rule, f, kappa, c.data(), strided.data() + i, 3);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (std::size_t k = 0; k < strided.size(); ++k)
    EXPECT_EQ(strided[k], action[k / 3]);
}


TEST(NearField, BadInput)
{
  const auto one = [](unsigned int, const double *) { return 1.; };
  EXPECT_THROW(NearField(4, false, 1, one, {}, 2), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5}, 2), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5, 0.5}, 0), Error);
  EXPECT_THROW(NearField(2, false, 1, one, {0.5, 0.5}, 2, 0.), Error);

  // Without cells there is nothing to do.
  const NearField near_field(2, false, 1, one, {0.5, 0.5}, 2);
  const double    centre[2] = {};
  EXPECT_EQ(near_field.n_cells(), 0u);
  near_field.correct(
    QuadratureRule(), RadialFunction::logarithm, 1., centre, nullptr);
}
