// Datasets do not depend on the number of ranks: what all ranks make together
// is compared with what one makes alone.

#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh_space.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  template <int dim>
  void
  generate(const DomainParameters  &domain,
           const ProblemParameters &problem_parameters,
           const ForcingParameters &forcing,
           const std::string       &path,
           const MPI_Comm           communicator)
  {
    const Mesh<dim>      mesh(domain, communicator);
    const auto           problem = make_problem<dim>(problem_parameters);
    const MeshSpace<dim> space(mesh, problem_parameters.degree, *problem);
    problem->set_up(space);
    DatasetParameters dataset;
    dataset.n_training_samples = 5;
    dataset.n_test_samples     = 2;
    generate_dataset(*problem, forcing, dataset, path, {});
  }

  void
  expect_equal(const std::string &path_a, const std::string &path_b)
  {
    const DatasetReader a(path_a), b(path_b);
    EXPECT_EQ(a.mesh().cells, b.mesh().cells);
    EXPECT_EQ(a.mesh().boundary, b.mesh().boundary);
    EXPECT_EQ(a.mesh().materials, b.mesh().materials);
    EXPECT_EQ(a.mesh().faces, b.mesh().faces);
    EXPECT_EQ(a.mesh().face_ids, b.mesh().face_ids);
    ASSERT_EQ(a.mesh().points.size(), b.mesh().points.size());
    for (std::size_t i = 0; i < a.mesh().points.size(); ++i)
      EXPECT_NEAR(a.mesh().points[i], b.mesh().points[i], 1e-14);

    for (const Split split : {Split::train, Split::test})
      {
        const std::size_t   n = a.n_samples(split) * a.mesh().n_nodes();
        std::vector<double> u(n), v(n);
        a.read_forcings(split, 0, a.n_samples(split), u.data());
        b.read_forcings(split, 0, a.n_samples(split), v.data());
        double scale = 0;
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_NEAR(u[i], v[i], 1e-11);
        a.read_solutions(split, 0, a.n_samples(split), u.data());
        b.read_solutions(split, 0, a.n_samples(split), v.data());
        for (std::size_t i = 0; i < n; ++i)
          scale = std::max(scale, std::abs(u[i]));
        EXPECT_GT(scale, 0.);
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_NEAR(u[i], v[i], 1e-10 * scale);
      }
  }

  template <int dim>
  void
  compare(const DomainParameters  &domain,
          const ProblemParameters &problem,
          ForcingParameters        forcing)
  {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    TemporaryDirectory directory; // one for each rank; rank 0's is used by all
    const std::string  shared =
      dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD,
                                        directory / "together.h5");
    forcing.normalise = true;
    forcing.noise     = 0.01;
    generate<dim>(domain, problem, forcing, shared, MPI_COMM_WORLD);
    if (rank == 0)
      {
        const std::string alone = directory / "alone.h5";
        generate<dim>(domain, problem, forcing, alone, MPI_COMM_SELF);
        expect_equal(shared, alone);
      }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  DomainParameters
  domain_of(const std::string &name,
            const std::string &cells        = "triangles",
            const unsigned int subdivisions = 0)
  {
    DomainParameters domain;
    domain.name         = name;
    domain.cells        = cells;
    domain.subdivisions = subdivisions;
    return domain;
  }

  ProblemParameters
  problem_of(const std::string &name,
             const std::string &solver = "auto",
             const unsigned int degree = 1)
  {
    ProblemParameters problem;
    problem.name        = name;
    problem.wave_number = 7.;
    problem.solver      = solver;
    problem.degree      = degree;
    return problem;
  }

  ForcingParameters
  gaussian_process()
  {
    ForcingParameters forcing;
    forcing.model = "gaussian-process";
    return forcing;
  }
} // namespace


TEST(Ranks, Interval)
{
  compare<1>(domain_of("interval", "", 40),
             problem_of("helmholtz"),
             gaussian_process());
  compare<1>(domain_of("interval", "", 40),
             problem_of("poisson-kernel"),
             ForcingParameters());
}

TEST(Ranks, Triangles)
{
  compare<2>(domain_of("disk"), problem_of("poisson"), ForcingParameters());
  compare<2>(domain_of("h"),
             problem_of("helmholtz", "mumps", 2),
             ForcingParameters());
}

TEST(Ranks, Quadrilaterals)
{
  auto domain        = domain_of("disk", "quadrilaterals");
  domain.refinements = 1;
  for (const std::string solver : {"cg-amg", "cholmod"})
    compare<2>(domain, problem_of("poisson", solver), ForcingParameters());
  compare<2>(domain_of("h", "quadrilaterals"),
             problem_of("log-cosine"),
             ForcingParameters());
}

TEST(Ranks, Hexahedra)
{
  compare<3>(domain_of("cube", "", 6),
             problem_of("helmholtz", "klu"),
             gaussian_process());
  compare<3>(domain_of("cube", "", 4),
             problem_of("poisson", "cg-amg", 2),
             ForcingParameters());
}

// All conditions, materials, a medium; and a pure Neumann problem.
TEST(Ranks, EllipticProblems)
{
  ProblemParameters   problem  = problem_of("elliptic");
  EllipticParameters &elliptic = problem.elliptic;
  elliptic.diffusion           = "0: 1; 3: 2, 1+y, 0.5";
  elliptic.advection           = "1, x";
  elliptic.neumann             = "1";
  elliptic.robin               = "5: 1+x";
  elliptic.medium.type         = "channels";
  for (const std::string cells : {"triangles", "quadrilaterals"})
    {
      auto domain         = domain_of("square", cells, 12);
      domain.material_ids = "3: x + y < 0.8";
      domain.boundary_ids = "5: y > 0.99 && x < 0.5";
      compare<2>(domain, problem, ForcingParameters());
    }
  elliptic           = EllipticParameters();
  elliptic.neumann   = "all";
  elliptic.advection = "y, 0, 1";
  elliptic.diffusion = "1 + x*y*z";
  compare<3>(domain_of("cube", "tetrahedra", 4), problem, ForcingParameters());
  elliptic.advection   = "";
  elliptic.medium.type = "log-normal";
  compare<3>(domain_of("cube", "", 6), problem, ForcingParameters());
}

// One rank alone has the point where the coefficient is not positive.
TEST(Ranks, ABadCoefficientEndsAll)
{
  ProblemParameters problem  = problem_of("elliptic");
  problem.elliptic.diffusion = "x + y - 0.1";
  expect_error(
    [&]() {
      generate<2>(domain_of("square", "quadrilaterals", 12),
                  problem,
                  ForcingParameters(),
                  "never.h5",
                  MPI_COMM_WORLD);
    },
    "not positive");
}

// Rank 0 finds that the file cannot be written; nobody waits for it.
TEST(Ranks, AnErrorOfTheWriterEndsAll)
{
  expect_error(
    [&]() {
      generate<1>(domain_of("interval", "", 10),
                  problem_of("poisson"),
                  ForcingParameters(),
                  "/no/such/directory/data.h5",
                  MPI_COMM_WORLD);
    },
    "/no/such/directory");
}
