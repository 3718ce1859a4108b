// The frame of programs with a parameter file.

#include "testing.h"

#include <evergreen/base/parameters.h>
#include <evergreen/base/program.h>
#include <evergreen/data/random_field.h>
#include <evergreen/fem/linear_problem.h>

#include <filesystem>
#include <fstream>

using namespace Evergreen;
using namespace Evergreen::Testing;

namespace
{
  ProgramOptions
  read(std::vector<const char *> words, dealii::ParameterHandler &prm)
  {
    words.insert(words.begin(), "program");
    return read_program_options(static_cast<int>(words.size()),
                                words.data(),
                                "program",
                                "A test.",
                                "unused",
                                prm,
                                MPI_COMM_SELF);
  }
} // namespace


TEST(Program, ReadsFileAndOverrides)
{
  const TemporaryDirectory directory;
  const std::string        file   = directory / "a.prm";
  const std::string        output = directory / "some/where";
  std::ofstream(file) << "subsection Forcing\n  set Wavelength = 0.123456789012"
                         "\n  set Seed = 3\nend\n";
  ForcingParameters        forcing;
  ProblemParameters        problem;
  dealii::ParameterHandler prm;
  forcing.add_parameters(prm);
  problem.add_parameters(prm);
  const auto options =
    read({file.c_str(), "--set", "Forcing/Seed=5", "-o", output.c_str()}, prm);
  EXPECT_FALSE(options.finished);
  EXPECT_EQ(options.output, output);
  EXPECT_TRUE(std::filesystem::is_directory(output));
  EXPECT_EQ(forcing.wavelength, 0.123456789012);
  EXPECT_EQ(forcing.seed, 5u);

  // One section as text, with all its digits.
  const std::string text = text_of_sections(prm, forcing);
  EXPECT_NE(text.find("0.123456789012"), std::string::npos);
  EXPECT_EQ(text.find("Problem"), std::string::npos);
}

TEST(Program, SaysWhatIsWrong)
{
  ForcingParameters        forcing;
  dealii::ParameterHandler prm;
  forcing.add_parameters(prm);
  expect_error(
    [&]() {
      read({"--set", "Forcing/Sed=5"}, prm);
    },
    "program --parameters");
  expect_error([&]() { read({"one.prm", "two.prm"}, prm); }, "two.prm");
  expect_error([&]() { read({"missing.prm"}, prm); }, "missing.prm");
  expect_error(
    [&]() {
      read({"-o", "/dev/null/directory"}, prm);
    },
    "/dev/null/directory");
}

TEST(Program, WritesTables)
{
  const TemporaryDirectory directory;
  const std::string        path = directory / "a.csv";
  write_csv({{"n", {1, 2}}, {"error", {0.5, 1.25e-7}}}, path, MPI_COMM_SELF);
  std::ifstream     in(path);
  const std::string content((std::istreambuf_iterator<char>(in)),
                            std::istreambuf_iterator<char>());
  EXPECT_EQ(content, "n,error\n1,0.5\n2,1.25e-07\n");
  expect_error(
    [&]() {
      write_csv({{"n", {1}}}, directory / "no/such.csv", MPI_COMM_SELF);
    },
    "no/such.csv");
}
