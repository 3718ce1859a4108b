// How fast the learner is, in units of one 1024^3 matrix product on the same
// threads in the same run. Makes its own problem: P1 elements on a disk, random
// band-limited forcings, Poisson's equation; with --cube trilinear elements and
// a cosine kernel. --scaling shows how the time grows with m, N, n and N_R,
// --threads=T sets the threads, --slices=S takes only S of the slices, --kernel
// runs the full algorithm with --neurons=n, --instructions=portable|avx2
// chooses the version of the innermost loops. The ratio of processor times is
// less disturbed by other work on the machine.

#include "learner_problem.h"

#include <evergreen/base/blas.h>
#include <evergreen/dictionary/simd.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

#include <sys/resource.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

using namespace Evergreen;

namespace
{
  double
  now()
  {
    return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
  }


  // Processor seconds of all threads.
  double
  processor_now()
  {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
  }


  // The median time of a 1024^3 product with all BLAS threads.
  double
  gemm_seconds(double (*clock)() = now)
  {
    const int           n = 1024;
    std::vector<double> a(n * n, 1.), b(n * n, 1.), c(n * n);
    std::vector<double> times;
    for (int i = 0; i < 7; ++i)
      {
        const double start = clock();
        Blas::gemm('N', 'N', n, n, n, 1., &a[0], n, &b[0], n, 0., &c[0], n);
        times.push_back(clock() - start);
      }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }


  struct Settings
  {
    unsigned int    n_neurons = 128;
    std::size_t     size      = 512;
    SearchPrecision precision = SearchPrecision::double_precision;
  };


  // One run of PW-OGA with everything that belongs to it.
  struct Run
  {
    double      unit = 0, seconds = 0, ratio = 0, processor_ratio = 0;
    double      coordinates = 0;
    StepSeconds steps;
    std::size_t rank  = 0;
    double      error = 0;
  };


  Run
  run_once(const Problem  &problem,
           const Settings &settings,
           const unsigned  n_threads)
  {
    Run run;
    run.unit = gemm_seconds();
    Blas::set_n_threads(1);
    const double processor_unit = gemm_seconds(processor_now);
    Blas::set_n_threads(n_threads);
    const double start = now(), processor_start = processor_now();

    const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
    run.coordinates         = now() - start;
    const auto       sphere = bounding_sphere(problem.rule.dim,
                                        problem.n_nodes(),
                                        problem.nodes.data());
    const Dictionary dictionary(std::make_shared<ReluFamily>(1, sphere),
                                settings.size,
                                1);
    GreedyParameters parameters;
    parameters.n_neurons    = settings.n_neurons;
    parameters.precision    = settings.precision;
    parameters.memory       = std::size_t(3) << 30;
    parameters.keep_factors = (problem.n_nodes() < 2000);
    std::vector<Fit> fits;
    approximate_slices(
      {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
      fits,
      {},
      {},
      &run.steps);

    run.seconds         = now() - start;
    run.processor_ratio = (processor_now() - processor_start) / processor_unit;
    run.unit            = (run.unit + gemm_seconds()) / 2;
    run.ratio           = run.seconds / run.unit;
    run.rank            = coordinates.rank();
    run.error           = history(fits, {}, MPI_COMM_SELF).back().train_error;
    return run;
  }


  // The fastest of several runs; prints a line, and more with details.
  void
  measure(const Problem  &problem,
          const Settings &settings,
          const unsigned  n_threads,
          const unsigned  n_runs,
          const bool      details)
  {
    Run best;
    for (unsigned i = 0; i < n_runs; ++i)
      {
        const Run run = run_once(problem, settings, n_threads);
        if (i == 0 || run.ratio < best.ratio)
          best = run;
      }
    const bool single = settings.precision == SearchPrecision::single_precision;
    const double r = best.rank, n = settings.n_neurons, size = settings.size,
                 slices = problem.response.size(), m = problem.n_nodes();
    std::printf(
      "%6.0f %6zu %5zu %5.0f %6.0f %5.0f %5.0f %7s %8.3f %8.1f %9.1f  %.3e\n",
      m,
      problem.rule.n_points(),
      problem.n_samples,
      r,
      slices,
      n,
      size,
      single ? "single" : "double",
      best.seconds,
      best.ratio,
      best.processor_ratio,
      best.error);
    if (!details)
      return;

    // Work in units of the same product, against seconds of all threads.
    const auto line = [&](const char *name, double time, double flops) {
      std::printf("    %-40s %7.3f s %7.1fx  %3.0f %% of dgemm\n",
                  name,
                  time,
                  time / best.unit,
                  100 * flops / (2 * std::pow(1024., 3)) * best.unit / time);
    };
    line("coordinates (row space, C, targets)",
         best.coordinates,
         2 * problem.n_samples * r * (2 * m + 2 * slices + r));
    line("dictionaries (evaluate, B, C)",
         best.steps.dictionaries,
         2 * r * m * n * size);
    line("search (correlations)",
         best.steps.search / n_threads,
         2 * r * slices * n * size);
    line("choice and projection",
         best.steps.projection / n_threads,
         2 * r * slices * n * n);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("    peak memory %.2f GiB\n", usage.ru_maxrss / 1048576.);
  }


  // Leaves only n slices, evenly spread.
  void
  keep_slices(const std::size_t n, Problem &problem)
  {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < n; ++i)
      kept.push_back(problem.response[i * problem.response.size() / n]);
    problem.response = kept;
  }


