// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_version.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(DriverVersion, KernelModuleOpenAndClosed) {
  const auto open = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (u@h)  "
      "Tue Sep  1 2026\nGCC version:  gcc version 12.2.0\n");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->version, "580.159.04");
  EXPECT_TRUE(open->open);
  const auto closed = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec 30 17:44:08 UTC 2024\n");
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->version, "550.144.03");
  EXPECT_FALSE(closed->open);
  EXPECT_FALSE(parse_nvrm_version("NVRM version:"));
  EXPECT_FALSE(parse_nvrm_version("hello  1.2.3"));
}

TEST(DriverVersion, WindowsNumbersAreArithmetic) {
  EXPECT_EQ(driver_of_file_version("32.0.15.6094"), "560.94");
  EXPECT_EQ(driver_of_file_version("31.0.15.3667"), "536.67");
  EXPECT_EQ(driver_of_file_version("32.0.16.1714"), "617.14");
  EXPECT_EQ(driver_of_file_version("30.0.14.7212"), "472.12");
  EXPECT_EQ(driver_of_file_version("31.0.15.5"), "500.05");  // lost zeros: ...0005
  EXPECT_FALSE(driver_of_file_version("10.0.26100.1"));      // Microsoft's own driver
  EXPECT_FALSE(driver_of_file_version("32.0.15"));
  EXPECT_FALSE(driver_of_file_version(""));
}

TEST(DriverVersion, FileNamesTellIt) {
  EXPECT_EQ(version_in_name("/usr/lib/libcuda.so.580.159.04"), "580.159.04");
  EXPECT_FALSE(version_in_name("/usr/lib/wsl/lib/libcuda.so.1"));
  EXPECT_FALSE(version_in_name("libcuda.so.1.1"));
}

TEST(DriverVersion, ModuleVersionDecidesOnLinux) {
  FakeHost fake("linux");
  fake.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec 30\n");
  fake.write("usr/lib64/libcuda.so.1", "elf");
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_EQ(facts.version.value, "550.144.03");
  EXPECT_EQ(facts.version.origin, "/proc/driver/nvidia/version");
  EXPECT_EQ(facts.library.value, "/usr/lib64/libcuda.so.1");
}

TEST(DriverVersion, SysfsServesWhereProcDoesNot) {
  FakeHost fake("linux");
  fake.write("sys/module/nvidia/version", "570.86.15\n");
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_EQ(facts.version.value, "570.86.15");
  EXPECT_FALSE(facts.library);
}

TEST(DriverVersion, LeftoverFilesOfNoBytesAreNoDriver) {
  FakeHost fake("linux");
  fake.write("usr/lib64/libcuda.so.1", "");
  EXPECT_FALSE(observe_driver(fake.host(), {}, {}).library);
}

TEST(DriverVersion, LibraryPathComesBeforeTheCache) {
  FakeHost fake("linux");
  fake.write("opt/cuda/libcuda.so.1", "elf");
  fake.write("usr/lib64/libcuda.so.1", "elf");
  const std::vector<CachedLibrary> cache = {{"libcuda.so.1", "/usr/lib64/libcuda.so.1"}};
  EXPECT_EQ(observe_driver(fake.host(), {}, cache).library.value, "/usr/lib64/libcuda.so.1");
  fake.set("LD_LIBRARY_PATH", "/opt/cuda");
  EXPECT_EQ(observe_driver(fake.host(), {}, cache).library.value, "/opt/cuda/libcuda.so.1");
}

TEST(DriverVersion, WslReadsTheNewestOfWindowsDriverStore) {
  FakeHost fake("linux");
  const std::string store = "usr/lib/wsl/drivers/";
  fake.write(store + "nv_dispi.inf_amd64_0123456789abcdef/nvml.dll",
             test::dll_of_version({31, 0, 15, 3667}));
  fake.write(store + "nv_dispi.inf_amd64_fedcba9876543210/nvcuda64.dll",
             test::dll_of_version({32, 0, 15, 6636}));
  fake.write(store + "iigd_dch.inf_amd64_1/nvml.dll", test::dll_of_version({32, 0, 16, 1714}));
  fake.write("usr/lib/wsl/lib/libcuda.so.1", "elf");
  SystemFacts system;
  system.wsl = true;
  const DriverFacts facts = observe_driver(fake.host(), system, {});
  EXPECT_EQ(facts.version.value, "566.36");
  EXPECT_EQ(facts.library.value, "/usr/lib/wsl/lib/libcuda.so.1");
}

TEST(DriverVersion, WindowsReadsTheVersionResource) {
  FakeHost fake("windows");
  EXPECT_FALSE(observe_driver(fake.host(), {}, {}).version);
  fake.write("Windows/System32/nvcuda.dll", test::dll_of_version({32, 0, 15, 6094}));
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_EQ(facts.version.value, "560.94");
  EXPECT_TRUE(facts.library);
}

TEST(DriverVersion, ADamagedDriverFileIsUnreadableNotAbsent) {
  FakeHost fake("windows");
  fake.write("Windows/System32/nvcuda.dll", "MZ and nothing more");
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_FALSE(facts.version);
  EXPECT_TRUE(facts.version.fault);
}

}  // namespace
}  // namespace plumb
