// Kernels do not depend on the number of ranks.

#include "learning/small_dataset.h"

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
    const auto errors = errors_of(together, shared.kernel);
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
        const Expansions &a = alone.kernel.expansions;
        const Expansions &b = shared.kernel.expansions;
        EXPECT_EQ(a.pool.weights, b.pool.weights);
        EXPECT_EQ(a.pool.biases, b.pool.biases);
        EXPECT_EQ(a.starts, b.starts);
        EXPECT_EQ(a.atoms, b.atoms);
        for (std::size_t i = 0; i < alone.kernel.history.neurons.size(); ++i)
          EXPECT_NEAR(alone.kernel.history.train_error[i],
                      shared.kernel.history.train_error[i],
                      1e-9);
        const auto   tests = read_test_set(space,
                                         *together.reader,
                                         Split::test,
                                         alone.kernel.response);
        Poisson<dim> poisson;
        poisson.set_up(space);
        const auto errors_alone =
          kernel_errors<dim>(alone.kernel, space, &tests, &poisson);
        ASSERT_EQ(errors_alone.eps_u.size(), errors.eps_u.size());
        for (std::size_t l = 0; l < errors.eps_u.size(); ++l)
          {
            EXPECT_NEAR(errors_alone.eps_u[l], errors.eps_u[l], 1e-9);
            EXPECT_NEAR(errors_alone.eps_G[l], errors.eps_G[l], 1e-9);
          }
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
  parameters.frame          = Frame::of_tensor(2, {2, 0.5, 0.5, 1});
  parameters.frame.drift    = {1, -0.5};
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
