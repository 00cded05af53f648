// SPDX-License-Identifier: Apache-2.0
#include "os/pci_devices.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

// Under Wine there are none or a made-up one, on a real machine at least one; either must be read
// without an error.
TEST(PciDevicesWin32, ReadsThisMachine) {
  const auto devices = list_display_devices();
  ASSERT_TRUE(devices) << devices.error().what;
  for (const PciDevice& device : *devices) {
    EXPECT_EQ(device.class_code >> 16U, 0x03U) << device.location;
    EXPECT_TRUE(device.location.starts_with("PCI\\")) << device.location;
  }
}

}  // namespace
}  // namespace plumb
