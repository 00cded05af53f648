// SPDX-License-Identifier: Apache-2.0
#include "observe/wsl_driver.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kStore = "usr/lib/wsl/drivers/";

std::string utf16(std::string_view text) {
  std::string wide = "\xff\xfe";
  for (const char c : text) {
    wide += c;
    wide += '\0';
  }
  return wide;
}

TEST(WslDriver, VersionsOfWindowsDriverPackages) {
  const FakeHost fake("linux");
  const std::string old = std::string(kStore) + "nv_dispi.inf_amd64_0123456789abcdef/";
  fake.write(old + "nv_dispi.inf", "[Version]\r\nDriverVer = 08/14/2024, 32.0.15.6094\r\n");
  fake.write(old + "nvcuda64.dll", "");
  const std::string fresh = std::string(kStore) + "nvmdi.inf_amd64_fedcba9876543210/";
  fake.write(fresh + "nvml.dll", test::dll_of_version({32, 0, 16, 1714}));
  fake.write(std::string(kStore) + "nvhda.inf_amd64_1/nvhda.inf",
             "DriverVer = 08/14/2024, 1.4.3.2\n");
  fake.write(std::string(kStore) + "iigd_dch.inf_amd64_1/nvml.dll", "");
  fake.write("usr/lib/wsl/lib/libcuda.so.1.1", "elf");
  fake.write("dev/dxg");
  const WslDriver facts = observe_wsl_driver(fake.host(), {});
  EXPECT_EQ(facts.dxg.value, true);
  EXPECT_EQ(facts.libraries.value, std::vector<std::string>{"libcuda.so.1.1"});
  ASSERT_EQ(facts.packages.size(), 2U);
  EXPECT_EQ(facts.packages[0].release, "617.14");
  EXPECT_EQ(facts.packages[0].version.origin,
            "/usr/lib/wsl/drivers/nvmdi.inf_amd64_fedcba9876543210/nvml.dll");
  EXPECT_EQ(facts.packages[1].version.value, "32.0.15.6094");
  EXPECT_EQ(facts.packages[1].release, "560.94");
}

TEST(WslDriver, InfTextsInTheirForms) {
  EXPECT_EQ(driver_version_of_inf(utf16("[Version]\r\nDriverVer=08/14/2024,32.0.15.6094 ; x\r\n")),
            "32.0.15.6094");
  EXPECT_FALSE(driver_version_of_inf("DriverVer = 08/14/2024\n"));
  EXPECT_FALSE(driver_version_of_inf("DriverVer = a, %version%\n"));
  EXPECT_FALSE(driver_version_of_inf("\xff\xfe\x01"));
}

TEST(WslDriver, ALinuxDriverInsideIsWrong) {
  const FakeHost fake("linux");
  LinuxDriver wrong;
  wrong.libraries.libraries = {
      {"libcuda", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05", {}, "580.95.05", 9},
      {"libcuda", "/usr/lib/wsl/lib/libcuda.so.1", {}, "", 9}};
  const WslDriver facts = observe_wsl_driver(fake.host(), wrong);
  EXPECT_EQ(facts.linux_driver,
            std::vector<std::string>{"/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05"});
  EXPECT_EQ(facts.dxg.value, false);
  EXPECT_FALSE(facts.libraries);
  EXPECT_TRUE(facts.packages.empty());
}

}  // namespace
}  // namespace plumb
