// SPDX-License-Identifier: Apache-2.0
// Drivers for Linux are installed as chains of links, which Windows cannot make.
#include "observe/driver_libraries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

void link(const FakeHost& fake, const std::string& target, std::string_view name) {
  std::filesystem::create_symlink(target, fake.path(name));
}

TEST(DriverLibrariesLinks, LinksAreNamesOfTheFile) {
  const FakeHost fake("linux");
  fake.write("usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05", "elf");
  link(fake, "libcuda.so.580.95.05", "usr/lib/x86_64-linux-gnu/libcuda.so.1");
  link(fake, "libcuda.so.1", "usr/lib/x86_64-linux-gnu/libcuda.so");
  link(fake, "libnvidia-ml.so.570.133.07", "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1");
  link(fake, "x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu");  // one folder, two names
  const DriverLibraries facts = observe_driver_libraries(fake.host(), {});
  ASSERT_EQ(facts.libraries.size(), 1U);
  EXPECT_EQ(facts.libraries[0].path, "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05");
  EXPECT_EQ(facts.libraries[0].names, (std::vector<std::string>{"libcuda.so", "libcuda.so.1"}));
  EXPECT_EQ(facts.broken_links,
            std::vector<std::string>{"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"});
}

TEST(DriverLibrariesLinks, ALinkIntoAStoreNamesTheFileThere) {
  FakeHost fake("linux");
  Host host = fake.host();
  host.root = "";
  fake.write("store/nvidia-x11/lib/libcuda.so.580.95.05", "elf");
  fake.make_folder("driver/lib");
  link(fake, fake.path("store/nvidia-x11/lib/libcuda.so.580.95.05"), "driver/lib/libcuda.so.1");
  fake.set("LD_LIBRARY_PATH", fake.path("driver/lib"));
  const DriverLibraries facts = observe_driver_libraries(host, {});
  const auto hit = std::ranges::find(
      facts.libraries, real_path(fake.path("store/nvidia-x11/lib/libcuda.so.580.95.05")),
      &DriverLibrary::path);
  ASSERT_NE(hit, facts.libraries.end());
  EXPECT_EQ(hit->version, "580.95.05");
  EXPECT_EQ(hit->names, std::vector<std::string>{fake.path("driver/lib/libcuda.so.1")});
}

}  // namespace
}  // namespace plumb
