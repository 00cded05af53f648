// SPDX-License-Identifier: Apache-2.0
#include "os/cgroup_quota.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace plumb {
namespace {

using test::TempFolder;

TEST(CgroupQuota, OfVersion2IsTheSmallestOnTheWayUp) {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/user.slice/job\n");
  EXPECT_FALSE(cgroup_cpu_quota(root.path()));
  root.write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(cgroup_cpu_quota(root.path()));
  root.write("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 1.5);
  root.write("sys/fs/cgroup/user.slice/job/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 1.5);
}

TEST(CgroupQuota, OfAContainerStandsAtTheMount) {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 0.5);
}

TEST(CgroupQuota, OfVersion1ComesFromTheCpuController) {
  const TempFolder root;
  root.write("proc/self/cgroup", "11:memory:/docker/id\n4:cpu,cpuacct:/docker/id\n0::/docker/id\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 2.0);
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(cgroup_cpu_quota(root.path()));
}

TEST(CgroupQuota, SurvivesNonsense) {
  const TempFolder root;
  root.write("proc/self/cgroup", "\n:\n::\n0::relative\n0::/../../etc\n0::/a\nx:cpu\n");
  root.write("sys/fs/cgroup/a/cpu.max", "0 0\n");
  root.write("sys/fs/cgroup/cpu.max", "99999999999999999999999 1");
  EXPECT_FALSE(cgroup_cpu_quota(root.path()));
}

}  // namespace
}  // namespace plumb
