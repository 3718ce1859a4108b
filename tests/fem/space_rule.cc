// The two quadrature rules of a space.

#include <evergreen/base/error.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/space_rule.h>

#include <gtest/gtest.h>

#include <numeric>

using namespace Evergreen;


TEST(SpaceRule, WeightsAddUpToTheMeasure)
{
  const auto sum = [](const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.);
  };
  DomainParameters domain;
  domain.name         = "cube";
  domain.subdivisions = 3;
  const Mesh<3>      mesh(domain, MPI_COMM_SELF);
  const MeshSpace<3> space(mesh, 2);
  EXPECT_NEAR(sum(nodal_weights(space)), 1, 1e-12);
  EXPECT_NEAR(sum(all_nodal_weights(space)), 1, 1e-12);

  const auto fe    = make_rule(space),
             nodal = make_rule(space, quadrature_kind("monte-carlo"));
  for (const DistributedRule &result : {fe, nodal})
    {
      result.rule.check();
      EXPECT_EQ(result.n_owned, space.n_local_nodes());
      EXPECT_EQ(result.rule.n_rows, 343u);
      EXPECT_NEAR(sum(result.rule.values), 1, 1e-12);
    }
  EXPECT_EQ(fe.rule.n_points(), 729u);
  EXPECT_TRUE(fe.rule.near_field);
  EXPECT_EQ(nodal.rule.n_points(), 343u);
  EXPECT_FALSE(nodal.rule.near_field);
  const auto &points = space.mesh_data().points;
  for (std::size_t i = 0; i < 343; ++i)
    for (unsigned int d = 0; d < 3; ++d)
      EXPECT_NEAR(nodal.rule.points[3 * i + d],
                  points[3 * nodal.nodes[i] + d],
                  1e-14);
}


TEST(SpaceRule, UnknownKind)
{
  EXPECT_EQ(quadrature_kind("fe"), QuadratureKind::finite_element);
  EXPECT_THROW(quadrature_kind("gauss"), UsageError);
}
