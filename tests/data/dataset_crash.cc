// Dataset files under attack: neither SIGKILL, nor a full disk, nor a second
// writer loses a sample that was finished.

#include "dataset_samples.h"
#include "testing.h"

#include <evergreen/base/error.h>
#include <evergreen/data/dataset_file.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <random>

using namespace Evergreen;
using namespace Evergreen::Testing;
using Hdf5::Access;
using Hdf5::File;

namespace
{
  // Runs the function in a process of its own and returns how that ended.
  int
  in_child(const std::function<void()> &function)
  {
    const pid_t child = fork();
    if (child == 0)
      {
        function();
        _exit(0);
      }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
} // namespace


TEST(DatasetCrash, KeepsASecondWriterOut)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.h5";
  int                      channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0)
    {
      DatasetWriter writer(path, square(4, 1));
      if (write(channel[1], "x", 1) == 1)
        pause();
      _exit(0);
    }
  char ready;
  EXPECT_EQ(read(channel[0], &ready, 1), 1);
  for (const std::string &error :
       {error_of([&] { DatasetWriter::resume(path, square(4, 1)); }),
        error_of([&] { DatasetWriter(path, square(4, 1)); })})
    EXPECT_TRUE(contains(error, "is in use by another process")) << error;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(error_of([&] { DatasetWriter::resume(path, square(4, 1)); }), "");
}


TEST(DatasetCrash, SurvivesSigkill)
{
  const TemporaryDirectory directory;
  const std::string        path        = directory / "a.h5";
  const std::size_t        n_nodes     = 5000;
  const std::size_t        n_samples   = 300;
  const auto               description = line(n_nodes, n_samples);
  const auto               forcings    = values(0, n_samples, n_nodes, false);
  const auto               solutions   = values(0, n_samples, n_nodes, true);
  std::mt19937             random(1);
  std::size_t              n_done = 0;
  for (unsigned int attempt = 0; attempt < 20; ++attempt)
    {
      const pid_t child = fork();
      if (child == 0)
        {
          auto              writer  = std::filesystem::exists(path + ".partial")
                                        ? DatasetWriter::resume(path, description)
                                        : DatasetWriter(path, description);
          const auto        missing = writer.missing_samples(Split::train);
          const std::size_t start = missing.empty() ? 0 : missing[0] / 25 * 25;
          for (std::size_t j = start;; j = (j + 25) % n_samples)
            writer.write(Split::train,
                         j,
                         25,
                         &forcings[j * n_nodes],
                         &solutions[j * n_nodes]);
        }
      // The first attempts may end before there is a file, later ones not.
      for (unsigned int i = 0; attempt > 2 && i < 10000; ++i)
        if (std::filesystem::exists(path + ".partial"))
          break;
        else
          usleep(1000);
      usleep(1000 + random() % 20000);
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      if (!std::filesystem::exists(path + ".partial"))
        continue;

      const auto writer = DatasetWriter::resume(path, description);
      EXPECT_GE(writer.n_done(), n_done);
      n_done          = writer.n_done();
      const File file = File::open(path + ".partial", Access::read_write);
      std::vector<double> row(n_nodes);
      for (std::size_t j = 0; j < n_samples; ++j)
        if (writer.status(Split::train)[j] == SampleStatus::solved)
          {
            file.read_rows("/train/u", j, 1, row.data());
            ASSERT_TRUE(
              std::equal(row.begin(), row.end(), &solutions[j * n_nodes]))
              << "sample " << j;
          }
    }
  EXPECT_GT(n_done, 0u);
}


TEST(DatasetCrash, SurvivesAFullDisk)
{
  const TemporaryDirectory directory;
  const std::string        path        = directory / "a.h5";
  const std::size_t        n_nodes     = 1000;
  const auto               description = line(n_nodes, 100);
  std::signal(SIGXFSZ, SIG_IGN);
  const auto allow = [](const std::size_t size) {
    const rlimit limit = {size, size};
    setrlimit(RLIMIT_FSIZE, &limit);
  };

  // Too little space from the beginning: nothing is left behind.
  EXPECT_EQ(in_child([&] {
              allow(100000);
              const std::string error =
                error_of([&] { DatasetWriter(path, description); });
              if (!contains(error, "File too large") ||
                  !contains(error, "Cannot begin"))
                _exit(1);
            }),
            0);
  EXPECT_TRUE(std::filesystem::is_empty(directory / ""));

  // Space runs out on the way: what was done stays.
  EXPECT_EQ(in_child([&] {
              DatasetWriter writer(path, description);
              write_samples(writer, Split::train, 0, 10, n_nodes);
              allow(400000);
              const std::string error = error_of(
                [&] { write_samples(writer, Split::train, 10, 90, n_nodes); });
              if (!contains(error, "Cannot write '/train/") ||
                  !contains(error, "File too large"))
                _exit(1);
            }),
            0);
  auto writer = DatasetWriter::resume(path, description);
  EXPECT_EQ(writer.n_done(), 10u);
  write_samples(writer, Split::train, 10, 90, n_nodes);
  writer.finish();
  const DatasetReader reader(path);
  std::vector<double> row(n_nodes);
  for (std::size_t j = 0; j < 100; ++j)
    {
      reader.read_solutions(Split::train, j, 1, row.data());
      ASSERT_EQ(row, values(j, 1, n_nodes, true)) << "sample " << j;
    }
}
