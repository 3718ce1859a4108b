// How much longer the generation of a dataset takes than its solves alone.
//
//   benchmark_generation [WORD...]  disk, H and cube: ratios; with words only
//                                   the cases whose name has one of them
//   benchmark_generation --large    cube 64^3 with CG + AMG (run it under
//                                   mpirun -n 2): the memory of all ranks
//
// Ratios of times from one run; the best of a few repetitions counts.

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/random.h>
#include <evergreen/configuration.h>
#include <evergreen/data/generator.h>
#include <evergreen/fem/mesh_space.h>

#include <deal.II/base/multithread_info.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>

using namespace Evergreen;

namespace
{
  double
  seconds_of(const std::function<void()> &action)
  {
    const double start = MPI_Wtime();
    action();
    return MPI_Wtime() - start;
  }


  template <int dim>
  void
  measure(const std::string &name,
          const std::string &configuration_file,
          const std::size_t  n_train,
          const std::size_t  n_test)
  {
    auto configuration = Configuration::read(std::string(EVERGREEN_CONFIGS) +
                                               "/" + configuration_file,
                                             {});
    configuration.dataset.n_training_samples = n_train;
    configuration.dataset.n_test_samples     = n_test;

    const Mesh<dim>      mesh(configuration.domain, MPI_COMM_WORLD);
    const auto           problem = make_problem<dim>(configuration.problem);
    const MeshSpace<dim> space(mesh, configuration.problem.degree, *problem);
    problem->set_up(space);

    // The solves alone: the same blocks, forcings at hand, nothing written.
    constexpr std::size_t block = 128;
    const std::size_t     n     = space.n_local_nodes();
    std::vector<double>   f(block * n), u(block * n);
    Random::normals(1, Random::Stream::test, 0, 0, f.size(), f.data());
    const auto solve_all = [&](const std::size_t size) {
      for (std::size_t first = 0; first < n_train + n_test; first += size)
        problem->solve_block(f.data(),
                             u.data(),
                             std::min(size, n_train + n_test - first));
    };

    const std::string  path          = "benchmark_generation.h5";
    double             in_blocks     = std::numeric_limits<double>::max();
    double             one_by_one    = in_blocks;
    double             whole         = in_blocks;
    const unsigned int n_repetitions = (dim == 2) ? 20 : 5;
    for (unsigned int repetition = 0; repetition < n_repetitions; ++repetition)
      {
        std::filesystem::remove(path);
        in_blocks =
          std::min(in_blocks, seconds_of([&]() { solve_all(block); }));
        // One forcing at a time is hopeless for dense integral operators.
        if (dim == 2)
          one_by_one =
            std::min(one_by_one, seconds_of([&]() { solve_all(1); }));
        whole = std::min(whole, seconds_of([&]() {
                           generate_dataset(*problem,
                                            configuration.forcing,
                                            configuration.dataset,
                                            path);
                         }));
      }
    std::filesystem::remove(path);
    std::cout << std::left << std::setw(18) << name << std::right
              << std::setw(8) << n_train + n_test << std::fixed
              << std::setprecision(3) << std::setw(12) << in_blocks
              << std::setw(12) << whole << std::setprecision(2) << std::setw(10)
              << whole / in_blocks;
    if (dim == 2)
      std::cout << std::setw(14) << whole / one_by_one;
    std::cout << std::endl;
  }


  void
  measure_large()
  {
    Configuration configuration;
    configuration.domain.name                = "cube";
    configuration.domain.subdivisions        = 64;
    configuration.problem.solver             = "cg-amg";
    configuration.dataset.n_training_samples = 4;
    configuration.dataset.n_test_samples     = 0;
    const Mesh<3>      mesh(configuration.domain, MPI_COMM_WORLD);
    const MeshSpace<3> space(mesh, 1);
    const auto         problem = make_problem<3>(configuration.problem);
    problem->set_up(space);
    const auto report = generate_dataset(*problem,
                                         configuration.forcing,
                                         configuration.dataset,
                                         "benchmark_generation.h5");
    rusage     usage;
    getrusage(RUSAGE_SELF, &usage);
    const double gib =
      dealii::Utilities::MPI::sum(usage.ru_maxrss / 1048576., MPI_COMM_WORLD);
    if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
      {
        std::filesystem::remove("benchmark_generation.h5");
        std::cout << space.n_nodes()
                  << " nodes, 4 samples with CG + AMG: " << report.seconds
                  << " s, peak memory of all ranks " << gib
                  << " GiB (at most 6)" << std::endl;
      }
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(
    argc, argv, dealii::numbers::invalid_unsigned_int);
  Blas::set_n_threads(dealii::MultithreadInfo::n_threads());
  if (argc > 1 && std::strcmp(argv[1], "--large") == 0)
    {
      measure_large();
      return 0;
    }
  std::cout << "Time of a whole generation against its solves, in blocks of "
               "128 and one by one\n"
            << "case               samples   solves (s)   whole (s)     ratio "
               "   one by one"
            << std::endl;
  const auto wanted = [&](const std::string &name) {
    return argc == 1 || std::any_of(argv + 1, argv + argc, [&](char *word) {
             return name.find(word) != std::string::npos;
           });
  };
  if (const std::string name = "disk Poisson"; wanted(name))
    measure<2>(name, "disk_poisson.prm", 1000, 500);
  if (const std::string name = "H Poisson"; wanted(name))
    measure<2>(name, "h_poisson.prm", 1000, 500);
  if (const std::string name = "cube log-cosine"; wanted(name))
    measure<3>(name, "cube_log_cosine.prm", 1000, 1000);
  if (const std::string name = "cube Poisson"; wanted(name))
    measure<3>(name, "cube_poisson.prm", 1000, 1000);
  return 0;
}
