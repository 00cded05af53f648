// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cards as Windows keeps them: HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI and the keys of the
// display class, which the drivers write. The registry remembers cards that were taken out; which
// are there, and with what trouble, only the running system's configuration manager says.

#include <vector>

#include "facts/gpu_hardware.h"
#include "observe/host.h"
#include "os/pci_devices.h"

namespace plumb {

[[nodiscard]] HardwareFacts observe_windows_hardware(const Host& host);

/// Every display device that the registry knows; presence is unknown.
[[nodiscard]] HardwareFacts registry_hardware(const Registry& registry);

/// The registry's devices with what the configuration manager says of those that are there;
/// NVIDIA's that it does not name are gone, others that it does not name are left out.
[[nodiscard]] HardwareFacts join_hardware(HardwareFacts registry,
                                          const std::vector<PciDevice>& present);

}  // namespace plumb
