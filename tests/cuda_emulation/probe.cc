// Looking for a device: which ones have code, and what is said about failures.

#include "../../source/cuda/module.h"
#include "emulation.h"
#include "testing.h"

using namespace Evergreen;
using namespace Evergreen::Cuda;

TEST(CudaProbe, CodeForDevices)
{
  const std::string usual = "75-real,80-real,90";
  for (const int capability : {75, 80, 86, 89, 90, 100, 120})
    EXPECT_TRUE(has_code(usual, capability)) << capability;
  for (const int capability : {35, 60, 70, 72})
    EXPECT_FALSE(has_code(usual, capability)) << capability;

  EXPECT_TRUE(has_code("86-real", 89));
  EXPECT_FALSE(has_code("86-real", 80));
  EXPECT_FALSE(has_code("86-real", 90));
  EXPECT_TRUE(has_code("86-virtual", 90));
  EXPECT_TRUE(has_code("90,75", 80));
  EXPECT_FALSE(has_code("", 80));
}


TEST(CudaProbe, AnswersOfTheDevice)
{
  Emulation::heal();
  const BackendStatus well = probe_device();
  EXPECT_TRUE(well.usable);
  EXPECT_EQ(well.device.find("emulated device, "), 0u) << well.device;
  EXPECT_NE(well.device.find("compute capability 9.0"), std::string::npos);

  const auto expect_reason = [](const std::string &call,
                                const cudaError_t  error,
                                const std::string &reason) {
    Emulation::fail(call, 1, error, false);
    const BackendStatus status = probe_device();
    Emulation::heal();
    EXPECT_FALSE(status.usable);
    EXPECT_NE(status.reason.find(reason), std::string::npos) << status.reason;
    EXPECT_TRUE(probe_device().usable) << "the failure must not stay";
  };
  expect_reason("cudaGetDeviceCount", cudaErrorNoDevice, "no NVIDIA GPU");
  expect_reason("cudaGetDeviceCount", cudaErrorUnknown, "reports '");
  expect_reason("cudaGetDeviceProperties", cudaErrorUnknown, "reports '");
}


TEST(CudaProbe, RanksShareDevices)
{
  unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
  unsetenv("SLURM_LOCALID");
  unsetenv("MPI_LOCALRANKID");
  EXPECT_EQ(device_number(4), 0);
  setenv("SLURM_LOCALID", "6", 1);
  EXPECT_EQ(device_number(4), 2);
  EXPECT_EQ(device_number(1), 0);
  setenv("SLURM_LOCALID", "-3", 1);
  EXPECT_EQ(device_number(4), 0);
  unsetenv("SLURM_LOCALID");
}
