// Devices that run out of memory, fail or disappear: one clear error that names
// the call and the remedy, no memory lost, and what was found before survives.

#include "emulation.h"
#include "greedy/small_problem.h"
#include "learning/small_dataset.h"

#include <evergreen/dictionary/evaluator.h>
#include <evergreen/greedy/kernel_greedy.h>
#include <evergreen/greedy/pointwise_greedy.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  /** A small run on the device whose slices come in groups of ten. */
  struct SmallRun
  {
    SmallProblem     problem = make_small_problem(2, 6, 30, 90);
    Coordinates      coordinates;
    Dictionary       dictionary;
    GreedyParameters parameters;

    SmallRun()
      : coordinates(problem.data(), MPI_COMM_SELF)
      , dictionary(problem.dictionary(33))
    {
      parameters.n_neurons         = 9;
      parameters.backend           = "cuda";
      parameters.slices_per_report = 10;
    }

    void
    learn(std::vector<Fit> &fits, const GreedyObserver &observer = {}) const
    {
      approximate_slices(
        {problem.rule, coordinates, dictionary, parameters, MPI_COMM_SELF},
        fits,
        observer);
    }
  };


  std::size_t
  n_finished(const std::vector<Fit> &fits)
  {
    return std::count_if(fits.begin(), fits.end(), [](const Fit &fit) {
      return fit.reason != StopReason::unfinished;
    });
  }
} // namespace


TEST(CudaFailures, EveryCallIsNamed)
{
  const SmallRun run;
  for (const std::string name : {"cudaMalloc",
                                 "cudaMemcpyAsync",
                                 "cudaMemsetAsync",
                                 "cudaLaunchKernelEx",
                                 "cudaStreamSynchronize",
                                 "cudaStreamCreate",
                                 "cudaMemGetInfo",
                                 "cudaSetDevice",
                                 "cublasCreate",
                                 "cublasDgemm"})
    for (const std::size_t n : {1u, 2u, 5u})
      {
        if (n > 1 && (name == "cudaStreamCreate" || name == "cudaMemGetInfo" ||
                      name == "cublasCreate"))
          continue; // called once
        Emulation::fail(name, n, cudaErrorLaunchFailure, false);
        std::vector<Fit>  fits;
        const std::string message = error_of([&]() { run.learn(fits); });
        EXPECT_TRUE(contains(message, name)) << n << ": " << message;
        EXPECT_TRUE(contains(message, "'Backend' = cpu")) << message;
        EXPECT_FALSE(contains(message, "\n")) << message;
        EXPECT_EQ(Emulation::allocated(), 0u);
        Emulation::heal();
      }
  std::vector<Fit> fits;
  EXPECT_EQ(error_of([&]() { run.learn(fits); }), "");
}


TEST(CudaFailures, KernelsThatFailAreNoticed)
{
  const SmallRun run;
  for (const std::size_t n : {1u, 4u, 20u})
    {
      Emulation::fail("kernel", n, cudaErrorIllegalAddress, false);
      std::vector<Fit> fits;
      expect_error([&]() { run.learn(fits); }, "illegal memory access");
      Emulation::heal();
    }
}


TEST(CudaFailures, MemoryRunsOut)
{
  const SmallRun run;
  for (const std::size_t bytes : {1000u, 25000u})
    {
      Emulation::set_memory(bytes);
      std::vector<Fit>  fits;
      const std::string message = error_of([&]() { run.learn(fits); });
      EXPECT_TRUE(contains(message, "cudaMalloc")) << message;
      EXPECT_TRUE(contains(message, "out of memory")) << message;
      EXPECT_TRUE(contains(message, "Lower 'Memory'")) << message;
      EXPECT_EQ(Emulation::allocated(), 0u);
      Emulation::heal();
    }
}


TEST(CudaFailures, SmallDevicesDoWithLess)
{
  const SmallRun   run;
  std::vector<Fit> all, fits;
  run.learn(all);
  Emulation::set_memory(100000);
  Emulation::reset_counts();
  run.learn(fits);
  EXPECT_LE(Emulation::counts().peak_bytes, 100000u);
  for (std::size_t s = 0; s < all.size(); ++s)
    EXPECT_EQ(fits[s].chosen, all[s].chosen);
}


