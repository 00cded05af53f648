// SPDX-License-Identifier: Apache-2.0
// sysfs keeps the ids, the windows and the power state that the kernel knows; reading them touches
// no hardware. The link files do: kernels of late 2025 resume a sleeping card to answer, older ones
// answer rubbish. So power/runtime_status is read first, and the link only of a card that is
// active, or under a kernel without power management, where no card sleeps.
#include "observe/pci_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/text.h"
#include "observe/host_files.h"
#include "observe/windows_display.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kBus = "/sys/bus/pci/devices";
constexpr std::size_t kMostDevices = 1024;  // of one kind
constexpr std::size_t kBaseWindows = 6;     // lines of `resource`; then ROM, virtual functions
constexpr std::uint64_t kMemoryFlag = 0x200;
constexpr std::uint64_t kPrefetchFlag = 0x2000;

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

Result<std::uint32_t> read_hex(const Host& host, const std::string& path, std::uint32_t most) {
  const Fact<std::string> line = line_fact(host, path);
  if (!line) {
    return std::unexpected(
        line.fault.value_or(Error{ErrorCode::not_found, "no such file or folder", path, {}}));
  }
  const auto value = parse_hex(*line.value);
  if (!value || *value > most) {
    return std::unexpected(Error{ErrorCode::malformed,
                                 "is no hexadecimal number of a device: " + printable(*line.value),
                                 path,
                                 {}});
  }
  return static_cast<std::uint32_t>(*value);
}

Result<std::uint16_t> read_id(const Host& host, const std::string& path) {
  PLUMB_ASSIGN(const std::uint32_t value,
               read_hex(host, path, std::numeric_limits<std::uint16_t>::max()));
  return static_cast<std::uint16_t>(value);
}

/// The kernel says "Unknown" for a card that did not answer: then nothing is known.
Fact<std::uint32_t> generation_fact(const Host& host, const std::string& path) {
  const Fact<std::string> line = line_fact(host, path);
  if (!line) {
    return without_value<std::uint32_t>(line);
  }
  const auto generation = pcie_generation(*line.value);
  return generation ? Fact<std::uint32_t>::present(*generation, path)
                    : Fact<std::uint32_t>::absent(path);
}

Fact<std::uint32_t> width_fact(const Host& host, const std::string& path) {
  const Fact<std::uint64_t> lanes = number_fact(host, path);
  if (!lanes) {
    return without_value<std::uint32_t>(lanes);
  }
  // 0 and 255 stand for no link.
  return *lanes.value > 0 && *lanes.value <= 32
             ? Fact<std::uint32_t>::present(static_cast<std::uint32_t>(*lanes.value), path)
             : Fact<std::uint32_t>::absent(path);
}

PciLink read_link_state(const Host& host, const std::string& folder) {
  PciLink link;
  link.generation = generation_fact(host, folder + "/current_link_speed");
  link.width = width_fact(host, folder + "/current_link_width");
  link.most_generation = generation_fact(host, folder + "/max_link_speed");
  link.most_width = width_fact(host, folder + "/max_link_width");
  // The bus' folder holds links into the tree of devices, where the port is the folder above.
  constexpr std::string_view kToTree = "../../../devices/";
  const auto target = read_link(host.at(folder));
  if (target && target->starts_with(kToTree)) {
    const std::string port =
        "/sys/devices/" + std::string(parent_path(target->substr(kToTree.size())));
    if (exists(host, port + "/max_link_speed")) {
      link.slot_generation = generation_fact(host, port + "/max_link_speed");
      link.slot_width = width_fact(host, port + "/max_link_width");
    }
  }
  return link;
}

Fact<bool> flag_fact(const Host& host, const std::string& path) {
  const Fact<std::uint64_t> number = number_fact(host, path);
  return number ? Fact<bool>::present(*number.value != 0, path) : without_value<bool>(number);
}

Fact<std::uint32_t> numa_fact(const Host& host, const std::string& path) {
  const Fact<std::string> line = line_fact(host, path);
  if (!line) {
    return without_value<std::uint32_t>(line);
  }
  const auto node = parse_decimal(*line.value);
  return node && *node <= 0xffff
             ? Fact<std::uint32_t>::present(static_cast<std::uint32_t>(*node), path)
             : Fact<std::uint32_t>::absent(path);
}

Fact<std::uint64_t> window_fact(const Host& host, const std::string& path) {
  const auto text = read_text_file(host.at(path), 64 << 10);
  if (!text) {
    return fact_of_error<std::uint64_t>(text.error(), path);
  }
  const auto size = largest_window(*text);
  return size ? Fact<std::uint64_t>::present(*size, path) : Fact<std::uint64_t>::absent(path);
}

