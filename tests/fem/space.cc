// Spaces that belong to a program: local refinement, curved cells, values given
// on a part of the boundary, and what is refused.

#include "fem/user_spaces.h"
#include "testing.h"

#include <evergreen/base/random.h>
#include <evergreen/fem/boundary_faces.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>

#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>

#include <numeric>

using namespace Evergreen;
using namespace Evergreen::Testing;
using dealii::Point;

namespace
{
  /** A square whose lower left quarter is refined once more. */
  std::unique_ptr<UserSpace<2>>
  refined_square(const unsigned int degree, const bool all_sides = true)
  {
    auto result = std::make_unique<UserSpace<2>>(degree, 1);
    dealii::GridGenerator::subdivided_hyper_cube(result->triangulation, 4);
    refine_near(result->triangulation, Point<2>(0., 0.), 0.8);
    result->distribute(all_sides ? std::set<dealii::types::boundary_id>{0}
                                 : std::set<dealii::types::boundary_id>{});
    return result;
  }
} // namespace


TEST(Space, HangingNodesAreNotFree)
{
  const auto     user   = refined_square(1);
  const Space<2> space  = user->space();
  std::size_t    n_free = 0;
  for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
    n_free += !space.is_constrained(i);
  EXPECT_EQ(n_free,
            user->dof_handler.n_dofs() - user->constraints.n_constraints());
  EXPECT_EQ(space.free_nodes().size(), n_free);
  EXPECT_TRUE(space.has_coupled_constraints());
  EXPECT_FALSE(space.mesh_data().is_complete);
  EXPECT_EQ(space.mesh_data().n_cells(), user->triangulation.n_active_cells());

  // Distributing and condensing are transposed maps: (C x, y) = (x, C^T y).
  const std::size_t   n = space.n_local_nodes();
  std::vector<double> x(2 * n), y(2 * n);
  Random::normals(1, Random::Stream::test, 0, 0, 2 * n, x.data());
  Random::normals(1, Random::Stream::test, 1, 0, 2 * n, y.data());
  auto c_x = x, ct_y = y;
  space.distribute(c_x.data(), 2);
  space.condense(ct_y.data(), 2);
  for (std::size_t i = 0; i < n; ++i)
    if (space.is_constrained(i))
      x[i] = x[n + i] = 0;
  // distribute() ignores what x has at constrained nodes.
  EXPECT_NEAR(std::inner_product(c_x.begin(), c_x.end(), y.begin(), 0.),
              std::inner_product(x.begin(), x.end(), ct_y.begin(), 0.),
              1e-10);

  // The same as deal.II's for one vector.
  dealii::Vector<double> v(n);
  std::copy_n(y.begin(), n, v.begin());
  user->constraints.distribute(v);
  auto ours = y;
  space.distribute(ours.data(), 1);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(ours[i], v(i), 1e-14);
}

// Linear functions are in the space, hanging nodes or not, whatever the
// solutions' boundary values are.
TEST(Space, ProjectsAndInterpolates)
{
  for (const unsigned int degree : {1, 3})
    {
      const auto     user  = refined_square(degree, false);
      const Space<2> space = user->space();
      const auto linear = [](const Point<2> &p) { return 1 + 2 * p[0] - p[1]; };
      const auto f =
        project<2>(space, dealii::ScalarFunctionFromFunctionObject<2>(linear));
      for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
        EXPECT_NEAR(f.local_element(i),
                    linear(space.point(space.local_nodes()[i])),
                    1e-10);
      const std::vector<Point<2>> points = {{0.5, 0.31}, {0.49, 0.5}, {0., 1.}};
      const Interpolation<2>      interpolation(space);
      const auto                  weights = interpolation.weights(points);
      for (std::size_t p = 0; p < points.size(); ++p)
        {
          double value = 0;
          for (const auto &[node, weight] : weights[p])
            value += weight * linear(space.point(node));
          EXPECT_NEAR(value, linear(points[p]), 1e-12);
        }
      expect_error([&]() { interpolation.weights({Point<2>(1.1, 0.)}); },
                   "outside");
    }
}

