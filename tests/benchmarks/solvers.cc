// Which solver is the fastest for many right-hand sides: seconds to set up, and
// milliseconds a right-hand side in blocks and one by one.
//
//   [mpirun -n 2] benchmark_solvers [WORD...]   with words only the cases whose
//                                               name has one of them; 65 and 97
//                                               only if they are named
//
// The best of a few repetitions in one run counts. MUMPS and CG + AMG solve
// for one right-hand side after the other, so they get smaller blocks.

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>
#include <evergreen/base/random.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>

#include <deal.II/base/multithread_info.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

using namespace Evergreen;
using Method = LinearSolver::Method;

namespace
{
  double
  seconds_of(const std::function<void()> &action)
  {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    action();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
  }


  template <int dim>
  void
  measure(const std::string      &name,
          const DomainParameters &domain,
          const bool              is_definite,
          const Method            method)
  {
    const Mesh<dim>                       mesh(domain, MPI_COMM_WORLD);
    const MeshSpace<dim>                  space(mesh, 1);
    std::unique_ptr<GalerkinProblem<dim>> problem;
    if (is_definite)
      problem = std::make_unique<Poisson<dim>>(method);
    else
      problem = std::make_unique<Helmholtz<dim>>(10., method);
    const double set_up = seconds_of([&]() { problem->set_up(space); });

    // Right-hand sides: A u = b alone, without the mass matrix.
    const bool in_blocks = method == Method::cholmod || method == Method::klu;
    const std::size_t   block = in_blocks ? 128 : 4;
    const std::size_t   n     = space.n_local_nodes();
    std::vector<double> b(block * n), u(block * n);
    Random::normals(1, Random::Stream::test, 0, 0, b.size(), b.data());
    double blocks = std::numeric_limits<double>::max(), single = blocks;
    for (unsigned int repetition = 0; repetition < 3; ++repetition)
      {
        blocks =
          std::min(blocks, seconds_of([&]() {
                     problem->linear_solver().solve(b.data(), u.data(), block);
                   }));
        single = std::min(single, seconds_of([&]() {
                            for (unsigned int j = 0; j < 4; ++j)
                              problem->linear_solver().solve(b.data() + j * n,
                                                             u.data() + j * n,
                                                             1);
                          }));
      }
    if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
      std::printf("%-18s %8zu  %-8s %9.3f %11.4f %11.4f\n",
                  name.c_str(),
                  space.n_nodes(),
                  LinearSolver::method_name(method).c_str(),
                  set_up,
                  1e3 * blocks / block,
                  1e3 * single / 4);
  }


  template <int dim>
  void
  measure_all(const std::string      &name,
              const DomainParameters &domain,
              const bool              is_definite,
              const bool              is_large)
  {
    if (is_definite)
      measure<dim>(name, domain, true, Method::cholmod);
    if (!is_large)
      measure<dim>(name, domain, is_definite, Method::klu);
    measure<dim>(name, domain, is_definite, Method::mumps);
    if (is_definite)
      measure<dim>(name, domain, true, Method::cg_amg);
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(
    argc, argv, dealii::numbers::invalid_unsigned_int);
  Blas::set_n_threads(dealii::MultithreadInfo::n_threads());
  const auto is_named = [&](const std::string &name) {
    return std::any_of(argv + 1, argv + argc, [&](char *word) {
      return name.find(word) != std::string::npos;
    });
  };
  if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    std::printf("%-18s %8s  %-8s %9s %11s %11s\n",
                "problem",
                "nodes",
                "solver",
                "set up, s",
                "blocks, ms",
                "single, ms");
  for (const bool is_definite : {true, false})
    {
      const std::string problem = is_definite ? " Poisson" : " Helmholtz";
      for (const std::string kind : {"disk", "h"})
        for (const unsigned int refinements : {0, 1, 2, 3})
          {
            const std::string name =
              kind + "/" + std::to_string(1 << refinements) + problem;
            if (argc > 1 && !is_named(name))
              continue;
            DomainParameters domain;
            domain.name        = kind;
            domain.refinements = refinements;
            measure_all<2>(name, domain, is_definite, false);
          }
      for (const unsigned int n : {8, 16, 32, 64, 96})
        {
          const std::string name = "cube " + std::to_string(n + 1) + problem;
          if (!(argc == 1 ? n <= 32 : is_named(name)))
            continue;
          DomainParameters domain;
          domain.name         = "cube";
          domain.subdivisions = n;
          measure_all<3>(name, domain, is_definite, n > 16);
        }
    }
  return 0;
}
