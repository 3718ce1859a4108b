// Dataset files: what is written comes back, and files of unknown origin are
// accepted or refused with the exact reason.

#include "dataset_samples.h"
#include "testing.h"

#include <evergreen/base/error.h>
#include <evergreen/data/dataset_file.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace Evergreen;
using namespace Evergreen::Testing;
using Hdf5::Access;
using Hdf5::File;

namespace
{
  // A valid file without attributes, as a user might write it, but for what
  // the function spoils. Returns the reader's opinion.
  std::string
  foreign_file(const std::string                 &path,
               const std::function<void(File &)> &add,
               const std::vector<std::string>    &omit = {})
  {
    const auto wanted = [&](const std::string &name) {
      return std::find(omit.begin(), omit.end(), name) == omit.end();
    };
    File file = File::create(path);
    for (const char *const group : {"/mesh", "/train"})
      file.create_group(group);
    const auto mesh = square(3, 0).mesh;
    if (wanted("/mesh/points"))
      file.write("/mesh/points", {4, 2}, mesh.points.data());
    if (wanted("/mesh/cells"))
      file.write("/mesh/cells", {2, 3}, mesh.cells.data());
    const std::vector<std::int64_t> boundary = {3, 0};
    if (wanted("/mesh/boundary"))
      file.write("/mesh/boundary", {2}, boundary.data());
    if (wanted("/train/f"))
      file.write("/train/f", {3, 4}, values(0, 3, 4, false).data());
    if (wanted("/train/u"))
      file.write("/train/u", {3, 4}, values(0, 3, 4, true).data());
    add(file);
    file.close();
    return error_of([&] {
      const DatasetReader reader(path);
      std::vector<double> buffer(reader.n_samples(Split::train) * 4);
      reader.read_forcings(Split::train, 0, 3, buffer.data());
      reader.read_solutions(Split::train, 0, 3, buffer.data());
    });
  }
} // namespace


TEST(DatasetFile, ReturnsWhatWasWritten)
{
  const TemporaryDirectory directory;
  auto                     description = square(3, 2);
  description.mesh.degree              = 1;
  description.attributes["problem"]    = "poisson";
  {
    DatasetWriter writer(directory / "a.h5", description);
    EXPECT_FALSE(std::filesystem::exists(directory / "a.h5"));
    write_samples(writer, Split::train, 0, 3, 4);
    const SampleStatus status[2] = {SampleStatus::failed, SampleStatus::solved};
    EXPECT_TRUE(contains(error_of([&] { writer.finish(); }),
                         "2 of 5 samples are missing"));
    writer.write(Split::test,
                 0,
                 2,
                 values(0, 2, 4, false).data(),
                 values(0, 2, 4, true).data(),
                 status);
    writer.finish();
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "a.h5.partial"));

  const DatasetReader reader(directory / "a.h5");
  EXPECT_EQ(reader.dim(), 2u);
  EXPECT_EQ(reader.mesh().points, description.mesh.points);
  EXPECT_EQ(reader.mesh().cells, description.mesh.cells);
  EXPECT_EQ(reader.mesh().boundary, description.mesh.boundary);
  EXPECT_EQ(reader.mesh().cell_type, "triangle");
  EXPECT_EQ(reader.parameters(), description.parameters);
  EXPECT_EQ(reader.attribute("problem"), "poisson");
  EXPECT_EQ(reader.n_samples(Split::train), 3u);
  EXPECT_EQ(reader.n_samples(Split::test), 2u);
  EXPECT_EQ(reader.failed_samples(Split::test), (std::vector<std::size_t>{0}));
  EXPECT_EQ(reader.valid_samples(Split::test), (std::vector<std::size_t>{1}));

  std::vector<double> read(8);
  reader.read_solutions(Split::train, 1, 2, read.data());
  EXPECT_EQ(read, values(1, 2, 4, true));
  reader.read_forcings(Split::test, 0, 2, read.data());
  EXPECT_EQ(read, values(0, 2, 4, false));
  reader.read_solutions(Split::test, 0, 2, read.data());
  EXPECT_TRUE(std::isnan(read[0]) && std::isnan(read[3]));
  EXPECT_EQ(read[4], value(1, 0, true));
}


