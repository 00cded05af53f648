// SPDX-License-Identifier: Apache-2.0
#pragma once
// Display and 3D controllers on the PCI bus, from sysfs or from Windows' configuration manager;
// wakes no card. pci_devices_linux.cc / pci_devices_win32.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace plumb {

struct PciDevice {
  std::uint16_t vendor = 0;  // 0x10de NVIDIA
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0;
  std::uint16_t subsystem_device = 0;
  std::uint32_t class_code = 0;  // 24 bits: 0x030000 VGA, 0x030200 3D controller
  std::string location;          // Linux "0000:01:00.0"; Windows the instance id
  std::string driver;  // bound kernel driver / service ("nvidia", "nouveau", "nvlddmkm"); "" = none
  std::uint32_t problem = 0;  // Windows: CM_PROB_*; 0 = none
  std::string origin;         // where it was read
  /// Windows only. Link speeds are PCI Express generations; the current ones fall while idle.
  std::optional<std::uint32_t> link_generation, link_width, most_link_generation, most_link_width;
  std::optional<std::uint32_t> numa_node;
};

/// Display-class devices (base class 03) of any vendor, sorted by location. `root` is "/" outside
/// tests. A system without PCI gives an empty list; an unreadable one an error.
[[nodiscard]] Result<std::vector<PciDevice>> list_display_devices(const std::string& root = "/");

}  // namespace plumb
