// Integrals of singular atoms against shape functions: against fluxes through
// the boundary on whole meshes, and against a slow but simple bisection for
// single shape functions.

#include "fem/singular_meshes.h"

#include <deal.II/grid/grid_generator.h>

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


TEST(NearField, StrideAndThreads)
{
  const Mesh mesh(Element(2, true, 2), disk_cells(5), 2);
  const auto f = mesh.singular(RadialFunction::macdonald, 3., mesh.nodes[17]);
  std::vector<double> action(mesh.rule.n_rows), strided(3 * mesh.rule.n_rows);
  mesh.rule.near_field->correct(mesh.rule, f, action.data());
  EXPECT_NE(sum(action), 0.);

  std::vector<std::thread> threads;
  for (unsigned int i = 0; i < 3; ++i)
    threads.emplace_back([&, i]() {
      mesh.rule.near_field->correct(mesh.rule, f, strided.data() + i, 3);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (std::size_t k = 0; k < strided.size(); ++k)
    EXPECT_EQ(strided[k], action[k / 3]);
}


// Nodes of finer neighbours: the middles of cells, faces and edges that are no
// nodes of the cell.
TEST(NearField, CentreAtHangingNode)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    if (element.degree == 1)
      {
        const Mesh    mesh(element, {cell}, 2);
        const Element quadratic(element.dim, element.is_simplex, 2);
        for (unsigned int i = 0; i < quadratic.nodes.size(); ++i)
          {
            // The oracle is slow in 3D: an edge and a face of the hexahedron.
            if (element.dim == 3 && i != 1 && i != 4)
              continue;
            const Point     c = map(element, cell, quadratic.nodes[i]);
            const Bisection bisection(element, cell, kappa, c);
            for (const RadialFunction f : functions(element.dim))
              {
                SCOPED_TRACE(text(name, ", ", radial_name(f), ", place ", i));
                EXPECT_LT(difference(mesh.corrected(f, kappa, c),
                                     bisection.integrals(f)),
                          1e-9);
              }
          }
      }
}


TEST(NearField, CentreInside)
{
  const double kappa = 7;
  const Point  unit  = {{0.3, 0.25, 0.2}};
  for (const auto &[name, element, cell] : well_shaped_cells())
    {
      if (element.dim == 3 && element.degree == 2)
        continue;
      const Mesh      mesh(element, {cell}, element.degree + 1);
      const Point     c = map(element, cell, unit);
      const Bisection bisection(element, cell, kappa, c);
      for (const RadialFunction f : functions(element.dim))
        {
          SCOPED_TRACE(text(name, ", ", radial_name(f)));
          EXPECT_LT(difference(mesh.corrected(f, kappa, c),
                               bisection.integrals(f)),
                    1e-5);
        }
    }
}


TEST(NearField, CurvedCells)
{
  const double kappa = 7;
  for (const auto &[name, element, cell] : well_shaped_cells())
    if (element.dim > 1)
      {
        const Mesh mesh(element, {cell}, 3, true);
        for (unsigned int i = 0; i < mesh.cells[0].size(); ++i)
          {
            // The oracle is slow in 3D.
            if (element.dim == 3 && (i != 0 || element.degree == 2))
              continue;
            const Point     c = mesh.cells[0][i];
            const Bisection bisection(element, mesh.cells[0], kappa, c);
            for (const RadialFunction f : functions(element.dim))
              {
                SCOPED_TRACE(text(name, ", ", radial_name(f), ", place ", i));
                EXPECT_LT(difference(mesh.corrected(f, kappa, c),
                                     bisection.integrals(f)),
                          1e-7);
              }
          }
      }
}


// The errors of the integral over a ring or shell with cells of degree 3, whose
// exact values are those of two disks or balls, with a vertex as centre; and of
// the area or volume. Both are relative.
template <int dim>
std::array<double, 2>
ring_errors(const unsigned int refinements)
{
  const double               a = 0.5, b = 1;
  dealii::Triangulation<dim> triangulation;
  dealii::GridGenerator::hyper_shell(
    triangulation, dealii::Point<dim>(), a, b, 6);
  triangulation.refine_global(refinements);
  const dealii::MappingQ<dim> mapping(3);
  const dealii::FE_Q<dim>     fe(1);
  dealii::DoFHandler<dim>     dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);
  const Actions mesh = {rule_of(mapping, dof_handler, 4)};

  // A vertex of the mesh, in the middle of the ring.
  Point c  = {};
  c[0]     = 0.75;
  double s = 0.75;
  double exact, volume;
  if (dim == 2)
    {
      exact = M_PI *
              ((b * b - s * s) / 2 - b * b * std::log(b) + a * a * std::log(s));
      volume = M_PI * (b * b - a * a);
    }
  else
    {
      exact  = 2 * M_PI * (b * b - s * s / 3) - 4 * M_PI / 3 * a * a * a / s;
      volume = 4 * M_PI / 3 * (b * b * b - a * a * a);
    }
  const auto f = dim == 2 ? RadialFunction::logarithm : RadialFunction::inverse;
  const auto action = mesh.corrected(f, 1., c);
  return {{std::abs(sum(action) / exact - 1),
           std::abs(sum(mesh.rule.values) / volume - 1)}};
}