TEST(DatasetFile, AcceptsFilesOfOtherPrograms)
{
  const TemporaryDirectory directory;
  EXPECT_EQ(foreign_file(directory / "a.h5", [](File &) {}), "");
  const DatasetReader reader(directory / "a.h5");
  EXPECT_EQ(reader.mesh().cell_type, "triangle");
  EXPECT_EQ(reader.mesh().boundary, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(reader.n_samples(Split::test), 0u);
  EXPECT_EQ(reader.parameters(), "");

  // Samples may be stored as single-precision numbers or integers.
  const std::vector<float>        f(12, 0.5f);
  const std::vector<std::int32_t> u(12, 7);
  EXPECT_EQ(foreign_file(directory / "b.h5",
                         [&](File &file) {
                           file.write("/train/f", {3, 4}, f.data());
                           file.write("/train/u", {3, 4}, u.data());
                         },
                         {"/train/f", "/train/u"}),
            "");
}


TEST(DatasetFile, RefusesWithTheExactReason)
{
  const TemporaryDirectory  directory;
  const std::string         path = directory / "a.h5";
  const std::string         file = "'" + path + "'";
  const std::vector<double> v(24, 1.);
  const auto attribute = [](const char *name, const auto &content) {
    return [=](File &f) { f.write_attribute("/", name, content); };
  };
  const auto dataset = [&](const char *name, const Hdf5::Shape &shape) {
    return [=, &v](File &f) { f.write(name, shape, v.data()); };
  };

  for (const char *const name : {"/mesh/points",
                                 "/mesh/cells",
                                 "/mesh/boundary",
                                 "/train/f",
                                 "/train/u"})
    EXPECT_EQ(foreign_file(path, [](File &) {}, {name}),
              file + " has no '" + name + "'.");
  EXPECT_TRUE(
    contains(foreign_file(path, attribute("format", "evergreen-kernel")),
             "is not a dataset: its format is 'evergreen-kernel'"));
  EXPECT_TRUE(contains(foreign_file(path,
                                    [](File &f) {
                                      f.write_attribute("/",
                                                        "format",
                                                        "evergreen-dataset");
                                      f.write_attribute("/", "version", 2);
                                    }),
                       "of version 2; this program reads version 1"));
  EXPECT_TRUE(contains(foreign_file(path, attribute("dim", 3)),
                       "has dim = 3, but the points"));
  EXPECT_EQ(foreign_file(path, dataset("/train/u", {3, 2, 2}), {"/train/u"}),
            "'/train/u' in " + file +
              " has 3 dimensions; 2 were expected (samples x nodes).");
  EXPECT_EQ(foreign_file(path, dataset("/train/f", {4, 3}), {"/train/f"}),
            "'/train/f' in " + file +
              " has 3 columns; the mesh has 4 nodes (one sample a row: is it "
              "transposed?).");
  EXPECT_TRUE(
    contains(foreign_file(path, dataset("/train/u", {2, 4}), {"/train/u"}),
             "has 3 rows in '/train/f' and 2 in '/train/u'"));
  EXPECT_TRUE(contains(
    foreign_file(path, dataset("/mesh/points", {6, 4}), {"/mesh/points"}),
    "has 4 columns; 1, 2 or 3 were expected (nodes x dim)"));
  EXPECT_TRUE(contains(
    foreign_file(path, dataset("/mesh/cells", {2, 3}), {"/mesh/cells"}),
    "holds floating-point numbers; integers were expected"));
}


TEST(DatasetFile, RefusesMeshesAndValuesThatMakeNoSense)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.h5";

  const auto with_cells = [&](const std::vector<std::int64_t> &cells,
                              const std::size_t                n_vertices) {
    return foreign_file(path,
                        [&](File &f) {
                          f.write("/mesh/cells",
                                  {cells.size() / n_vertices, n_vertices},
                                  cells.data());
                        },
                        {"/mesh/cells"});
  };
  EXPECT_EQ(with_cells({0, 1, 2, 1, 3, 2}, 3), "");
  EXPECT_TRUE(
    contains(with_cells({0, 1, 2, 1, 4, 2}, 3), "cell 1 refers to node 4"));
  EXPECT_TRUE(
    contains(with_cells({0, 1, 2, 0, 2, 1}, 3), "node 3 belongs to no cell"));
  EXPECT_TRUE(contains(with_cells({0, 1, 2, 3, 3, 2}, 6),
                       "there is no cell of 6 vertices in dimension 2"));

  auto u = values(0, 3, 4, true);
  u[9]   = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(foreign_file(path,
                         [&](File &f) {
                           f.write("/train/u", {3, 4}, u.data());
                         },
                         {"/train/u"}),
            "'/train/u' in '" + path + "' holds NaN in sample 2 at node 1.");
  const auto with_status = [&](const std::vector<std::uint8_t> &status) {
    return foreign_file(path, [&](File &f) {
      f.write("/train/status", {status.size()}, status.data());
    });
  };
  EXPECT_EQ(with_status({1, 2, 1}), "");
  EXPECT_TRUE(contains(with_status({1, 1}), "has 2 entries for 3 samples"));
  EXPECT_TRUE(contains(with_status({1, 3, 1}), "is 3 for sample 1"));
  EXPECT_TRUE(contains(with_status({1, 0, 0}),
                       "2 of 3 samples in '/train' are missing; resume"));
}


