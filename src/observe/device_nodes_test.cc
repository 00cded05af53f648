// SPDX-License-Identifier: Apache-2.0
#include "observe/device_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

constexpr const char* kProcDevices =
    "Character devices:\n  1 mem\n195 nvidia\n195 nvidiactl\n238 nvidia-uvm\n241 nvidia-caps\n\n"
    "Block devices:\n254 nvidia-modeset\n";

/// Devices by the names of the machine; others are plain files.
class Nodes {
 public:
  explicit Nodes(const FakeHost& fake) : fake_(fake) {}
  void add(const std::string& name, std::uint32_t major, std::uint32_t minor) {
    fake_.write("dev/" + name);
    nodes_["dev/" + name] = {true, major, minor, 0666, 0, 0, true};
  }
  void observe(LinuxDriver& driver) const {
    observe_device_nodes(fake_.host(), driver, [this](const std::string& path) {
      const auto hit = nodes_.find(fake_.relative(path));
      if (hit == nodes_.end() && !is_file(path)) {
        return Result<NodeStatus>(fail(ErrorCode::not_found, "no such file"));
      }
      return Result<NodeStatus>(hit == nodes_.end() ? NodeStatus{} : hit->second);
    });
  }

 private:
  const FakeHost& fake_;
  std::map<std::string, NodeStatus> nodes_;
};

LinuxDriver loaded(std::uint64_t cards) {
  LinuxDriver driver;
  driver.modules = {{"nvidia", {}, {}, {}, ""}, {"nvidia_uvm", {}, {}, {}, ""}};
  for (std::uint64_t i = 0; i < cards; ++i) {
    ModuleCard card;
    card.minor = Fact<std::uint64_t>::present(i, "");
    driver.cards.push_back(card);
  }
  return driver;
}

const DeviceNode* find_node(const LinuxDriver& driver, std::string_view path) {
  const auto hit = std::ranges::find(driver.nodes, path, &DeviceNode::path);
  return hit == driver.nodes.end() ? nullptr : &*hit;
}

TEST(DeviceNodes, AllThereAndTheirDrivers) {
  const FakeHost fake("linux");
  fake.write("proc/devices", kProcDevices);
  fake.write("dev/null");
  Nodes nodes(fake);
  nodes.add("nvidia0", 195, 0);
  nodes.add("nvidiactl", 195, 255);
  nodes.add("nvidia-uvm", 238, 0);
  nodes.add("nvidia-caps/nvidia-cap1", 241, 1);
  nodes.add("nvidia-caps-imex-channels/channel0", 240, 0);
  LinuxDriver driver = loaded(1);
  nodes.observe(driver);
  EXPECT_EQ(driver.nodes.size(), 4U);
  EXPECT_TRUE(driver.missing_nodes.empty());
  EXPECT_EQ(driver.imex_channels, 1U);
  const DeviceNode* uvm = find_node(driver, "/dev/nvidia-uvm");
  ASSERT_NE(uvm, nullptr);
  EXPECT_TRUE(uvm->is_device);
  EXPECT_EQ(uvm->mode, 0666U);
  EXPECT_EQ(uvm->driver_major.value, uvm->major);
  EXPECT_FALSE(uvm->accessible);  // a mounted system: this process' rights say nothing
  EXPECT_EQ(find_node(driver, "/dev/nvidia-caps/nvidia-cap1")->driver_major.value, 241U);
}

TEST(DeviceNodes, AStaleNodeHasAnotherMajor) {
  const FakeHost fake("linux");
  fake.write("proc/devices", kProcDevices);
  Nodes nodes(fake);
  nodes.add("nvidia-uvm", 511, 0);
  LinuxDriver driver = loaded(0);
  nodes.observe(driver);
  const DeviceNode* uvm = find_node(driver, "/dev/nvidia-uvm");
  ASSERT_NE(uvm, nullptr);
  EXPECT_EQ(uvm->driver_major.value, 238U);
  EXPECT_EQ(uvm->major, 511U);
}

TEST(DeviceNodes, MissingOnesAreNamed) {
  const FakeHost fake("linux");
  Nodes nodes(fake);
  nodes.add("nvidia1", 195, 1);
  fake.write("dev/nvidia0");  // a plain file in its place
  LinuxDriver driver = loaded(3);
  driver.cards[2].excluded = Fact<bool>::present(true, "");
  nodes.observe(driver);
  EXPECT_EQ(driver.missing_nodes,
            (std::vector<std::string>{"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"}));
}

TEST(DeviceNodes, WithoutAModuleNothingIsMissing) {
  const FakeHost fake("linux");
  LinuxDriver driver;
  Nodes(fake).observe(driver);
  EXPECT_TRUE(driver.nodes.empty());
  EXPECT_TRUE(driver.missing_nodes.empty());
}

TEST(DeviceNodes, DamagedListsOfDriversAreHarmless) {
  EXPECT_EQ(parse_proc_devices(kProcDevices).at("nvidia-uvm"), 238U);
  EXPECT_FALSE(parse_proc_devices(kProcDevices).contains("nvidia-modeset"));  // a block device
  EXPECT_TRUE(parse_proc_devices("\xff nvidia\n99999999999999999999 nvidia\n195\n").empty());
}

}  // namespace
}  // namespace plumb