TEST(CudaFailures, FinishedSlicesSurvive)
{
  SmallRun         run;
  std::vector<Fit> all;
  run.learn(all);

  std::vector<Fit> fits, stored;
  const auto       store = [&](const GreedyProgress &progress) {
    stored = fits;
    if (progress.n_slices_done == 20)
      Emulation::fail("cublasDgemm", 3, cudaErrorDevicesUnavailable, true);
    return true;
  };
  expect_error([&]() { run.learn(fits, store); }, "cublasDgemm");
  EXPECT_EQ(n_finished(stored), 20u);
  EXPECT_EQ(n_finished(fits), 20u);

  // As long as the device is lost, another attempt fails at once.
  expect_error([&]() { run.learn(fits); }, "unavailable");
  EXPECT_EQ(n_finished(fits), 20u);

  for (const std::string backend : {"cpu", "cuda"})
    {
      Emulation::heal();
      run.parameters.backend = backend;
      auto resumed           = stored;
      run.learn(resumed);
      for (std::size_t s = 0; s < all.size(); ++s)
        EXPECT_EQ(resumed[s].chosen, all[s].chosen);
    }
}


TEST(CudaFailures, CheckpointsSurvive)
{
  const TemporaryDirectory directory;
  const SmallDataset<1>    data(small_interval(), directory / "data.h5");
  auto                     parameters = quick_learning(8);
  parameters.size                     = 33;
  parameters.backend                  = "cuda";
  parameters.memory                   = 0.00004; // GiB: a few slices at once
  const auto whole = learn_kernel(data.space, data.samples, parameters);

  LearningOptions options;
  options.target      = directory / "kernel.h5";
  options.on_progress = [](const GreedyProgress &progress) {
    EXPECT_LT(progress.n_slices_done, progress.n_slices);
    Emulation::fail("cudaMemcpyAsync", 2, cudaErrorDevicesUnavailable, true);
  };
  expect_error(
    [&]() { learn_kernel(data.space, data.samples, parameters, options); },
    "cudaMemcpyAsync");

  Emulation::heal();
  options.on_progress = {};
  options.resume      = true;
  const auto resumed =
    learn_kernel(data.space, data.samples, parameters, options);
  EXPECT_GT(resumed.n_resumed, 0u);
  EXPECT_LT(resumed.n_resumed, whole.kernel.expansions.size());
  EXPECT_EQ(resumed.kernel.expansions.pool.biases,
            whole.kernel.expansions.pool.biases);
  EXPECT_EQ(resumed.kernel.expansions.atoms, whole.kernel.expansions.atoms);
}


TEST(CudaFailures, EvaluatorsFailToo)
{
  const SmallRun run;
  const auto     evaluator = make_evaluator("cuda");
  evaluator->reinit(run.problem.rule,
                    run.coordinates.matrix(),
                    run.coordinates.n_rows());
  const AtomList      atoms = run.dictionary.draw(0);
  std::vector<double> h(atoms.size() * run.coordinates.n_rows());
  Emulation::fail("cudaLaunchKernelEx", 1, cudaErrorLaunchFailure, false);
  expect_error([&]() { evaluator->coordinates(atoms, h.data()); },
               "compute_actions");
  // A failure that does not last leaves the evaluator usable.
  evaluator->coordinates(atoms, h.data());
  EXPECT_NE(h[0], 0.);
}


TEST(CudaFailures, DevicesThatAreNotThere)
{
  Emulation::fail("cudaGetDeviceCount", 1, cudaErrorNoDevice, true);
  expect_error([]() { make_evaluator("cuda"); }, "no NVIDIA GPU");
  Emulation::heal();
  Emulation::fail("cudaGetDeviceCount", 1, cudaErrorInsufficientDriver, true);
  expect_error([]() { make_pointwise_engine("cuda"); }, "driver");
}
