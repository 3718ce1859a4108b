// The main function of all test programs: GoogleTest under MPI. Only rank 0
// reports, and a failure on any rank is a failure of all.

#include <evergreen/base/compat.h>

#include <evergreen/base/blas.h>

#include <gtest/gtest.h>

int
main(int argc, char **argv)
{
  // First, for it takes its options away: the libraries behind deal.II look
  // through the rest.
  ::testing::InitGoogleTest(&argc, argv);
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(
    argc, argv, dealii::numbers::invalid_unsigned_int);

  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto &listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank != 0)
    {
      // Failures are worth a word from everybody, successes are not.
      class OnlyFailures : public ::testing::EmptyTestEventListener
      {
        void
        OnTestPartResult(const ::testing::TestPartResult &result) override
        {
          if (result.failed())
            std::cerr << result.file_name() << ":" << result.line_number()
                      << ": " << result.message() << std::endl;
        }
      };
      delete listeners.Release(listeners.default_result_printer());
      listeners.Append(new OnlyFailures);
    }

  int status = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return status;
}
