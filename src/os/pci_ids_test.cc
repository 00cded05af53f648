// SPDX-License-Identifier: Apache-2.0
#include "os/pci_ids.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(PciInstanceId, GivesTheFourIds) {
  const std::string_view id = "PCI\\VEN_10DE&DEV_2782&SUBSYS_513417AA&REV_A1\\4&3674a6b9&0&0008";
  const auto device = parse_pci_instance_id(id);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->vendor, 0x10de);
  EXPECT_EQ(device->device, 0x2782);
  EXPECT_EQ(device->subsystem_device, 0x5134);
  EXPECT_EQ(device->subsystem_vendor, 0x17aa);
  EXPECT_EQ(device->location, id);
}

TEST(PciInstanceId, IgnoresCaseAndMissingSubsystem) {
  const auto device = parse_pci_instance_id("pci\\ven_1414&dev_008e\\1");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->vendor, 0x1414);
  EXPECT_EQ(device->device, 0x008e);
  EXPECT_EQ(device->subsystem_vendor, 0);
}

TEST(PciInstanceId, RefusesOtherBusesAndDamage) {
  for (const char* id :
       {"", "PCI", "PCI\\", "ROOT\\BasicDisplay\\0000", "SWD\\VEN_10DE&DEV_2782\\1",
        "VMBUS\\{guid}\\1", "PCI\\VEN_10DE\\1", "PCI\\VEN_10DE&DEV_27\\1",
        "PCI\\VEN_10DE&DEV_27821\\1", "PCI\\VEN_XXXX&DEV_2782\\1", "PCI\\X\\VEN_10DE&DEV_2782"}) {
    EXPECT_FALSE(parse_pci_instance_id(id)) << id;
  }
  EXPECT_EQ(parse_pci_instance_id("PCI\\VEN_10DE&DEV_2782&SUBSYS_5134\\1")->subsystem_device, 0);
}

TEST(PciClass, ComesFromCompatibleIds) {
  EXPECT_EQ(parse_pci_class("PCI\\VEN_10DE&DEV_2335&CC_030200"), 0x030200U);
  EXPECT_EQ(parse_pci_class("PCI\\CC_0302"), 0x030200U);
  EXPECT_EQ(parse_pci_class("pci\\cc_040300"), 0x040300U);
  EXPECT_FALSE(parse_pci_class("PCI\\VEN_10DE&DEV_2335&REV_A1"));
  EXPECT_FALSE(parse_pci_class("PCI\\CC_03"));
  EXPECT_FALSE(parse_pci_class("USB\\CC_0300"));
}

}  // namespace
}  // namespace plumb
