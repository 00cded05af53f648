// SPDX-License-Identifier: Apache-2.0
// Drivers for Linux are installed as chains of links, which Windows cannot make.
#include "observe/driver_version.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

void link(const FakeHost& fake, const std::string& target, std::string_view name) {
  std::filesystem::create_symlink(target, fake.path(name));
}

TEST(DriverVersionLinks, TheLibraryBehindTheLinksTellsItsVersion) {
  FakeHost fake("linux");
  fake.write("usr/lib64/libcuda.so.580.95.05", "elf");
  link(fake, "libcuda.so.580.95.05", "usr/lib64/libcuda.so.1");
  fake.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.133.07  Mon\n");
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_EQ(facts.library_version.value, "580.95.05");
  EXPECT_EQ(facts.version.value, "570.133.07");
  EXPECT_FALSE(facts.library_is_compat);
}

TEST(DriverVersionLinks, WithoutAModuleTheLibraryTells) {
  FakeHost fake("linux");
  fake.write("usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05", "elf");
  link(fake, "libcuda.so.535.104.05", "usr/lib/x86_64-linux-gnu/libcuda.so.1");
  EXPECT_EQ(observe_driver(fake.host(), {}, {}).version.value, "535.104.05");
}

TEST(DriverVersionLinks, ForwardCompatibilityLibrariesAreNotTheDriver) {
  FakeHost fake("linux");
  fake.write("usr/local/cuda-13.0/compat/libcuda.so.580.95.05", "elf");
  link(fake, "libcuda.so.580.95.05", "usr/local/cuda-13.0/compat/libcuda.so.1");
  fake.set("LD_LIBRARY_PATH", "/usr/local/cuda-13.0/compat");
  const DriverFacts facts = observe_driver(fake.host(), {}, {});
  EXPECT_TRUE(facts.library_is_compat);
  EXPECT_FALSE(facts.version);
}

}  // namespace
}  // namespace plumb
