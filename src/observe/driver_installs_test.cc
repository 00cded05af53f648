// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_installs.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kLog =
    "the end of another section\r\n"
    "<<<  [Exit status: SUCCESS]\r\n\r\n"
    ">>>  [Device Install (Hardware initiated) - PCI\\VEN_8086&DEV_A780\\3&1]\r\n"
    ">>>  Section start 2026/09/08 12:00:00.000\r\n"
    "<<<  [Exit status: SUCCESS]\r\n\r\n"
    ">>>  [Device Install (Hardware initiated) - PCI\\VEN_10DE&DEV_2484\\4&3674a6b9&0&0008]\r\n"
    ">>>  Section start 2026/09/09 12:00:00.000\r\n"
    "     dvi:      InfFile     - oem7.inf\r\n"
    "     dvi: Selected Driver:\r\n"
    "     dvi:      InfFile     - oem42.inf\r\n"
    "     dvi:      Provider    - NVIDIA\r\n"
    "     ndv:      Driver Version - 08/14/2024,32.0.15.6094\r\n"
    "<<<  Section end 2026/09/09 12:00:05.000\r\n"
    "<<<  [Exit status: SUCCESS]\r\n"
    ">>>  [Device Install (DiInstallDriver) - PCI\\VEN_10DE&DEV_2484]\r\n"
    ">>>  2026/09/10 08:00:00.000: Section start\r\n"
    "<<<  [Exit status: FAILURE(0xe0000219)]\r\n";

TEST(DriverInstalls, NvidiasFromTheLogNewestFirst) {
  const FakeHost fake("windows");
  fake.write("Windows/INF/setupapi.dev.log", kLog);
  const auto installs = observe_driver_installs(fake.host());
  ASSERT_TRUE(installs);
  ASSERT_EQ(installs.value->size(), 2U);
  const DriverInstall& failed = installs.value->at(0);
  EXPECT_EQ(failed.status, "FAILURE(0xe0000219)");
  EXPECT_EQ(failed.time, "2026/09/10 08:00:00.000");
  const DriverInstall& good = installs.value->at(1);
  EXPECT_EQ(good.device, "PCI\\VEN_10DE&DEV_2484\\4&3674a6b9&0&0008");
  EXPECT_EQ(good.time, "2026/09/09 12:00:00.000");
  EXPECT_EQ(good.inf, "oem42.inf");
  EXPECT_EQ(good.provider, "NVIDIA");
  EXPECT_EQ(good.version, "32.0.15.6094");
  EXPECT_EQ(good.status, "SUCCESS");
}

TEST(DriverInstalls, OnlyTheEndOfALongLogIsRead) {
  const FakeHost fake("windows");
  fake.write("Windows/INF/setupapi.dev.log", std::string(3 << 20, '\n') + kLog);
  EXPECT_EQ(observe_driver_installs(fake.host()).value->size(), 2U);
}

TEST(DriverInstalls, AbsentCutOffAndDamagedLogs) {
  EXPECT_FALSE(observe_driver_installs(FakeHost("windows").host()));
  EXPECT_TRUE(parse_setup_log("\xff\xfe>>>  [\n>>>  Section start\n<<<  [Exit status:").empty());
  const auto cut = parse_setup_log(
      ">>>  [Install - PCI\\VEN_10DE&DEV_1\n>>>  Section start\n dvi: "
      "InfFile");
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].status, "");
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += ">>>  [Install - PCI\\VEN_10DE&DEV_" + std::to_string(i) + "]\n";
  }
  EXPECT_EQ(parse_setup_log(many).size(), 100U);
}

}  // namespace
}  // namespace plumb
