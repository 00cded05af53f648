// SPDX-License-Identifier: Apache-2.0
#include "os/pci_ids.h"

#include <charconv>
#include <string>

#include "base/text.h"

namespace plumb {
namespace {

std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

// What follows `name` in "PCI\A_1&B_2\instance" (in lower case), if it has just `digits` digits.
std::optional<std::uint32_t> field(std::string_view id, std::string_view name, std::size_t digits) {
  constexpr std::string_view kBus = "pci\\";
  if (!id.starts_with(kBus)) {
    return std::nullopt;
  }
  id.remove_prefix(kBus.size());
  for (const std::string_view part : split(id.substr(0, id.find('\\')), '&')) {
    if (part.starts_with(name) && part.size() == name.size() + digits) {
      return parse_hex(part.substr(name.size()));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PciDevice> parse_pci_instance_id(std::string_view id) {
  const std::string lower = to_lower_ascii(id);
  const auto vendor = field(lower, "ven_", 4);
  const auto device = field(lower, "dev_", 4);
  if (!vendor || !device) {
    return std::nullopt;
  }
  PciDevice result;
  result.vendor = static_cast<std::uint16_t>(*vendor);
  result.device = static_cast<std::uint16_t>(*device);
  if (const auto subsystem = field(lower, "subsys_", 8)) {  // the device first, then its vendor
    result.subsystem_device = static_cast<std::uint16_t>(*subsystem >> 16U);
    result.subsystem_vendor = static_cast<std::uint16_t>(*subsystem & 0xffffU);
  }
  result.location = id;
  return result;
}

std::optional<std::uint32_t> parse_pci_class(std::string_view compatible_id) {
  const std::string lower = to_lower_ascii(compatible_id);
  if (const auto whole = field(lower, "cc_", 6)) {
    return whole;
  }
  if (const auto without_interface = field(lower, "cc_", 4)) {
    return *without_interface << 8U;
  }
  return std::nullopt;
}

}  // namespace plumb
