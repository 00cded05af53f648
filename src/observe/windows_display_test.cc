// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_display.h"

#include <gtest/gtest.h>

#include "observe/pci_facts.h"
#include "observe/registry_export_test.h"

namespace plumb {
namespace {

using test::exported_list;

constexpr const char* kEnum = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Enum\\PCI\\";
constexpr const char* kClass =
    "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Class\\"
    "{4d36e968-e325-11ce-bfc1-08002be10318}\\";
constexpr const char* kDisplayGuid = "\"ClassGUID\"=\"{4d36e968-e325-11ce-bfc1-08002be10318}\"\n";
constexpr const char* kCard = "VEN_10DE&DEV_2484&SUBSYS_39033842&REV_A1\\4&3674a6b9&0&0008";

std::string a_laptop() {
  std::string text = "Windows Registry Editor Version 5.00\n\n";
  text += std::string(kEnum) + kCard + "]\n" + kDisplayGuid +
          "\"DeviceDesc\"=\"@oem12.inf,%nvidia_dev.2484%;NVIDIA GeForce RTX 3070\"\n"
          "\"Driver\"=\"{4d36e968-e325-11ce-bfc1-08002be10318}\\\\0001\"\n"
          "\"Service\"=\"nvlddmkm\"\n"
          "\"ConfigFlags\"=dword:00000000\n"
          "\"LocationInformation\"=\"@System32\\\\drivers\\\\pci.sys,#65536;PCI bus %1, device "
          "%2, function %3;(1,0,0)\"\n"
          "\"CompatibleIDs\"=" +
          exported_list({"PCI\\VEN_10DE&DEV_2484&REV_A1", "PCI\\VEN_10DE&CC_030000"}) + "\n";
  text += std::string(kEnum) + "VEN_8086&DEV_A780&SUBSYS_00000000&REV_04\\3&11583659&0&10]\n" +
          kDisplayGuid + "\"Service\"=\"igfxn\"\n\"ConfigFlags\"=dword:00000001\n";
  text += std::string(kEnum) + "VEN_10DE&DEV_228B&SUBSYS_00000000&REV_A1\\4&3674a6b9&0&0108]\n" +
          "\"CompatibleIDs\"=" + exported_list({"PCI\\CC_0403"}) + "\n";
  text += std::string(kEnum) + "VEN_10DE&DEV_22A3&SUBSYS_00000000&REV_A1\\4&1&0&0008]\n" +
          "\"CompatibleIDs\"=" + exported_list({"PCI\\CC_068000"}) + "\n";
  text += std::string(kClass) +
          "0001]\n"
          "\"DriverDesc\"=\"NVIDIA GeForce RTX 3070\"\n"
          "\"ProviderName\"=\"NVIDIA\"\n"
          "\"DriverVersion\"=\"32.0.15.6094\"\n"
          "\"DriverDate\"=\"8-14-2024\"\n"
          "\"MatchingDeviceId\"=\"pci\\\\ven_10de&dev_2484\"\n"
          "\"InfPath\"=\"oem12.inf\"\n"
          "\"AdapterType\"=dword:00000001\n"
          "\"HardwareInformation.qwMemorySize\"=hex(b):00,00,00,00,02,00,00,00\n";
  return text;
}

const GpuDevice* find_card(const HardwareFacts& facts, std::uint16_t device) {
  for (const GpuDevice& card : facts.devices) {
    if (card.device == device) {
      return &card;
    }
  }
  return nullptr;
}

TEST(WindowsDisplay, TheRegistrysCardsAndTheirDrivers) {
  const HardwareFacts facts = registry_hardware(*registry_of_export(a_laptop()));
  ASSERT_EQ(facts.devices.size(), 2U);
  const GpuDevice* card = find_card(facts, 0x2484);
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->presence, Presence::unknown);
  EXPECT_EQ(card->vendor_name, "NVIDIA");
  EXPECT_EQ(card->subsystem_vendor, 0x3842);
  EXPECT_EQ(card->class_code, 0x030000U);
  EXPECT_EQ(card->driver, "nvlddmkm");
  EXPECT_EQ(card->name, "NVIDIA GeForce RTX 3070");
  EXPECT_EQ(card->place, "(1,0,0)");
  EXPECT_EQ(card->memory_bytes.value, 0x200000000U);
  ASSERT_TRUE(card->display_key);
  EXPECT_EQ(card->display_key->release.value, "560.94");
  EXPECT_EQ(card->display_key->date.value, "8-14-2024");
  EXPECT_EQ(card->display_key->inf.value, "oem12.inf");
  EXPECT_EQ(card->display_key->adapter_type.value, 1U);
  EXPECT_FALSE(card->display_key->memory_capped);
  EXPECT_FALSE(card->disabled);
  const GpuDevice* other = find_card(facts, 0xa780);
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->disabled);
  EXPECT_FALSE(other->display_key);
  EXPECT_EQ(facts.nvswitches.size(), 1U);
}

