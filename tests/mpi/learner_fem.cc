// Kernels do not depend on the number of ranks.

#include "kernel/small_dataset.h"

#include <evergreen/fem/mesh_space.h>
#include <evergreen/kernel/errors.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  template <int dim>
  void
  compare(const DomainParameters &domain, const LearningParameters &parameters)
  {
    const TemporaryDirectory directory;
    int                      rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string path =
      dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD, directory / "data.h5");
    SmallDataset<dim> together(domain, path, 60, 0.05, MPI_COMM_WORLD);
    const auto        shared =
      learn_kernel(together.space, together.samples, parameters);
    const TestSet<dim> tests(together.space,
                             *together.reader,
                             Split::test,
                             shared.kernel.response);
    const auto         rule  = make_rule(together.space);
    const double       eps_u = tests.errors_of({shared.kernel}, rule).front();
    const double       eps_G =
      kernel_errors({shared.kernel}, together.problem).front();
    if (rank == 0)
      {
        const Mesh<dim> mesh(together.reader->mesh(), "data", MPI_COMM_SELF);
        const MeshSpace<dim> space(mesh, together.reader->mesh(), "data");
        const auto           alone =
          learn_kernel(space,
                       load_samples(*together.reader, Split::train, space),
                       parameters);
        EXPECT_EQ(alone.rank, shared.rank);
        EXPECT_NEAR(alone.misfit, shared.misfit, 1e-9);
        ASSERT_EQ(alone.kernel.expansions.size(),
                  shared.kernel.expansions.size());
        for (std::size_t s = 0; s < alone.kernel.expansions.size(); ++s)
          {
            EXPECT_EQ(alone.kernel.expansions[s].atoms.weights,
                      shared.kernel.expansions[s].atoms.weights);
            EXPECT_EQ(alone.kernel.expansions[s].atoms.biases,
                      shared.kernel.expansions[s].atoms.biases);
          }
        for (std::size_t i = 0; i < alone.kernel.history.neurons.size(); ++i)
          EXPECT_NEAR(alone.kernel.history.train_error[i],
                      shared.kernel.history.train_error[i],
                      1e-9);
        const TestSet<dim> tests_alone(space,
                                       *together.reader,
                                       Split::test,
                                       alone.kernel.response);
        EXPECT_NEAR(
          tests_alone.errors_of({alone.kernel}, make_rule(space)).front(),
          eps_u,
          1e-9);
        Poisson<dim> poisson;
        poisson.set_up(space);
        EXPECT_NEAR(kernel_errors({alone.kernel}, poisson).front(),
                    eps_G,
                    1e-9);
      }
    MPI_Barrier(MPI_COMM_WORLD);
  }
} // namespace


TEST(RanksLearner, PointwiseOnTriangles)
{
  DomainParameters domain;
  domain.name     = "disk";
  auto parameters = quick_learning(10);
  parameters.size = 64;
  compare<2>(domain, parameters);
  parameters.precision = "single";
  parameters.stopping  = "validation";
  compare<2>(domain, parameters);
}

TEST(RanksLearner, FullKernelOnTheInterval)
{
  auto parameters   = quick_learning(10);
  parameters.method = "oga";
  compare<1>(small_interval(), parameters);
}

TEST(RanksLearner, PointwiseOnHexahedra)
{
  DomainParameters domain;
  domain.name         = "cube";
  domain.subdivisions = 6;
  compare<3>(domain, quick_learning(10));
}

TEST(RanksLearner, FundamentalSolutionsOnTriangles)
{
  DomainParameters domain;
  domain.name               = "disk";
  auto parameters           = quick_learning(8);
  parameters.size           = 64;
  parameters.family         = "mixed";
  parameters.function       = "Y0";
  parameters.wave_number    = 2;
  parameters.regularisation = 1e-3;
  compare<2>(domain, parameters);
}

TEST(RanksLearner, FundamentalSolutionsOfTheFullKernel)
{
  auto parameters     = quick_learning(4);
  parameters.method   = "oga";
  parameters.family   = "fundamental";
  parameters.function = "modulus";
  compare<1>(small_interval(), parameters);
}
