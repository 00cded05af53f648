// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_services.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kPid = "run/nvidia-persistenced/nvidia-persistenced.pid";

TEST(DriverServices, ThePersistenceDaemonByItsProcess) {
  const FakeHost fake("linux");
  EXPECT_EQ(observe_driver_services(fake.host()).persistence_daemon.value, false);
  fake.write(kPid, "812\n");
  EXPECT_EQ(observe_driver_services(fake.host()).persistence_daemon.value, false);  // killed
  fake.write("proc/812/comm", "nvidia-persiste\n");
  EXPECT_EQ(observe_driver_services(fake.host()).persistence_daemon.value, true);
  fake.write(kPid, "../../etc/passwd");
  EXPECT_TRUE(observe_driver_services(fake.host()).persistence_daemon.fault);
}

TEST(DriverServices, TheFabricManagerByItsCgroup) {
  const FakeHost fake("linux");
  EXPECT_FALSE(observe_driver_services(fake.host()).fabric_manager);
  EXPECT_FALSE(observe_driver_services(fake.host()).fabric_manager_running);
  fake.write("usr/bin/nv-fabricmanager", "elf");
  const std::string cgroup = "sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs";
  fake.write(cgroup, "");
  EXPECT_TRUE(observe_driver_services(fake.host()).fabric_manager);
  EXPECT_EQ(observe_driver_services(fake.host()).fabric_manager_running.value, false);
  fake.write(cgroup, "901\n");
  EXPECT_EQ(observe_driver_services(fake.host()).fabric_manager_running.value, true);
}

}  // namespace
}  // namespace plumb
