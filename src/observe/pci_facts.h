// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cards on the PCI bus: of Linux from sysfs (kernel: Documentation/ABI/testing/sysfs-bus-pci), of
// Windows from windows_display.h. Wakes no card. Under WSL the bus shows Microsoft's virtual device
// only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/gpu_hardware.h"
#include "observe/host.h"

namespace plumb {

inline constexpr std::uint16_t kNvidiaVendor = 0x10de;
inline constexpr std::uint32_t kDisplayBaseClass = 0x03;
inline constexpr std::uint32_t kOtherBridgeClass = 0x0680;  // NVIDIA's: NVSwitch

[[nodiscard]] HardwareFacts observe_hardware(const Host& host);

/// "NVIDIA", "AMD", "Intel", "Microsoft", else the number: "0x1a03".
[[nodiscard]] std::string pci_vendor_name(std::uint16_t vendor);

/// "32.0 GT/s PCIe", "8 GT/s" -> 5, 3; empty for "Unknown".
[[nodiscard]] std::optional<std::uint32_t> pcie_generation(std::string_view speed);

/// The largest prefetchable memory window of a `resource` file; empty if there is none.
[[nodiscard]] std::optional<std::uint64_t> largest_window(std::string_view resource);

}  // namespace plumb
