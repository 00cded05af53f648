// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows names PCI devices by text. Plain functions, so that they are tested on every system.

#include <cstdint>
#include <optional>
#include <string_view>

#include "os/pci_devices.h"

namespace plumb {

/// The four ids of `PCI\VEN_10DE&DEV_2782&SUBSYS_513417AA&REV_A1\4&3674A6B9&0&0008`; the instance
/// id itself becomes the location. Empty for ids of other buses (`ROOT\...`, `SWD\...`) and for
/// damaged ones. Letters' case is ignored.
[[nodiscard]] std::optional<PciDevice> parse_pci_instance_id(std::string_view id);

/// The class code of a compatible id: `PCI\VEN_10DE&CC_030200` or `PCI\CC_0302` -> 0x030200. Empty
/// if it names none.
[[nodiscard]] std::optional<std::uint32_t> parse_pci_class(std::string_view compatible_id);

}  // namespace plumb