Result<GpuDevice> read_device(const Host& host, const std::string& name, std::uint32_t class_code) {
  const std::string folder = std::string(kBus) + "/" + name;
  GpuDevice card;
  card.location = name;
  card.origin = folder;
  card.class_code = class_code;
  PLUMB_ASSIGN(card.vendor, read_id(host, folder + "/vendor"));
  PLUMB_ASSIGN(card.device, read_id(host, folder + "/device"));
  card.subsystem_vendor = read_id(host, folder + "/subsystem_vendor").value_or(0);
  card.subsystem_device = read_id(host, folder + "/subsystem_device").value_or(0);
  card.vendor_name = pci_vendor_name(card.vendor);
  card.is_nvidia = card.vendor == kNvidiaVendor;
  if (const auto driver = read_link(host.at(folder + "/driver"))) {
    card.driver = base_name(*driver);
  }
  card.power = line_fact(host, folder + "/power/runtime_status");
  card.power_control = line_fact(host, folder + "/power/control");
  const bool no_power_management = !card.power && !card.power.fault;
  if (no_power_management || card.power.value == "active") {
    card.link = read_link_state(host, folder);
    if (card.driver == "amdgpu") {
      card.memory_bytes = number_fact(host, folder + "/mem_info_vram_total");
    }
  }
  card.numa_node = numa_fact(host, folder + "/numa_node");
  card.window_bytes = window_fact(host, folder + "/resource");
  card.boot_display = flag_fact(host, folder + "/boot_vga");
  return card;
}

HardwareFacts observe_sysfs(const Host& host) {
  HardwareFacts facts;
  const auto entries = list_directory(host.at(kBus));
  if (!entries) {
    if (entries.error().code != ErrorCode::not_found) {  // a machine without PCI has no such folder
      facts.fault = Error(entries.error()).in(kBus);
    }
    return facts;
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string folder = std::string(kBus) + "/" + entry.name;
    const auto class_code = read_hex(host, folder + "/class", 0xffffff);
    if (!class_code) {
      if (class_code.error().code != ErrorCode::not_found &&
          facts.damaged.size() < kMostDevices) {  // else it was taken away in between
        facts.damaged.push_back(class_code.error());
      }
      continue;
    }
    if (*class_code >> 8U == kOtherBridgeClass && facts.nvswitches.size() < kMostDevices) {
      if (read_id(host, folder + "/vendor").value_or(0) == kNvidiaVendor) {
        facts.nvswitches.push_back(entry.name);
      }
      continue;
    }
    if (*class_code >> 16U != kDisplayBaseClass || facts.devices.size() >= kMostDevices) {
      continue;
    }
    if (auto card = read_device(host, entry.name, *class_code)) {
      facts.devices.push_back(*std::move(card));
    } else {
      facts.damaged.push_back(card.error());
    }
  }
  return facts;
}

}  // namespace

std::string pci_vendor_name(std::uint16_t vendor) {
  switch (vendor) {
    case kNvidiaVendor:
      return "NVIDIA";
    case 0x1002:
    case 0x1022:
      return "AMD";
    case 0x8086:
      return "Intel";
    case 0x1414:
      return "Microsoft";
    default: {
      std::array<char, 8> text{};
      std::snprintf(text.data(), text.size(), "0x%04x", static_cast<unsigned>(vendor));
      return text.data();
    }
  }
}

std::optional<std::uint32_t> pcie_generation(std::string_view speed) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> kSpeeds{
      {{"2.5", 1}, {"5", 2}, {"8", 3}, {"16", 4}, {"32", 5}, {"64", 6}, {"128", 7}}};
  std::string_view number = speed.substr(0, speed.find(' '));
  if (number.ends_with(".0")) {
    number.remove_suffix(2);
  }
  const auto* const hit = std::ranges::find(kSpeeds, number, [](const auto& s) { return s.first; });
  return hit == kSpeeds.end() ? std::nullopt : std::optional(hit->second);
}

std::optional<std::uint64_t> largest_window(std::string_view resource) {
  std::optional<std::uint64_t> largest;
  std::size_t line_number = 0;
  for (const std::string_view line : split(resource, '\n')) {
    if (line_number++ == kBaseWindows) {
      break;
    }
    const std::vector<std::string_view> words = split(trim(line), ' ');
    if (words.size() != 3) {
      continue;
    }
    const auto start = parse_hex(words[0]);
    const auto end = parse_hex(words[1]);
    const auto flags = parse_hex(words[2]);
    constexpr std::uint64_t kWanted = kMemoryFlag | kPrefetchFlag;
    if (start && end && flags && *end > *start && (*flags & kWanted) == kWanted &&
        *end - *start < std::numeric_limits<std::uint64_t>::max()) {
      largest = std::max(largest.value_or(0), *end - *start + 1);
    }
  }
  return largest;
}

HardwareFacts observe_hardware(const Host& host) {
  return host.is_windows() ? observe_windows_hardware(host) : observe_sysfs(host);
}

}  // namespace plumb