TEST(DatasetFile, ResumedFileIsTheSameBitForBit)
{
  const TemporaryDirectory directory;
  const auto               description = square(4, 1);
  {
    DatasetWriter writer(directory / "a.h5", description);
    write_samples(writer, Split::train, 0, 4, 4);
    write_samples(writer, Split::test, 0, 1, 4);
    writer.finish();
  }
  {
    DatasetWriter writer(directory / "b.h5", description);
    write_samples(writer, Split::train, 2, 2, 4);
  }
  EXPECT_TRUE(
    contains(error_of([&] { DatasetWriter(directory / "b.h5", description); }),
             "holds 2 of 5 samples of an earlier run: continue it "
             "with --resume, or remove it"));
  {
    auto writer = DatasetWriter::resume(directory / "b.h5", description);
    EXPECT_EQ(writer.n_done(), 2u);
    EXPECT_EQ(writer.missing_samples(Split::train),
              (std::vector<std::size_t>{0, 1}));
    write_samples(writer, Split::train, 0, 2, 4);
    write_samples(writer, Split::test, 0, 1, 4);
    writer.finish();
  }
  EXPECT_EQ(bytes_of(directory / "a.h5"), bytes_of(directory / "b.h5"));
}


TEST(DatasetFile, ResumesOnlyWhatItBegan)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.h5";
  EXPECT_TRUE(
    contains(error_of([&] { DatasetWriter::resume(path, square(4, 1)); }),
             "There is nothing to resume"));
  {
    DatasetWriter writer(path, square(4, 1));
  }
  const auto resuming = [&](const DatasetDescription &description) {
    return error_of([&] { DatasetWriter::resume(path, description); });
  };
  EXPECT_EQ(resuming(square(4, 1)), "");
  EXPECT_TRUE(contains(resuming(square(5, 1)),
                       "it has 4 samples in '/train', 5 are wanted now"));
  auto other       = square(4, 1);
  other.parameters = "subsection Forcing\n  set Seed = 2\nend\n";
  EXPECT_TRUE(contains(resuming(other),
                       "line 2 is 'set Seed = 1' there and 'set Seed = 2' "
                       "now"))
    << resuming(other);
  other                = square(4, 1);
  other.mesh.points[2] = 1.5;
  EXPECT_TRUE(contains(resuming(other), "another mesh"));
  other.mesh.points[2] = 1. + 1e-15;
  EXPECT_EQ(resuming(other), "");

  std::filesystem::resize_file(path + ".partial", 1000);
  EXPECT_TRUE(contains(resuming(square(4, 1)), "Remove it to start again"));
}


TEST(DatasetFile, ChecksThePlaceBeforehand)
{
  const TemporaryDirectory directory;
  const auto               creating = [&](const std::string        &name,
                            const DatasetDescription &description) {
    return error_of([&] { DatasetWriter(directory / name, description); });
  };
  EXPECT_TRUE(contains(creating("none/a.h5", square(1, 0)), "does not exist"));
  std::filesystem::create_directory(directory / "a.h5");
  EXPECT_TRUE(contains(creating("a.h5", square(1, 0)), "it is a directory"));
  EXPECT_TRUE(contains(creating("b.h5", square(std::size_t(1) << 44, 0)),
                       "it needs 1.06e+06 GiB, but the disk of"))
    << creating("b.h5", square(std::size_t(1) << 44, 0));
  if (geteuid() == 0)
    return; // The superuser may write anywhere.
  std::filesystem::create_directory(directory / "locked");
  std::filesystem::permissions(directory / "locked",
                               std::filesystem::perms::owner_read);
  EXPECT_TRUE(
    contains(creating("locked/a.h5", square(1, 0)), "Permission denied"));
}