// Among triangles it is easy to end up in a cell beside that of the point, and
// to extrapolate from there.
TEST(Space, InterpolatesInThePointsOwnCells)
{
  DomainParameters domain;
  domain.name = "disk";
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      domain.cells = cells;
      const Mesh<2>          mesh(domain, MPI_COMM_SELF);
      const MeshSpace<2>     space(mesh, 1, false);
      const Interpolation<2> interpolation(space);
      std::vector<Point<2>>  points = {{0.785071, 0.267291}};
      for (std::size_t i = 0; i < 500; ++i)
        {
          const double r =
            0.99 * std::sqrt(Random::uniform(1, Random::Stream::test, 0, i));
          const double angle =
            2 * M_PI * Random::uniform(1, Random::Stream::test, 1, i);
          points.emplace_back(r * std::cos(angle), r * std::sin(angle));
        }
      const auto weights =
        interpolation.weights(points, Interpolation<2>::Nodes::all);
      for (std::size_t p = 0; p < points.size(); ++p)
        {
          Point<2> place;
          for (const auto &[node, weight] : weights[p])
            {
              EXPECT_GT(weight, -1e-5) << points[p];
              place += weight * space.point(node);
            }
          EXPECT_LT(place.distance(points[p]), 1e-9);
        }
    }
}

// The numbers of nodes follow from their places alone.
TEST(Space, NodesDoNotDependOnTheNumbering)
{
  const auto     user = refined_square(2);
  const Space<2> before(user->space());
  const auto     points = before.points();
  dealii::DoFRenumbering::random(user->dof_handler);
  user->make_constraints({0});
  const Space<2> after = user->space();
  EXPECT_EQ(after.points(), points);
  EXPECT_EQ(after.free_nodes().size(),
            user->dof_handler.n_dofs() - user->constraints.n_constraints());

  // Points in another order are found, others are not.
  std::vector<double> reversed;
  for (std::size_t i = points.size(); i > 0; i -= 2)
    reversed.insert(reversed.end(), {points[i - 2], points[i - 1]});
  const auto nodes = after.match(reversed, "The list");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_LT(after.point(nodes[i]).distance(
                Point<2>(reversed[2 * i], reversed[2 * i + 1])),
              1e-12);
  reversed[7] += 1e-3;
  expect_error([&]() { after.match(reversed, "The list"); },
               "The list: node 3");
}

// On a locally refined mesh the sides of small cells inside are no boundary.
TEST(Space, BoundaryFacesOfRefinedMeshes)
{
  const auto     user   = refined_square(1);
  const Space<2> space  = user->space();
  double         length = 0;
  for (const BoundaryFace &face : boundary_faces(space))
    length += std::hypot(face.corners[0] - face.corners[2],
                         face.corners[1] - face.corners[3]);
  EXPECT_NEAR(length, 4., 1e-12);
}

TEST(Space, RefusesWhatCannotBeLearnedOn)
{
  const auto refuse = [](const dealii::FiniteElement<2> &fe,
                         const bool                      closed,
                         const double                    value,
                         const std::string              &reason) {
    dealii::Triangulation<2> triangulation;
    dealii::GridGenerator::hyper_cube(triangulation);
    dealii::DoFHandler<2> dof_handler(triangulation);
    dof_handler.distribute_dofs(fe);
    dealii::AffineConstraints<double> constraints;
    constraints.add_line(0);
    constraints.set_inhomogeneity(0, value);
    if (closed)
      constraints.close();
    const dealii::MappingQ<2> mapping(1);
    const dealii::QGauss<2>   quadrature(2);
    expect_error(
      [&]() { Space<2>(dof_handler, mapping, quadrature, constraints); },
      reason);
  };
  const dealii::FE_Q<2> linear(1);
  refuse(dealii::FESystem<2>(linear, 2), true, 0, "2 components");
  refuse(dealii::FE_DGQ<2>(1), true, 0, "not a continuous Lagrange element");
  refuse(linear, false, 0, "call close()");
  refuse(linear, true, 1.5, "not homogeneous");
}
