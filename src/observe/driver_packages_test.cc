// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_packages.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(DriverPackages, DpkgInEachState) {
  const FakeHost fake("linux");
  fake.write("var/lib/dpkg/status",
             "Package: bash\nStatus: install ok installed\nVersion: 5.2\n\n"
             "Package: nvidia-driver-580-open\nStatus: install ok installed\nPriority: optional\n"
             "Architecture: amd64\nVersion: 580.95.05-0ubuntu1\nDescription: x\n more\n\n"
             "Package: libnvidia-compute-580\nStatus: hold ok installed\nVersion: 580.95.05\n\n"
             "Package: nvidia-dkms-580-open\nStatus: install ok half-configured\nVersion: 580\n\n"
             "Package: nvidia-utils-570\nStatus: deinstall ok config-files\nVersion: 570\n\n"
             "Package: nvidia-modprobe\nStatus: install reinstreq half-installed\n\n"
             "Package: libcuda1\nStatus: unknown ok not-installed\n");
  const DriverPackages facts = observe_driver_packages(fake.host());
  ASSERT_EQ(facts.packages.size(), 5U);
  EXPECT_EQ(facts.packages[0].name, "nvidia-driver-580-open");
  EXPECT_EQ(facts.packages[0].version, "580.95.05-0ubuntu1");
  EXPECT_EQ(facts.packages[0].architecture, "amd64");
  EXPECT_EQ(facts.packages[0].state, PackageState::installed);
  EXPECT_EQ(facts.packages[1].state, PackageState::installed);  // held back
  EXPECT_EQ(facts.packages[2].state, PackageState::broken);
  EXPECT_EQ(facts.packages[2].status, "install ok half-configured");
  EXPECT_EQ(facts.packages[3].state, PackageState::leftover);
  EXPECT_EQ(facts.packages[4].state, PackageState::broken);
}

TEST(DriverPackages, PacmanAndDnfModules) {
  const FakeHost fake("linux");
  fake.make_folder("var/lib/pacman/local/nvidia-utils-580.95.05-1");
  fake.make_folder("var/lib/pacman/local/linux-6.17-1");
  fake.write("var/lib/pacman/local/ALPM_DB_VERSION", "9\n");
  fake.write("etc/dnf/modules.d/nvidia-driver.module",
             "[nvidia-driver]\nname=nvidia-driver\nstream=575-dkms\nprofiles=\nstate=enabled\n");
  const DriverPackages facts = observe_driver_packages(fake.host());
  ASSERT_EQ(facts.packages.size(), 2U);
  EXPECT_EQ(facts.packages[0].version, "580.95.05-1");
  EXPECT_EQ(facts.packages[1].version, "575-dkms");
}

TEST(DriverPackages, MarksOfTheRunInstaller) {
  const FakeHost fake("linux");
  EXPECT_TRUE(observe_driver_packages(fake.host()).run_installer.empty());
  fake.write("usr/bin/nvidia-uninstall", "");
  EXPECT_EQ(observe_driver_packages(fake.host()).run_installer,
            std::vector<std::string>{"/usr/bin/nvidia-uninstall"});
}

TEST(DriverPackages, DamagedDatabasesAreHarmless) {
  EXPECT_TRUE(
      parse_dpkg_status("\n\n\xff\xfePackage: \nStatus: a b\n\nStatus: install ok installed", "x")
          .empty());
  EXPECT_TRUE(parse_dpkg_status("Package: nvidia-x\n", "x").empty());
  const FakeHost fake("linux");
  fake.make_folder("var/lib/dpkg/status");  // a folder in its place
  EXPECT_TRUE(observe_driver_packages(fake.host()).fault);
}

}  // namespace
}  // namespace plumb