TEST(WindowsDisplay, MemoryInItsOlderForms) {
  std::string text = a_laptop();
  const std::string whole = "qwMemorySize\"=hex(b):00,00,00,00,02,00,00,00";
  text.replace(text.find(whole), whole.size(), "MemorySize\"=hex:00,00,f0,ff");
  const HardwareFacts facts = registry_hardware(*registry_of_export(text));
  const GpuDevice* card = find_card(facts, 0x2484);
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->memory_bytes.value, 0xfff00000U);
  EXPECT_TRUE(card->display_key->memory_capped);
}

TEST(WindowsDisplay, ValuesOfWrongTypesAreUnreadableNotTaken) {
  std::string text = a_laptop();
  const std::string version = "\"DriverVersion\"=\"32.0.15.6094\"";
  text.replace(text.find(version), version.size(), "\"DriverVersion\"=dword:00000001");
  const std::string memory = "hex(b):00,00,00,00,02,00,00,00";
  text.replace(text.find(memory), memory.size(), "hex(b):00,01");
  const HardwareFacts facts = registry_hardware(*registry_of_export(text));
  const GpuDevice* card = find_card(facts, 0x2484);
  ASSERT_NE(card, nullptr);
  EXPECT_TRUE(card->display_key->version.fault);
  EXPECT_FALSE(card->display_key->release);
  EXPECT_TRUE(card->memory_bytes.fault);
}

TEST(WindowsDisplay, BasicDisplayAdapterHasNoReleaseOfNvidia) {
  std::string text = a_laptop();
  const std::string version = "32.0.15.6094";
  text.replace(text.find(version), version.size(), "10.0.26100.1");
  const HardwareFacts facts = registry_hardware(*registry_of_export(text));
  EXPECT_FALSE(find_card(facts, 0x2484)->display_key->release);
}

TEST(WindowsDisplay, TheConfigurationManagerSaysWhatIsThere) {
  PciDevice card;
  card.vendor = 0x10de;
  card.device = 0x2484;
  card.class_code = 0x030000;
  card.location = "PCI\\VEN_10DE&DEV_2484&SUBSYS_39033842&REV_A1\\4&3674A6B9&0&0008";
  card.driver = "nvlddmkm";
  card.problem = 43;
  card.most_link_width = 16;
  card.origin = "configuration manager";
  PciDevice fresh = card;
  fresh.device = 0x2684;
  fresh.location = "PCI\\VEN_10DE&DEV_2684\\9";
  fresh.driver = "";
  const HardwareFacts facts =
      join_hardware(registry_hardware(*registry_of_export(a_laptop())), {card, fresh});
  ASSERT_EQ(facts.devices.size(), 2U);  // Intel's is not there
  const GpuDevice* known = find_card(facts, 0x2484);
  EXPECT_EQ(known->presence, Presence::present);
  EXPECT_EQ(known->problem, 43U);
  EXPECT_EQ(known->link.most_width.value, 16U);
  EXPECT_FALSE(known->link.width);
  EXPECT_TRUE(known->display_key);
  EXPECT_EQ(find_card(facts, 0x2684)->presence, Presence::present);
}

TEST(WindowsDisplay, ACardThatWasTakenOutIsGone) {
  const HardwareFacts facts = join_hardware(registry_hardware(*registry_of_export(a_laptop())), {});
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.devices[0].presence, Presence::gone);
}

TEST(WindowsDisplay, DamagedIdsAreLeftOut) {
  const HardwareFacts facts = registry_hardware(*registry_of_export(
      std::string(kEnum) + "VEN_ZZ&DEV_2484\\4]\n" + kDisplayGuid + kEnum + "\\\\\\]\n"));
  EXPECT_TRUE(facts.devices.empty());
  EXPECT_FALSE(facts.fault);
}

}  // namespace
}  // namespace plumb
