// Twins do not depend on the number of ranks.

#include "testing.h"
#include "twin/rough_medium.h"

#include <evergreen/fem/functions.h>
#include <evergreen/fem/mesh_space.h>

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  /**
   * The same pairs on any number of ranks: forcings and solutions that were
   * found by one rank, as values by node.
   */
  Samples
  local_part(const Space<2>            &space,
             const std::vector<double> &forcings,
             const std::vector<double> &solutions)
  {
    Samples samples;
    samples.n_samples = forcings.size() / space.n_nodes();
    for (std::size_t j = 0; j < samples.n_samples; ++j)
      for (const std::size_t node : space.local_nodes())
        {
          samples.forcings.push_back(forcings[j * space.n_nodes() + node]);
          samples.solutions.push_back(solutions[j * space.n_nodes() + node]);
        }
    return samples;
  }


  /** Answers to the first forcings by a twin on the ranks of this space. */
  std::vector<double>
  answers(const Space<2>            &space,
          const MeshData            *coarse,
          const std::vector<double> &forcings,
          const std::vector<double> &solutions,
          LearnedTwin               &learned)
  {
    const Samples            samples = local_part(space, forcings, solutions);
    std::unique_ptr<Twin<2>> twin;
    if (coarse == nullptr)
      twin = std::make_unique<Twin<2>>(space);
    else
      twin = std::make_unique<Twin<2>>(space, *coarse);
    // One after the other, as a program has them.
    auto              f = space.make_vector(), u = f;
    const std::size_t n = space.n_local_nodes();
    for (std::size_t j = 0; j < samples.n_samples; ++j)
      {
        std::copy_n(&samples.forcings[j * n], n, f.begin());
        std::copy_n(&samples.solutions[j * n], n, u.begin());
        twin->add(f, u);
      }
    learned = twin->learn();
    const TwinSolver<2> solver(learned, space);
    std::vector<double> result(5 * learned.mesh.n_nodes());
    solver.apply(samples.forcings.data(), result.data(), 5);
    return result;
  }


  void
  compare(const unsigned int n_samples, const MeshData *coarse)
  {
    // Each rank makes all pairs for itself, from the same seed.
    const auto     alone = unit_cube<2>(32, MPI_COMM_SELF);
    const Space<2> own(alone->dof_handler,
                       alone->mapping,
                       alone->quadrature,
                       alone->constraints);
    RoughMedium<2> problem(32, 100., 3);
    problem.set_up(own);
    const auto samples =
      generate_samples(problem, training(1. / 8, 1), Split::train, n_samples);
    std::vector<double> forcings(samples.forcings.size()), solutions = forcings;
    const std::size_t   m = own.n_nodes();
    for (std::size_t j = 0; j < n_samples; ++j)
      for (std::size_t i = 0; i < m; ++i)
        {
          const std::size_t node  = own.local_nodes()[i];
          forcings[j * m + node]  = samples.forcings[j * m + i];
          solutions[j * m + node] = samples.solutions[j * m + i];
        }

    const auto     together = unit_cube<2>(32, MPI_COMM_WORLD);
    const Space<2> space(together->dof_handler,
                         together->mapping,
                         together->quadrature,
                         together->constraints);
    LearnedTwin    shared, single;
    const auto     a = answers(space, coarse, forcings, solutions, shared);
    const auto     b = answers(own, coarse, forcings, solutions, single);
    EXPECT_EQ(shared.free, single.free);
    EXPECT_EQ(description(shared.choice), description(single.choice));
    EXPECT_EQ(shared.a.columns, single.a.columns);
    double largest = 0;
    for (const double value : b)
      largest = std::max(largest, std::abs(value));
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-12 * largest);
  }
} // namespace


TEST(Twin, IsTheSameOnAllRanksOnItsOwnMesh)
{
  compare(14, nullptr);
}

TEST(Twin, IsTheSameOnAllRanksOnACoarseMesh)
{
  const MeshData coarse = coarse_cube<2>(8);
  compare(40, &coarse);
}

// Triangles on several ranks: the nodes of the coarse mesh are nodes of the
// fine one, whose values are found there.
TEST(Twin, FindsNodesInTheirOwnCells)
{
  DomainParameters domain;
  domain.name = "disk";
  const MeshData coarse =
    MeshSpace<2>(Mesh<2>(domain, MPI_COMM_SELF), 1).mesh_data();
  domain.refinements = 1;
  const Mesh<2>      mesh(domain, MPI_COMM_WORLD);
  const MeshSpace<2> space(mesh, 1, /*zero_on_boundary=*/false);
  const auto         formula = [](const dealii::Point<2> &p) {
    return std::sin(30 * p[0]) * std::cos(20 * p[1]);
  };
  const auto f      = interpolate<2>(space, formula);
  const auto values = NodeValues<2>(space, coarse.points).apply(f.begin(), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i],
                formula({coarse.points[2 * i], coarse.points[2 * i + 1]}),
                1e-9);
}

TEST(Twin, RefusesTooFewSamplesOnAllRanks)
{
  const auto     user = unit_cube<2>(8, MPI_COMM_WORLD);
  const Space<2> space(user->dof_handler,
                       user->mapping,
                       user->quadrature,
                       user->constraints);
  Twin<2>        twin(space);
  expect_error([&]() { twin.learn(); }, "no samples");
  auto f = space.make_vector();
  f      = 1.;
  twin.add(f, f);
  expect_error([&]() { twin.learn(); }, "needs 10 samples");
  twin.add(Samples());
  EXPECT_EQ(twin.data().n_samples, 1u);
}
