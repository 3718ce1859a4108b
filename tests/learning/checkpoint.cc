// What an interrupted run leaves behind.

#include "testing.h"

#include <evergreen/learning/checkpoint.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  SliceFit
  some_fit(const std::size_t node)
  {
    SliceFit result;
    result.node             = node;
    result.fit.reason       = StopReason::tolerance;
    result.fit.chosen       = {3, 7};
    result.fit.factor       = {1., 0.5, 2.};
    result.fit.coefficients = {0.25 * node, -1e-300};
    result.levels[1]        = {4.};
    return result;
  }

  std::vector<std::size_t>
  nodes(const Checkpoint &checkpoint)
  {
    std::vector<std::size_t> result;
    for (const SliceFit &fit : checkpoint.found)
      result.push_back(fit.node);
    return result;
  }
} // namespace


TEST(Checkpoint, KeepsRecordsOfItsOwnRunOnly)
{
  const TemporaryDirectory directory;
  const std::string        target = directory / "kernel.h5";
  const auto open = [&](const std::string &identity, const bool resume = true) {
    return Checkpoint(target, identity, resume, MPI_COMM_SELF);
  };
  auto checkpoint = open("run 1", false);
  EXPECT_TRUE(checkpoint.found.empty());
  checkpoint.append({some_fit(1), some_fit(2)});
  checkpoint.append({});
  checkpoint.append({some_fit(3)});

  auto again = open("run 1");
  EXPECT_EQ(nodes(again), (std::vector<std::size_t>{1, 2, 3}));
  const SliceFit &second = again.found[1];
  EXPECT_EQ(second.fit.reason, StopReason::tolerance);
  EXPECT_EQ(second.fit.chosen, some_fit(2).fit.chosen);
  EXPECT_EQ(second.fit.factor, some_fit(2).fit.factor);
  EXPECT_EQ(second.fit.coefficients, some_fit(2).fit.coefficients);
  EXPECT_EQ(second.levels, some_fit(2).levels);
  again.append({some_fit(4)});
  EXPECT_EQ(open("run 1").found.size(), 4u);

  expect_error([&]() { open("run 2"); }, "other parameters");
  expect_error([&]() { open("run 1", false); }, "--resume");
  again.replace(some_fit(5));
  EXPECT_EQ(open("run 1").found.front().node, 5);
  Checkpoint::remove(target);
  EXPECT_TRUE(open("run 1", false).found.empty());
}

TEST(Checkpoint, KeepsNothingWithoutATarget)
{
  Checkpoint checkpoint("", "run", false, MPI_COMM_SELF);
  checkpoint.append({some_fit(1)});
  EXPECT_TRUE(Checkpoint("", "run", true, MPI_COMM_SELF).found.empty());
}
