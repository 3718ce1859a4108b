// Errors under MPI reach all ranks.

#include "testing.h"

#include <evergreen/base/collective.h>

#include <mpi.h>

using namespace Evergreen;

TEST(Collective, AnErrorOfOneRankIsEverybodys)
{
  int rank, n_ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  for (int culprit = 0; culprit < n_ranks; ++culprit)
    Testing::expect_error(
      [&]() {
        collectively(MPI_COMM_WORLD, [&]() {
          if (rank == culprit)
            throw Error("rank ", culprit, " is unwell");
        });
      },
      text("rank ", culprit, " is unwell"));
}

TEST(Collective, TheLowestRankSpeaksAndUsageErrorsStayUsageErrors)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try
    {
      collectively(MPI_COMM_WORLD,
                   [&]() { throw UsageError("key of rank ", rank); });
      FAIL();
    }
  catch (const UsageError &e)
    {
      EXPECT_STREQ(e.what(), "key of rank 0");
    }
  EXPECT_NO_THROW(collectively(MPI_COMM_WORLD, []() {}));
}
