// What an interrupted run leaves behind.

#include "testing.h"

#include <evergreen/learning/checkpoint.h>

using namespace Evergreen;
using namespace Evergreen::Testing;

TEST(Checkpoint, KeepsRecordsOfItsOwnRunOnly)
{
  const TemporaryDirectory directory;
  const std::string        target = directory / "kernel.h5";
  Checkpoint               checkpoint(target, "run 1");
  EXPECT_FALSE(checkpoint.exists());
  checkpoint.begin();
  checkpoint.append({1., 2.});
  checkpoint.append({3.});
  EXPECT_TRUE(checkpoint.exists());
  Checkpoint again(target, "run 1");
  EXPECT_EQ(again.load(), (std::vector<std::vector<double>>{{1., 2.}, {3.}}));
  again.append({4.});
  EXPECT_EQ(Checkpoint(target, "run 1").load().size(), 3u);
  expect_error([&]() { Checkpoint(target, "run 2").load(); },
               "other parameters");
  again.replace({5.});
  EXPECT_EQ(Checkpoint(target, "run 1").load().front(),
            (std::vector<double>{5.}));
  again.remove();
  EXPECT_FALSE(again.exists());
}