TEST(NearField, CurvedRing)
{
  const auto two = ring_errors<2>(1), finer = ring_errors<2>(2);
  const auto three = ring_errors<3>(1), finest = ring_errors<3>(2);
  for (unsigned int i = 0; i < 2; ++i)
    {
      EXPECT_LT(two[i], 1e-4);
      EXPECT_LT(finer[i], two[i] / 12);
      EXPECT_LT(three[i], 1e-2);
      EXPECT_LT(finest[i], three[i] / 12);
    }
}


// The integral over the cube by cells some of which are refined, whose degrees
// of freedom are not constrained.
template <int dim>
void
check_locally_refined()
{
  dealii::Triangulation<dim> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
  for (const auto &cell : triangulation.active_cell_iterators())
    if (cell->center()[0] < 0.5)
      cell->set_refine_flag();
  triangulation.execute_coarsening_and_refinement();
  const dealii::FE_Q<dim> fe(1);
  dealii::DoFHandler<dim> dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);
  const Actions mesh = {rule_of(dealii::MappingQ<dim>(1), dof_handler, 2)};

  // Nodes of the finer cells between the two parts: in the middle of a face of
  // a coarse cell or, in 3D, of an edge.
  Point face = {}, edge = {};
  face[0] = edge[0] = 0.5;
  for (unsigned int d = 1; d < dim; ++d)
    {
      face[d] = 0.375;
      edge[d] = d == 1 ? 0.625 : 0.5;
    }
  for (const Point &c : {face, edge})
    for (const RadialFunction f : functions(dim))
      {
        const double exact  = integral(dim, cube_boundary(dim), f, 3., c);
        const auto   action = mesh.corrected(f, 3., c);
        double       scale  = 0;
        for (const double value : action)
          scale += std::abs(value);
        EXPECT_LT(std::abs(sum(action) - exact), 1e-6 * scale)
          << radial_name(f);
      }
}


TEST(NearField, LocallyRefinedMesh)
{
  check_locally_refined<2>();
  check_locally_refined<3>();
}


TEST(NearField, BadInput)
{
  const dealii::MappingQ<2> mapping(1);
  dealii::Triangulation<2>  triangulation;
  dealii::GridGenerator::hyper_cube(triangulation);
  dealii::DoFHandler<2> dof_handler(triangulation);
  dof_handler.distribute_dofs(dealii::FE_Q<2>(1));
  EXPECT_THROW(make_near_field(mapping, dof_handler, 0, 1e-6), Error);
  EXPECT_THROW(make_near_field(mapping, dof_handler, 2, 0.), Error);
  EXPECT_THROW(make_near_field(mapping, dof_handler, 2, 1.), Error);
}
