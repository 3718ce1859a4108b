// The HDF5 layer: what is written comes back, and every failure is one line
// that names file, object and reason.

#include "testing.h"

#include <evergreen/base/error.h>
#include <evergreen/data/hdf5.h>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

using namespace Evergreen;
using namespace Evergreen::Testing;
using Hdf5::Access;
using Hdf5::File;


TEST(Hdf5, ReturnsWhatWasWritten)
{
  const TemporaryDirectory        directory;
  const std::vector<double>       real    = {1.5, -2., 3e300, 4., 5., 6e-300};
  const std::vector<std::int64_t> integer = {-1, 1ll << 60};
  const std::vector<std::uint8_t> bytes   = {0, 255, 7};
  const std::string               long_text(200000, 'x');
  {
    File file = File::create(directory / "a.h5");
    file.create_group("/group");
    file.write("/group/real", {3, 2}, real.data());
    file.write("/integer", {2}, integer.data());
    file.write("/bytes", {3}, bytes.data());
    file.write<double>("/empty", {0, 4}, nullptr);
    file.write_attribute("/", "text", long_text);
    file.write_attribute("/group", "count", 12);
    file.write_attribute("/group/real", "name", "Matérn");
    file.close();
  }
  const File file = File::open(directory / "a.h5", Access::read_only);
  EXPECT_EQ(file.read<double>("/group/real"), real);
  EXPECT_EQ(file.shape("/group/real"), (Hdf5::Shape{3, 2}));
  EXPECT_EQ(file.read<std::int64_t>("/integer"), integer);
  EXPECT_EQ(file.read<std::uint8_t>("/bytes"), bytes);
  EXPECT_EQ(file.shape("/empty"), (Hdf5::Shape{0, 4}));
  EXPECT_TRUE(file.read<double>("/empty").empty());
  EXPECT_EQ(file.string_attribute("/", "text"), long_text);
  EXPECT_EQ(file.integer_attribute("/group", "count"), 12);
  EXPECT_EQ(file.string_attribute("/group/real", "name"), "Matérn");
  EXPECT_TRUE(file.exists("/group/real"));
  EXPECT_FALSE(file.exists("/group/none"));
  EXPECT_FALSE(file.exists("/none/real"));
  EXPECT_FALSE(file.has_attribute("/none", "count"));
}


TEST(Hdf5, WritesAndReadsRowsInPlace)
{
  const TemporaryDirectory  directory;
  const std::vector<double> zeros(8, 0.), two = {1., 2., 3., 4.};
  {
    File file = File::create(directory / "a.h5");
    file.write("/a", {4, 2}, zeros.data());
    file.close();
  }
  {
    File file = File::open(directory / "a.h5", Access::read_write);
    file.write_rows("/a", 1, 2, two.data());
    EXPECT_TRUE(
      contains(error_of([&] { file.write_rows("/a", 3, 2, two.data()); }),
               "rows 3 to 5 are outside of '/a' in '"));
  }
  const File          file = File::open(directory / "a.h5", Access::read_only);
  std::vector<double> row(2);
  file.read_rows("/a", 2, 1, row.data());
  EXPECT_EQ(row, (std::vector<double>{3., 4.}));
  EXPECT_EQ(file.read<double>("/a"),
            (std::vector<double>{0., 0., 1., 2., 3., 4., 0., 0.}));
}


TEST(Hdf5, CompressesWithChecksums)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.h5";
  std::vector<double>      values;
  for (unsigned int i = 0; i < 70000 * 2; ++i)
    values.push_back(i * 7919 % 10007 % 100);
  const auto write = [&]() {
    File file = File::create(path);
    file.write_compressed("/a", {70000, 2}, values.data());
    file.close();
  };
  write();
  EXPECT_EQ(File::open(path, Access::read_only).read<double>("/a"), values);
  const std::string whole = bytes_of(path);
  EXPECT_LT(whole.size(), values.size() * sizeof(double) / 4);

  // One flipped bit in the middle of the data.
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 4;
  std::ofstream(path, std::ios::binary) << damaged;
  EXPECT_TRUE(contains(error_of([&] {
                         File::open(path, Access::read_only).read<double>("/a");
                       }),
                       "'/a'"));
  write(); // the same bytes again
  EXPECT_EQ(bytes_of(path), whole);
}


TEST(Hdf5, EqualContentsGiveEqualBytes)
{
  const TemporaryDirectory  directory;
  const std::vector<double> values = {1., 2., 3.};
  for (const char *const name : {"a.h5", "b.h5"})
    {
      File file = File::create(directory / name);
      file.create_group("/group");
      file.write("/group/a", {3}, values.data());
      file.write_attribute("/", "text", "some text");
      file.close();
      // Object times, if they were kept, are whole seconds.
      if (name[0] == 'a')
        usleep(1100000);
    }
  EXPECT_EQ(bytes_of(directory / "a.h5"), bytes_of(directory / "b.h5"));
}


