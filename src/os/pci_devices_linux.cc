// SPDX-License-Identifier: Apache-2.0
// sysfs keeps the ids that the kernel read when it found the device, so reading them touches no
// hardware. `config` and the link speeds would wake a sleeping card: never read here.
#include "os/pci_devices.h"

#include <unistd.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "os/file.h"

namespace plumb {
namespace {

Result<std::uint32_t> read_hex(const std::string& folder, const char* name) {
  const std::string path = join_path(folder, name);
  auto text = read_text_file(path, 4096);
  if (!text) {
    return std::unexpected(std::move(text).error().in(path));
  }
  std::string_view digits = trim(*text);
  if (digits.starts_with("0x")) {
    digits.remove_prefix(2);
  }
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return std::unexpected(
        Error{ErrorCode::malformed, "is no hexadecimal number: " + printable(digits), path, {}});
  }
  return value;
}

Result<std::uint16_t> read_id(const std::string& folder, const char* name) {
  PLUMB_ASSIGN(const std::uint32_t value, read_hex(folder, name));
  return static_cast<std::uint16_t>(value);
}

// The driver's name is where the link points to; without a driver there is no link.
std::string bound_driver(const std::string& folder) {
  std::array<char, 4096> target{};
  const ssize_t length =
      ::readlink(join_path(folder, "driver").c_str(), target.data(), target.size());
  if (length <= 0) {
    return {};
  }
  return std::string(file_name({target.data(), static_cast<std::size_t>(length)}));
}

}  // namespace

Result<std::vector<PciDevice>> list_display_devices(const std::string& root) {
  constexpr std::uint32_t kDisplay = 0x03;
  const std::string bus = join_path(root, "sys/bus/pci/devices");
  auto entries = list_directory(bus);
  if (!entries) {
    if (entries.error().code == ErrorCode::not_found) {
      return std::vector<PciDevice>{};
    }
    return std::unexpected(std::move(entries).error().in(bus));
  }
  std::vector<PciDevice> devices;
  for (const DirectoryEntry& entry : *entries) {
    PciDevice device;
    device.location = entry.name;
    device.origin = join_path(bus, entry.name);
    const auto class_code = read_hex(device.origin, "class");
    if (!class_code) {
      if (class_code.error().code == ErrorCode::not_found) {
        continue;  // taken away in between
      }
      return std::unexpected(class_code.error());
    }
    if (*class_code >> 16U != kDisplay) {
      continue;
    }
    device.class_code = *class_code;
    PLUMB_ASSIGN(device.vendor, read_id(device.origin, "vendor"));
    PLUMB_ASSIGN(device.device, read_id(device.origin, "device"));
    // Old bridges' files may lack these; the two ids above name the chip anyway.
    device.subsystem_vendor = read_id(device.origin, "subsystem_vendor").value_or(0);
    device.subsystem_device = read_id(device.origin, "subsystem_device").value_or(0);
    device.driver = bound_driver(device.origin);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace plumb