  void
  measure_kernel(const Problem &problem, const unsigned int n_neurons)
  {
    struct Precisions
    {
      const char     *name;
      SearchPrecision search;
      bool            single_basis;
    };
    for (const Precisions &precisions :
         {Precisions{"double", SearchPrecision::double_precision, false},
          Precisions{"single", SearchPrecision::single_precision, false},
          Precisions{"single, basis too",
                     SearchPrecision::single_precision,
                     true}})
      {
        const double      unit = gemm_seconds(), start = now();
        const Coordinates coordinates(problem.data(), MPI_COMM_SELF);
        const auto        sphere = bounding_sphere(problem.rule.dim,
                                            problem.n_nodes(),
                                            problem.nodes.data());
        const Dictionary  dictionary(
          std::make_shared<ReluFamily>(1, product_sphere(sphere)), 512, 1);
        GreedyParameters parameters;
        parameters.n_neurons    = n_neurons;
        parameters.precision    = precisions.search;
        parameters.single_basis = precisions.single_basis;
        std::vector<double> points, weights(problem.response.size(), 1.);
        for (const std::size_t s : problem.response)
          for (unsigned int d = 0; d < problem.rule.dim; ++d)
            points.push_back(problem.nodes[s * problem.rule.dim + d]);
        Fit fit;
        approximate_kernel(
          {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
          points,
          weights,
          fit);
        const double seconds = now() - start;
        std::printf(
          "full kernel, %u neurons, %s: %.2f s, %.1fx a neuron, "
          "%.2f evaluations/ns, error %.3e\n",
          n_neurons,
          precisions.name,
          seconds,
          seconds / unit / n_neurons,
          1e-9 * 512 * n_neurons * problem.response.size() *
            problem.rule.n_points() / seconds,
          std::sqrt(fit.train_squares.back() / fit.train_squares.front()));
      }
  }


  // The versions of the innermost loops by name.
  void
  use_instructions(const std::string &name)
  {
    const std::map<std::string, Simd::Instructions> sets = {
      {"portable", Simd::Instructions::portable},
      {"avx2", Simd::Instructions::avx2}};
    const auto found = sets.find(name);
    if (found == sets.end() || found->second > Simd::best_instructions())
      {
        std::fprintf(
          stderr,
          "This machine has no instructions '%s' (portable, avx2).\n",
          name.c_str());
        std::exit(2);
      }
    Simd::use_instructions(found->second);
  }

  struct Options
  {
    bool         scaling   = false;
    bool         cube      = false;
    bool         kernel    = false;
    unsigned int n_threads = 2;
    unsigned int n_neurons = 8; // of full OGA
    std::size_t  n_slices  = 0; // all
  };


  Options
  read_options(const int argc, char **const argv)
  {
    Options options;
    for (int i = 1; i < argc; ++i)
      {
        options.scaling |= !std::strcmp(argv[i], "--scaling");
        options.cube |= !std::strcmp(argv[i], "--cube");
        options.kernel |= !std::strcmp(argv[i], "--kernel");
        if (!std::strncmp(argv[i], "--threads=", 10))
          options.n_threads = std::max(1, std::atoi(argv[i] + 10));
        if (!std::strncmp(argv[i], "--slices=", 9))
          options.n_slices = std::max(1, std::atoi(argv[i] + 9));
        if (!std::strncmp(argv[i], "--neurons=", 10))
          options.n_neurons = std::max(1, std::atoi(argv[i] + 10));
        if (!std::strncmp(argv[i], "--instructions=", 15))
          use_instructions(argv[i] + 15);
      }
    return options;
  }


  // How the time grows with the mesh, the samples, the atoms.
  void
  measure_scaling(const Problem     &problem,
                  Settings           settings,
                  const unsigned int n_threads)
  {
    for (const unsigned int n_rings : {8, 12, 16, 24})
      measure(make_disk(n_rings, 1000), settings, n_threads, 1, false);
    for (const unsigned int n_samples : {400, 1000, 2000, 4000})
      measure(make_disk(16, n_samples), settings, n_threads, 1, false);
    for (const unsigned int n : {32, 64, 128, 256})
      {
        settings.n_neurons = n;
        measure(problem, settings, n_threads, 1, false);
      }
    settings.n_neurons = 128;
    for (const std::size_t size : {128, 256, 512, 1024})
      {
        settings.size = size;
        measure(problem, settings, n_threads, 1, false);
      }
  }


  void
  measure_slices(const Problem &problem, const Options &options)
  {
    std::printf("%6s %6s %5s %5s %6s %5s %5s %7s %8s %8s %9s  %s\n",
                "m",
                "n_q",
                "N",
                "r",
                "slices",
                "n",
                "N_R",
                "search",
                "seconds",
                "ratio",
                "cpu ratio",
                "training error");
    Settings settings;
    if (options.cube)
      settings.n_neurons = 256;
    for (const auto precision :
         {SearchPrecision::double_precision, SearchPrecision::single_precision})
      {
        settings.precision = precision;
        measure(
          problem, settings, options.n_threads, options.cube ? 1 : 3, true);
      }
    if (options.scaling)
      measure_scaling(problem, settings, options.n_threads);
  }
} // namespace


int
main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  const Options             options = read_options(argc, argv);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  options.n_threads);
  Blas::set_n_threads(options.n_threads);

  const double unit = gemm_seconds();
  std::printf("%u threads; one 1024^3 dgemm: %.1f ms, %.0f GFlop/s\n",
              options.n_threads,
              1e3 * unit,
              2e-9 * std::pow(1024., 3) / unit);
  Problem problem = options.cube ? make_cube(16, 1000) : make_disk(16, 1000);
  if (options.n_slices > 0)
    keep_slices(options.n_slices, problem);
  if (options.kernel)
    measure_kernel(problem, options.n_neurons);
  else
    measure_slices(problem, options);
  MPI_Finalize();
  return 0;
}