// Written through the C library as other programs might do it.
TEST(Hdf5, ConvertsForeignTypes)
{
  const TemporaryDirectory directory;
  const std::string        path  = directory / "a.h5";
  const hid_t              file  = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, 0, 0);
  const hsize_t            two   = 2;
  const hid_t              space = H5Screate_simple(1, &two, nullptr);
  const float              values[2] = {0.5f, -3.f};
  const hid_t              real =
    H5Dcreate2(file, "big_endian_float", H5T_IEEE_F32BE, space, 0, 0, 0);
  H5Dwrite(real, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, 0, values);
  const hid_t fixed = H5Tcopy(H5T_C_S1);
  H5Tset_size(fixed, 4);
  const hid_t text = H5Dcreate2(file, "fixed", fixed, space, 0, 0, 0);
  H5Dwrite(text, fixed, H5S_ALL, H5S_ALL, 0, "abcdxy\0\0");
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const hid_t name   = H5Acreate2(file, "name", fixed, scalar, 0, 0);
  H5Awrite(name, fixed, "abcd");
  H5Tclose(fixed);
  H5Sclose(space);
  H5Sclose(scalar);
  H5Aclose(name);
  H5Dclose(real);
  H5Dclose(text);
  H5Fclose(file);

  const File opened = File::open(path, Access::read_only);
  EXPECT_EQ(opened.read<double>("/big_endian_float"),
            (std::vector<double>{0.5, -3.}));
  EXPECT_EQ(opened.string_attribute("/", "name"), "abcd");
  EXPECT_TRUE(contains(error_of([&] { opened.integer_attribute("/", "name"); }),
                       "holds strings; integers were expected"));
  EXPECT_EQ(error_of([&] { opened.read<std::int64_t>("/big_endian_float"); }),
            "'/big_endian_float' in '" + path +
              "' holds floating-point numbers; integers were expected.");
  EXPECT_EQ(error_of([&] { opened.read<double>("/fixed"); }),
            "'/fixed' in '" + path +
              "' holds strings; real numbers were expected.");
}


TEST(Hdf5, TellsWhatIsWrongWithAFile)
{
  const TemporaryDirectory directory;
  const auto               opening = [&](const std::string &name) {
    return error_of([&] { File::open(directory / name, Access::read_only); });
  };
  EXPECT_EQ(opening("none.h5"),
            "The file '" + (directory / "none.h5") + "' does not exist.");

  std::ofstream(directory / "text.h5") << "This is no HDF5 file.\n";
  EXPECT_EQ(opening("text.h5"),
            "'" + (directory / "text.h5") + "' is not an HDF5 file.");
  std::ofstream(directory / "empty.h5").flush();
  EXPECT_TRUE(contains(opening("empty.h5"), "is not an HDF5 file"));
  std::filesystem::create_directory(directory / "directory.h5");
  EXPECT_TRUE(contains(opening("directory.h5"), "Is a directory"));
  EXPECT_TRUE(contains(opening("text.h5/a.h5"), "Not a directory"));

  const std::vector<double> values(1000, 1.);
  File                      file = File::create(directory / "good.h5");
  file.write("/a", {1000}, values.data());
  file.close();
  EXPECT_EQ(opening("good.h5"), "");
  const std::string bytes = bytes_of(directory / "good.h5");
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2})
    {
      std::ofstream(directory / "cut.h5", std::ios::binary)
        << bytes.substr(0, size);
      EXPECT_TRUE(contains(opening("cut.h5"), "is a truncated HDF5 file"))
        << opening("cut.h5");
    }
}


TEST(Hdf5, NamesObjectAndReason)
{
  const TemporaryDirectory  directory;
  const std::string         path = directory / "a.h5";
  const std::vector<double> values(8, 1.);
  File                      file = File::create(path);
  file.write("/a", {2, 2, 2}, values.data());
  EXPECT_EQ(error_of([&] { file.shape("/a", 2, "samples x nodes"); }),
            "'/a' in '" + path +
              "' has 3 dimensions; 2 were expected (samples x nodes).");
  EXPECT_EQ(error_of([&] { file.shape("/b"); }),
            "Cannot open the dataset '/b' in '" + path +
              "': object 'b' doesn't exist.");
  EXPECT_TRUE(contains(error_of([&] { file.write("/a", {8}, values.data()); }),
                       "Cannot create the dataset '/a' in '"));
  EXPECT_TRUE(contains(error_of([&] { file.string_attribute("/a", "b"); }),
                       "Cannot open the attribute 'b' of '/a' in '"));
  EXPECT_TRUE(contains(error_of([&] { File::create(directory / "no/a.h5"); }),
                       "': No such file or directory."));
}


// Runs the function in a process of its own that may not write files beyond
// the given size; the message of its error comes back through a file.
template <typename Function>
std::string
error_with_limited_files(const TemporaryDirectory &directory,
                         const std::size_t         size,
                         const Function           &function)
{
  const std::string message = directory / "message";
  const pid_t       child   = fork();
  if (child == 0)
    {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit = {size, size};
      setrlimit(RLIMIT_FSIZE, &limit);
      std::ofstream(message) << error_of(function);
      _exit(0);
    }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return bytes_of(message);
}


TEST(Hdf5, ReportsAWriteThatDoesNotFit)
{
  const TemporaryDirectory  directory;
  const std::vector<double> values(100000, 1.);
  const std::string error = error_with_limited_files(directory, 65536, [&] {
    File file = File::create(directory / "a.h5");
    file.write("/a", {values.size()}, values.data());
    file.close();
  });
  EXPECT_EQ(error,
            "Cannot write '/a' to '" + (directory / "a.h5") +
              "': File too large.");
}
