// Numbers and errors of one rank reach all ranks.

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

TEST(Collective, NumbersOfAllRanksAreReducedAndShared)
{
  int rank, n_ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  const double        last = n_ranks - 1, sum = n_ranks * last / 2;
  std::vector<double> values((1 << 20) + 3, rank);
  Collective::sum(MPI_COMM_WORLD, values);
  EXPECT_EQ(values, std::vector<double>(values.size(), sum));
  EXPECT_EQ(Collective::sum(MPI_COMM_WORLD, double(rank)), sum);
  EXPECT_EQ(Collective::minimum(MPI_COMM_WORLD, double(rank)), 0.);
  EXPECT_EQ(Collective::maximum(MPI_COMM_WORLD, double(rank)), last);

  std::vector<double> of_last(rank == last ? 5 : 1, rank);
  Collective::broadcast(MPI_COMM_WORLD, n_ranks - 1, of_last);
  EXPECT_EQ(of_last, std::vector<double>(5, last));
  values.assign(values.size(), rank);
  Collective::broadcast(MPI_COMM_WORLD, values.data(), values.size());
  EXPECT_EQ(values, std::vector<double>(values.size(), 0.));
}
