// SPDX-License-Identifier: Apache-2.0
// Slots have ':' in their names, which Windows' files cannot have.
#include "observe/nvidia_modules.h"

#include <gtest/gtest.h>

#include "observe/driver_packages.h"
#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(NvidiaModulesLinux, CardsByTheirSlots) {
  const FakeHost fake("linux");
  fake.write("proc/driver/nvidia/gpus/0000:00:06.0/information",
             "Model: \t\t NVIDIA H200\nDevice Minor: \t 0\nGPU Excluded:\t Yes\n");
  fake.make_folder("proc/driver/nvidia/gpus/0000:00:07.0");
  const std::vector<ModuleCard> cards = observe_module_cards(fake.host());
  ASSERT_EQ(cards.size(), 2U);
  EXPECT_EQ(cards[0].location, "0000:00:06.0");
  EXPECT_EQ(cards[0].model.value, "NVIDIA H200");
  EXPECT_EQ(cards[0].excluded.value, true);
  EXPECT_EQ(cards[1].location, "0000:00:07.0");
  EXPECT_FALSE(cards[1].model);
}

TEST(DriverPackagesLinux, PacmanVersionsWithAnEpoch) {
  const FakeHost fake("linux");
  fake.write("var/lib/pacman/local/nvidia-open-dkms-1:580.95.05-2/desc", "");
  const DriverPackages packages = observe_driver_packages(fake.host());
  ASSERT_EQ(packages.packages.size(), 1U);
  EXPECT_EQ(packages.packages[0].name, "nvidia-open-dkms");
  EXPECT_EQ(packages.packages[0].version, "1:580.95.05-2");
}

}  // namespace
}  // namespace plumb
