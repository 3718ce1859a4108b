// All ranks take the same backend, whatever their devices.

#include "dictionary/fake_module.h"
#include "testing.h"

using namespace Evergreen;

TEST(Backends, AllRanksTakeTheSame)
{
  int rank, n_ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  for (int culprit = 0; culprit <= n_ranks; ++culprit)
    {
      const bool                 all_well = culprit == n_ranks;
      const std::string          reason   = text("the beads of ", culprit);
      const Testing::FakeModule  module(rank == culprit
                                         ? BackendStatus{false, "", reason}
                                         : BackendStatus{true, "Abacus", ""});
      const Testing::ModuleGuard guard(module);
      const BackendChoice choice = choose_backend("auto", MPI_COMM_WORLD);
      EXPECT_EQ(choice.name, all_well ? "cuda" : "cpu");
      if (all_well)
        EXPECT_EQ(choose_backend("cuda", MPI_COMM_WORLD).name, "cuda");
      else
        {
          EXPECT_NE(choice.reason.find(reason), std::string::npos)
            << choice.reason;
          Testing::expect_error(
            []() { choose_backend("cuda", MPI_COMM_WORLD); }, reason);
        }
    }
}
