// SPDX-License-Identifier: Apache-2.0
// Slots have ':' in their names, which Windows' files cannot have.
#include "observe/pci_facts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;
using Files = std::map<std::string, std::string>;

constexpr const char* kBus = "sys/bus/pci/devices/";

Files card_files(const std::string& vendor, const std::string& device, const std::string& kind) {
  return {{"vendor", vendor},
          {"device", device},
          {"class", kind},
          {"power/runtime_status", "active"},
          {"power/control", "on"}};
}

void add(const FakeHost& fake, const std::string& slot, const Files& files) {
  for (const auto& [name, text] : files) {
    fake.write(kBus + slot + "/" + name, text + "\n");
  }
}

TEST(PciFactsLinux, TheH200AsItIs) {
  const FakeHost fake("linux");
  Files files = card_files("0x10de", "0x2335", "0x030200");
  files.merge(Files{{"subsystem_vendor", "0x10de"},
                    {"subsystem_device", "0x18bf"},
                    {"numa_node", "-1"},
                    {"current_link_speed", "32.0 GT/s PCIe"},
                    {"current_link_width", "16"},
                    {"max_link_speed", "32.0 GT/s PCIe"},
                    {"max_link_width", "16"},
                    {"resource", "0x0000100000000000 0x0000103fffffffff 0x000000000014220c"}});
  add(fake, "0000:00:06.0", files);
  std::filesystem::create_symlink("../../../bus/pci/drivers/nvidia",
                                  fake.path(std::string(kBus) + "0000:00:06.0/driver"));
  add(fake, "0000:00:01.0", card_files("0x1af4", "0x1042", "0x018000"));
  const HardwareFacts facts = observe_hardware(fake.host());
  ASSERT_EQ(facts.devices.size(), 1U);
  const GpuDevice& card = facts.devices.front();
  EXPECT_TRUE(card.is_nvidia);
  EXPECT_EQ(card.device, 0x2335);
  EXPECT_EQ(card.subsystem_device, 0x18bf);
  EXPECT_EQ(card.driver, "nvidia");
  EXPECT_EQ(card.location, "0000:00:06.0");
  EXPECT_EQ(card.origin, "/sys/bus/pci/devices/0000:00:06.0");
  EXPECT_EQ(card.power.value, "active");
  EXPECT_EQ(card.link.generation.value, 5U);
  EXPECT_EQ(card.link.width.value, 16U);
  EXPECT_EQ(card.link.most_generation.value, 5U);
  EXPECT_FALSE(card.link.slot_generation);  // a virtual machine: no port above
  EXPECT_FALSE(card.numa_node);
  EXPECT_EQ(card.window_bytes.value, std::uint64_t{1} << 38U);
  EXPECT_FALSE(card.boot_display);
  EXPECT_FALSE(card.memory_bytes);
}

TEST(PciFactsLinux, ASleepingCardIsLeftAlone) {
  const FakeHost fake("linux");
  Files files = card_files("0x10de", "0x28a0", "0x030200");
  files["power/runtime_status"] = "suspended";
  files["power/control"] = "auto";
  add(fake, "0000:01:00.0", files);
  // FIFOs in place of what must not be read: reading one would leave a fault.
  for (const char* name :
       {"config", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width"}) {
    ASSERT_EQ(::mkfifo(fake.path(std::string(kBus) + "0000:01:00.0/" + name).c_str(), 0600), 0);
  }
  const HardwareFacts facts = observe_hardware(fake.host());
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.devices[0].power.value, "suspended");
  EXPECT_EQ(facts.devices[0].power_control.value, "auto");
  EXPECT_FALSE(facts.devices[0].link.generation);
  EXPECT_FALSE(facts.devices[0].link.generation.fault);
  EXPECT_EQ(facts.devices[0].link.generation.origin, "");
}

TEST(PciFactsLinux, TheSlotTellsWhatItCan) {
  const FakeHost fake("linux");
  const std::string port = "sys/devices/pci0000:00/0000:00:01.0/";
  fake.write(port + "max_link_speed", "8.0 GT/s PCIe\n");
  fake.write(port + "max_link_width", "4\n");
  for (const auto& [name, text] : card_files("0x10de", "0x2782", "0x030000")) {
    fake.write(port + "0000:01:00.0/" + name, text + "\n");
  }
  fake.make_folder(kBus);
  std::filesystem::create_directory_symlink("../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0",
                                            fake.path(std::string(kBus) + "0000:01:00.0"));
  const HardwareFacts facts = observe_hardware(fake.host());
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.devices[0].link.slot_generation.value, 3U);
  EXPECT_EQ(facts.devices[0].link.slot_width.value, 4U);
  EXPECT_EQ(facts.devices[0].link.slot_width.origin,
            "/sys/devices/pci0000:00/0000:00:01.0/max_link_width");
}

TEST(PciFactsLinux, OtherVendorsAndSwitches) {
  const FakeHost fake("linux");
  add(fake, "0000:00:02.0", card_files("0x8086", "0xa780", "0x030000"));
  fake.write(std::string(kBus) + "0000:00:02.0/boot_vga", "1\n");
  add(fake, "0000:03:00.0", card_files("0x1002", "0x744c", "0x030000"));
  fake.write(std::string(kBus) + "0000:03:00.0/mem_info_vram_total", "25753026560\n");
  std::filesystem::create_symlink("../../../bus/pci/drivers/amdgpu",
                                  fake.path(std::string(kBus) + "0000:03:00.0/driver"));
  add(fake, "0000:05:00.0", card_files("0x10de", "0x22a3", "0x068000"));
  add(fake, "0000:05:00.1", card_files("0x10de", "0x22bc", "0x040300"));
  add(fake, "0001:00:00.0", card_files("0x1414", "0x008e", "0x030200"));
  const HardwareFacts facts = observe_hardware(fake.host());
  ASSERT_EQ(facts.devices.size(), 3U);
  EXPECT_EQ(facts.devices[0].vendor_name, "Intel");
  EXPECT_EQ(facts.devices[0].boot_display.value, true);
  EXPECT_EQ(facts.devices[1].memory_bytes.value, 25753026560U);
  EXPECT_EQ(facts.devices[2].vendor_name, "Microsoft");
  EXPECT_EQ(facts.nvswitches, std::vector<std::string>{"0000:05:00.0"});
}

TEST(PciFactsLinux, OneDamagedDeviceHidesNoOther) {
  const FakeHost fake("linux");
  add(fake, "0000:01:00.0", card_files("nonsense\x1b", "0x2782", "0x030000"));
  add(fake, "0000:02:00.0", card_files("0x10de", "0x12782", "0x030000"));
  Files odd = card_files("0x10de", "0x2782", "0x030000");
  odd["current_link_speed"] = "Unknown";
  odd["current_link_width"] = "255";
  odd["resource"] = "\xff\xfe";
  add(fake, "0000:04:00.0", odd);
  const HardwareFacts facts = observe_hardware(fake.host());
  ASSERT_EQ(facts.damaged.size(), 2U);
  EXPECT_EQ(facts.damaged[0].where, "/sys/bus/pci/devices/0000:01:00.0/vendor");
  EXPECT_NE(facts.damaged[0].what.find("nonsense\\x1b"), std::string::npos);
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_FALSE(facts.devices[0].link.generation);
  EXPECT_FALSE(facts.devices[0].link.width);
  EXPECT_FALSE(facts.devices[0].window_bytes);
}

}  // namespace
}  // namespace plumb
