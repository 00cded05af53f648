// SPDX-License-Identifier: Apache-2.0
// DKMS and the kernel's packages leave links, which Windows cannot make.
#include "observe/kernel_state.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

void link(const FakeHost& fake, const std::string& target, std::string_view name) {
  std::filesystem::create_symlink(target, fake.path(name));
}

TEST(KernelStateLinks, DkmsInstalledForTheRunningKernel) {
  const FakeHost fake("linux");
  const std::string dkms = "var/lib/dkms/nvidia/";
  fake.write(dkms + "580.95.05/6.8.0-45-generic/x86_64/module/nvidia.ko.zst", "");
  fake.make_folder(dkms + "570.133.07/source");
  link(fake, "580.95.05/6.8.0-45-generic/x86_64", dkms + "kernel-6.8.0-45-generic-x86_64");
  const std::vector<DkmsModule> modules = observe_dkms(fake.host(), "6.8.0-45-generic");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].state, DkmsState::added);
  EXPECT_EQ(modules[1].version, "580.95.05");
  EXPECT_EQ(modules[1].state, DkmsState::installed);
}

TEST(KernelStateLinks, HeadersAreWhereTheLinkOfTheMountedSystemPoints) {
  const FakeHost fake("linux");
  fake.write("proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
  fake.make_folder("lib/modules/6.8.0-45-generic");
  link(fake, "/usr/src/linux-headers-6.8.0-45-generic", "lib/modules/6.8.0-45-generic/build");
  EXPECT_EQ(observe_kernel(fake.host(), "").headers.value, false);
  fake.make_folder("usr/src/linux-headers-6.8.0-45-generic");
  EXPECT_EQ(observe_kernel(fake.host(), "").headers.value, true);
}

}  // namespace
}  // namespace plumb
