// SPDX-License-Identifier: Apache-2.0
#include "os/pci_devices.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace plumb {
namespace {

using test::TempFolder;

constexpr const char* kBus = "sys/bus/pci/devices/";

void add_device(const TempFolder& root, const std::string& location, const std::string& vendor,
                const std::string& device, const std::string& class_code) {
  const std::string folder = kBus + location;
  root.write(folder + "/vendor", vendor + "\n");
  root.write(folder + "/device", device + "\n");
  root.write(folder + "/class", class_code + "\n");
  root.write(folder + "/subsystem_vendor", "0x17aa\n");
  root.write(folder + "/subsystem_device", "0x5134\n");
}

void bind(const TempFolder& root, const std::string& location, const std::string& driver) {
  std::filesystem::create_symlink("../../../bus/pci/drivers/" + driver,
                                  root.native(kBus + location + "/driver"));
}

TEST(PciDevicesLinux, ListsDisplayDevicesOfAnyVendor) {
  const TempFolder root;
  add_device(root, "0000:41:00.0", "0x10de", "0x2335", "0x030200");
  bind(root, "0000:41:00.0", "nvidia");
  add_device(root, "0000:00:02.0", "0x8086", "0xa780", "0x030000");
  bind(root, "0000:00:02.0", "i915");
  add_device(root, "0000:41:00.1", "0x10de", "0x22bc", "0x040300");  // the card's audio
  add_device(root, "0000:00:00.0", "0x8086", "0x4660", "0x060000");
  add_device(root, "0001:00:00.0", "0x1414", "0x008e", "0x030200");  // WSL's virtual GPU
  const auto devices = list_display_devices(root.path());
  ASSERT_TRUE(devices) << devices.error().what;
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_EQ((*devices)[0].location, "0000:00:02.0");
  EXPECT_EQ((*devices)[0].driver, "i915");
  const PciDevice& card = (*devices)[1];
  EXPECT_EQ(card.vendor, 0x10de);
  EXPECT_EQ(card.device, 0x2335);
  EXPECT_EQ(card.subsystem_vendor, 0x17aa);
  EXPECT_EQ(card.subsystem_device, 0x5134);
  EXPECT_EQ(card.class_code, 0x030200U);
  EXPECT_EQ(card.driver, "nvidia");
  EXPECT_EQ(card.problem, 0U);
  EXPECT_EQ(card.origin, root.path("sys/bus/pci/devices/0000:41:00.0"));
  EXPECT_EQ((*devices)[2].vendor, 0x1414);
  EXPECT_EQ((*devices)[2].driver, "");
}

TEST(PciDevicesLinux, ReadsNothingThatCouldWakeACard) {
  const TempFolder root;
  add_device(root, "0000:01:00.0", "0x10de", "0x2782", "0x030000");
  // FIFOs in place of the files that must not be read: reading one would be an error.
  for (const char* name :
       {"config", "current_link_speed", "current_link_width", "max_link_width", "resource0"}) {
    ASSERT_EQ(::mkfifo(root.path(std::string(kBus) + "0000:01:00.0/" + name).c_str(), 0600), 0);
  }
  const auto devices = list_display_devices(root.path());
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->size(), 1U);
}

TEST(PciDevicesLinux, NoPciBusIsNoError) {
  const TempFolder root;
  const auto devices = list_display_devices(root.path());
  ASSERT_TRUE(devices);
  EXPECT_TRUE(devices->empty());
}

TEST(PciDevicesLinux, NamesTheFileThatIsDamaged) {
  const TempFolder root;
  add_device(root, "0000:01:00.0", "nonsense\x1b", "0x2782", "0x030000");
  const auto devices = list_display_devices(root.path());
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().what, "is no hexadecimal number: nonsense\\x1b");
  EXPECT_EQ(devices.error().where, root.path("sys/bus/pci/devices/0000:01:00.0/vendor"));
}

TEST(PciDevicesLinux, WorksWithoutSubsystemIds) {
  const TempFolder root;
  add_device(root, "0000:01:00.0", "0x10de", "0x2782", "0x030000");
  std::filesystem::remove(root.native("sys/bus/pci/devices/0000:01:00.0/subsystem_vendor"));
  EXPECT_EQ(list_display_devices(root.path()).value().front().subsystem_vendor, 0);
}

TEST(PciDevicesLinux, ReadsThisMachine) {
  EXPECT_TRUE(list_display_devices());
}

}  // namespace
}  // namespace plumb
