// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_driver.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"
#include "observe/registry_export_test.h"
#include "observe/windows_policy.h"

namespace plumb {
namespace {

using test::dll_of_version;
using test::exported_list;
using test::FakeHost;

constexpr const char* kMachine = "[HKEY_LOCAL_MACHINE\\";
constexpr const char* kStore = "Windows/System32/DriverStore/FileRepository/";
constexpr const char* kNew = "nv_dispi.inf_amd64_fedcba9876543210";
constexpr const char* kOld = "nv_dispi.inf_amd64_0123456789abcdef";

std::string graphics(const std::string& values) {
  return std::string(kMachine) + "SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers]\n" + values;
}

std::string a_registry() {
  const std::string folder =
      "C:\\Windows\\System32\\DriverStore\\FileRepository\\" + std::string(kNew);
  return std::string(kMachine) +
         "SYSTEM\\CurrentControlSet\\Services\\nvlddmkm]\n\"Start\"=dword:00000003\n"
         "\"DCHUVen\"=dword:000010de\n\"ImagePath\"=\"\\\\SystemRoot\\\\System32\\\\DriverStore\\\\"
         "FileRepository\\\\" +
         kNew + "\\\\nvlddmkm.sys\"\n" + kMachine +
         "SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}\\"
         "0001]\n\"ProviderName\"=\"NVIDIA\"\n\"UserModeDriverName\"=" +
         exported_list({"<>", folder + "\\nvldumdx.dll"}) + "\n" + kMachine +
         "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\"
         "{B2FE1952-0186-46C3-BAEC-A80AA35AC5B8}_Display.Driver]\n\"DisplayVersion\"=\"560.94\"\n" +
         kMachine +
         "SOFTWARE\\NVIDIA Corporation\\Installer2\\Stripped]\n"
         "\"Display.Driver/536.67\"=\"x\"\n\"C:\\\\a\\\\Display.Driver/560.94-1\"=\"x\"\n"
         "\"Display.Driver/\"=\"x\"\n\"HDAudio/1.3\"=\"x\"\n";
}

TEST(WindowsDriver, AHealthyOne) {
  FakeHost fake("windows");
  fake.host().registry = registry_of_export(a_registry());
  for (const char* name : {"nvcuda.dll", "nvml.dll", "nvapi64.dll"}) {
    fake.write(std::string("Windows/System32/") + name, dll_of_version({32, 0, 15, 6094}));
  }
  fake.write(std::string(kStore) + kNew + "/nvcuda64.dll", dll_of_version({32, 0, 15, 6094}));
  fake.write(std::string(kStore) + kOld + "/nvcuda64.dll", dll_of_version({31, 0, 15, 3667}));
  fake.write(std::string(kStore) + "nvhda.inf_amd64_1/nvhda64v.sys", "");
  fake.write(std::string(kStore) + "iigd.inf_amd64_1/nvml.dll", "");
  const WindowsDriver facts = observe_windows_driver_state(fake.host());
  ASSERT_EQ(facts.system_files.size(), 3U);
  EXPECT_EQ(facts.system_files[0].version.value, "32.0.15.6094");
  EXPECT_EQ(facts.system_files[0].release, "560.94");
  ASSERT_EQ(facts.packages.size(), 2U);
  EXPECT_FALSE(facts.packages[0].active);
  EXPECT_EQ(facts.packages[0].files[0].release, "536.67");
  EXPECT_TRUE(facts.packages[1].active);
  EXPECT_EQ(facts.user_mode_folder.value,
            "C:\\Windows\\System32\\DriverStore\\FileRepository\\" + std::string(kNew));
  EXPECT_EQ(facts.service_folder.value,
            "\\SystemRoot\\System32\\DriverStore\\FileRepository\\" + std::string(kNew));
  EXPECT_EQ(facts.dch.value, 0x10deU);
  ASSERT_EQ(facts.services.size(), 1U);
  EXPECT_EQ(facts.services[0].start.value, 3U);
  EXPECT_EQ(facts.installed_release.value, "560.94");
  EXPECT_EQ(facts.installed_before, (std::vector<std::string>{"560.94", "536.67"}));
  EXPECT_TRUE(facts.stray_files.empty());
}

TEST(WindowsDriver, TheKeyOfACardThatIsGoneDoesNotDecide) {
  FakeHost fake("windows");
  const std::string key = "0001]\n";
  std::string text = a_registry();
  text.insert(
      text.find(key),
      "0000]\n\"MatchingDeviceId\"=\"PCI\\\\VEN_10DE&DEV_1B06\"\n"
      "\"UserModeDriverName\"=\"C:\\\\Windows\\\\System32\\\\DriverStore\\\\FileRepository\\\\" +
          std::string(kOld) + "\\\\nvldumdx.dll\"\n" + kMachine +
          "SYSTEM\\CurrentControlSet\\Control\\Class\\"
          "{4d36e968-e325-11ce-bfc1-08002be10318}\\");
  fake.host().registry = registry_of_export(text);
  fake.write(std::string(kStore) + kOld + "/nvml.dll", dll_of_version({31, 0, 15, 3667}));
  const WindowsDriver facts = observe_windows_driver_state(fake.host());
  EXPECT_TRUE(facts.user_mode_folder.value->ends_with(kNew));
  ASSERT_EQ(facts.packages.size(), 1U);
  EXPECT_FALSE(facts.packages[0].active);
}

TEST(WindowsDriver, NothingThere) {
  const FakeHost fake("windows");
  const WindowsDriver facts = observe_windows_driver_state(fake.host());
  EXPECT_TRUE(facts.system_files.empty());
  EXPECT_TRUE(facts.packages.empty());
  EXPECT_FALSE(facts.store_fault);
  EXPECT_FALSE(facts.dch);
  EXPECT_TRUE(facts.services.empty());
  EXPECT_FALSE(facts.tdr.delay);
  EXPECT_FALSE(facts.tdr.delay.fault);
}

TEST(WindowsDriver, DamagedFilesStayInSight) {
  const FakeHost fake("windows");
  fake.write("Windows/System32/nvcuda.dll", "MZ and nothing more");
  fake.write("Windows/System32/DriverStore/FileRepository", "a file in its place");
  const WindowsDriver facts = observe_windows_driver_state(fake.host());
  ASSERT_EQ(facts.system_files.size(), 1U);
  EXPECT_TRUE(facts.system_files[0].version.fault);
  EXPECT_EQ(facts.system_files[0].release, "");
}

TEST(WindowsDriver, StrayCopiesOnPath) {
  FakeHost fake("windows");
  fake.write("Windows/System32/nvcuda.dll", dll_of_version({32, 0, 15, 6094}));
  fake.write("Tools/bin/nvcuda.dll", dll_of_version({31, 0, 15, 3667}));
  fake.write("Program Files/NVIDIA Corporation/NVSMI/nvml.dll", dll_of_version({27, 21, 14, 5167}));
  fake.set("PATH",
           "C:\\Windows\\System32;\"C:\\Tools\\bin\";c:\\tools\\bin\\;\\\\server\\share;;relative;"
           "C:\\Program Files\\NVIDIA Corporation\\NVSMI");
  const WindowsDriver facts = observe_windows_driver_state(fake.host());
  ASSERT_EQ(facts.stray_files.size(), 1U);
  EXPECT_EQ(facts.stray_files[0].release, "536.67");
  ASSERT_EQ(facts.nvsmi_files.size(), 1U);
  EXPECT_EQ(facts.nvsmi_files[0].release, "451.67");
}

TEST(WindowsDriver, FoldersOfTheStore) {
  EXPECT_EQ(store_folder_of("C:\\W\\DriverStore\\FileRepository\\nv.inf_amd64_1\\x\\y.dll"),
            "C:\\W\\DriverStore\\FileRepository\\nv.inf_amd64_1");
  EXPECT_EQ(store_folder_of("C:\\W\\HostDriverStore\\filerepository\\nv\\"),
            "C:\\W\\HostDriverStore\\filerepository\\nv");
  EXPECT_EQ(store_folder_of("C:\\W\\DriverStore\\FileRepository\\"), "");
  EXPECT_EQ(store_folder_of("nvldumdx.dll"), "");
}

TEST(WindowsPolicy, TimeLimitsAndScheduling) {
  const auto registry = registry_of_export(
      graphics("\"TdrDelay\"=dword:0000003c\n\"TdrLevel\"=\"0\"\n"
               "\"TdrDdiDelay\"=hex(b):3c,00,00,00,00,00,00,00\n\"HwSchMode\"=dword:00000002\n"));
  const TdrSettings tdr = observe_tdr(*registry);
  EXPECT_EQ(tdr.delay.value, 60U);
  EXPECT_TRUE(tdr.level.fault);      // a text
  EXPECT_TRUE(tdr.ddi_delay.fault);  // a QWORD
  EXPECT_FALSE(tdr.limit_count);
  EXPECT_FALSE(tdr.limit_count.fault);
  EXPECT_EQ(observe_hardware_scheduling(*registry).value, 2U);
}

TEST(WindowsPolicy, WhatKeepsDriversFromChanging) {
  const std::string windows = std::string(kMachine) + "SOFTWARE\\Policies\\Microsoft\\Windows\\";
  const auto registry = registry_of_export(
      windows + "WindowsUpdate]\n\"ExcludeWUDriversInQualityUpdate\"=dword:00000001\n" + windows +
      "DeviceInstall\\Restrictions]\n\"DenyDeviceIDs\"=dword:00000001\n" + windows +
      "DeviceInstall\\Restrictions\\DenyDeviceIDs]\n\"1\"=\"PCI\\\\VEN_10DE&DEV_2484\"\n"
      "\"2\"=dword:00000001\n" +
      kMachine +
      "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\DriverSearching]\n"
      "\"SearchOrderConfig\"=dword:00000000\n");
  const DriverPolicy policy = observe_driver_policy(*registry);
  EXPECT_EQ(policy.update_excludes_drivers.value, 1U);
  EXPECT_EQ(policy.driver_search.value, 0U);
  EXPECT_EQ(policy.deny_ids.value, 1U);
  EXPECT_EQ(policy.denied_ids, std::vector<std::string>{"PCI\\VEN_10DE&DEV_2484"});
  EXPECT_FALSE(policy.deny_unspecified);
}

}  // namespace
}  // namespace plumb
