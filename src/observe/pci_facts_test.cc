// SPDX-License-Identifier: Apache-2.0
#include "observe/pci_facts.h"

#include <gtest/gtest.h>

#include "observe/fake_host_test.h"

namespace plumb {
namespace {

using test::FakeHost;

TEST(PciFacts, SpeedsAreGenerations) {
  EXPECT_EQ(pcie_generation("2.5 GT/s PCIe"), 1U);
  EXPECT_EQ(pcie_generation("8 GT/s"), 3U);
  EXPECT_EQ(pcie_generation("32.0 GT/s PCIe"), 5U);
  EXPECT_FALSE(pcie_generation("Unknown"));
  EXPECT_FALSE(pcie_generation(""));
}

TEST(PciFacts, TheLargestWindowIsTheCardsMemory) {
  // A real H200: 64-bit windows take two lines each.
  EXPECT_EQ(largest_window("0x0000104002000000 0x0000104002ffffff 0x000000000014220c\n"
                           "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                           "0x0000100000000000 0x0000103fffffffff 0x000000000014220c\n"
                           "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                           "0x0000104000000000 0x0000104001ffffff 0x000000000014220c\n"),
            std::uint64_t{1} << 38U);
}

TEST(PciFacts, WindowsThatAreNotMemoryOrDamagedDoNotCount) {
  EXPECT_FALSE(
      largest_window("0x1000 0x1fff 0x200\nnonsense\n0x0 0xffffffffffffffff 0x2200\n"
                     "0x9000 0x1000 0x2200\n"));
  // Line 7 is the window of virtual functions.
  EXPECT_FALSE(largest_window("\n\n\n\n\n\n\n0x0 0xffff 0x2200\n"));
}

TEST(PciFacts, VendorsHaveNamesOrNumbers) {
  EXPECT_EQ(pci_vendor_name(0x10de), "NVIDIA");
  EXPECT_EQ(pci_vendor_name(0x1002), "AMD");
  EXPECT_EQ(pci_vendor_name(0x8086), "Intel");
  EXPECT_EQ(pci_vendor_name(0x1414), "Microsoft");
  EXPECT_EQ(pci_vendor_name(0x1a03), "0x1a03");
}

TEST(PciFacts, AMachineWithoutPciIsNoFault) {
  for (const char* system : {"linux", "windows"}) {
    const FakeHost fake(system);
    const HardwareFacts facts = observe_hardware(fake.host());
    EXPECT_FALSE(facts.fault) << system;
    EXPECT_TRUE(facts.devices.empty()) << system;
  }
}

TEST(PciFacts, ReadsThisMachine) {
  const HardwareFacts facts = observe_hardware(this_host());
  EXPECT_FALSE(facts.fault);
  for (const GpuDevice& card : facts.devices) {
    EXPECT_NE(card.vendor, 0) << card.location;
    EXPECT_FALSE(card.origin.empty()) << card.location;
  }
}

}  // namespace
}  // namespace plumb
