// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphics and compute cards of every vendor as the machine's buses tell them: ids, links, memory
// windows, who drives them. No driver is asked and no card is woken.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

/// A PCI Express link. Speeds are generations: 1 = 2.5, 2 = 5, 3 = 8, 4 = 16, 5 = 32, 6 = 64 GT/s;
/// widths are lanes. The current speed falls while a card idles, so less than the most is no fault
/// by itself. In a virtual machine these may be the virtual port's. All absent with origin "" where
/// nothing was asked, because the card sleeps.
struct PciLink {
  Fact<std::uint32_t> generation;
  Fact<std::uint32_t> width;
  Fact<std::uint32_t> most_generation;  // that the card can
  Fact<std::uint32_t> most_width;
  Fact<std::uint32_t> slot_generation;  // that the port above it can (Linux)
  Fact<std::uint32_t> slot_width;
};

void fields(auto& visit, Is<PciLink> auto& link) {
  visit("generation", link.generation);
  visit("width", link.width);
  visit("most_generation", link.most_generation);
  visit("most_width", link.most_width);
  visit("slot_generation", link.slot_generation);
  visit("slot_width", link.slot_width);
}

/// What a driver wrote about a card into its key of Windows' display class when it last started:
/// HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-...}\\NNNN. After a failed start
/// these are of the last good one.
struct DisplayKey {
  std::string key;
  Fact<std::string> description;     // "NVIDIA GeForce RTX 3070"
  Fact<std::string> provider;        // "NVIDIA"; "Microsoft" = Basic Display Adapter
  Fact<std::string> version;         // as Windows counts: "32.0.15.6094"
  Fact<std::string> release;         // as NVIDIA counts: "560.94"; of NVIDIA's drivers only
  Fact<std::string> date;            // "8-14-2024": month, day, year
  Fact<std::string> matching_id;     // "pci\\ven_10de&dev_2484"; with "&subsys_" = a maker's INF
  Fact<std::string> inf;             // "oem12.inf"
  Fact<std::uint64_t> memory_bytes;  // the card's own memory
  bool memory_capped = false;        // from a value of 32 bits, which ends at 4 GB
  Fact<std::vector<std::string>> user_mode_drivers;  // paths into the driver store
  Fact<std::uint64_t> adapter_type;                  // hint on cards that can: 1 = WDDM, 2 = TCC
};

void fields(auto& visit, Is<DisplayKey> auto& key) {
  visit("key", key.key);
  visit("description", key.description);
  visit("provider", key.provider);
  visit("version", key.version);
  visit("release", key.release);
  visit("date", key.date);
  visit("matching_id", key.matching_id);
  visit("inf", key.inf);
  visit("memory_bytes", key.memory_bytes);
  visit("memory_capped", key.memory_capped);
  visit("user_mode_drivers", key.user_mode_drivers);
  visit("adapter_type", key.adapter_type);
}

/// unknown: from a registry alone, which keeps cards that were taken out.
enum class Presence : std::uint8_t { present, unknown, gone };
constexpr auto enum_names(Presence) {
  return std::to_array<std::string_view>({"present", "unknown", "gone"});
}

struct GpuDevice {
  std::uint16_t vendor = 0;  // 0x10de
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0;  // 0 = not told
  std::uint16_t subsystem_device = 0;
  std::string vendor_name;  // "NVIDIA", "AMD", "Intel", "Microsoft", else "0x1234"
  bool is_nvidia = false;
  std::uint32_t class_code = 0;  // 24 bits; 0 = not told
  std::string location;          // "0000:01:00.0"; Windows: the instance id
  std::string place;             // Windows: bus, device, function: "(1,0,0)" or a text with these
  std::string name;              // Windows: as the system calls it; never decides, the ids do
  Presence presence = Presence::present;
  std::string driver;         // bound kernel driver or service; "" = none
  std::uint32_t problem = 0;  // Windows: CM_PROB_*; 0 = none or not known
  bool disabled = false;      // Windows: switched off by the user (ConfigFlags)
  std::string origin;
  /// Linux, power/runtime_status: "active", "suspended", "unsupported" ... Read before all else.
  Fact<std::string> power;
  Fact<std::string> power_control;  // "auto": may sleep; "on": never does
  PciLink link;
  Fact<std::uint32_t> numa_node;  // absent also where the system says -1, not known
  /// Largest prefetchable memory window. At least the card's memory = resizable BAR is on; 256 MiB
  /// = off. From the kernel's list, so nothing is touched.
  Fact<std::uint64_t> window_bytes;
  Fact<bool> boot_display;           // drives the console
  Fact<std::uint64_t> memory_bytes;  // its own memory; Linux: only amdgpu tells without a question
  std::optional<DisplayKey> display_key;  // Windows
};

void fields(auto& visit, Is<GpuDevice> auto& card) {
  visit("vendor", card.vendor);
  visit("device", card.device);
  visit("subsystem_vendor", card.subsystem_vendor);
  visit("subsystem_device", card.subsystem_device);
  visit("vendor_name", card.vendor_name);
  visit("is_nvidia", card.is_nvidia);
  visit("class_code", card.class_code);
  visit("location", card.location);
  visit("place", card.place);
  visit("name", card.name);
  visit("presence", card.presence);
  visit("driver", card.driver);
  visit("problem", card.problem);
  visit("disabled", card.disabled);
  visit("origin", card.origin);
  visit("power", card.power);
  visit("power_control", card.power_control);
  visit("link", card.link);
  visit("numa_node", card.numa_node);
  visit("window_bytes", card.window_bytes);
  visit("boot_display", card.boot_display);
  visit("memory_bytes", card.memory_bytes);
  visit("display_key", card.display_key);
}

struct HardwareFacts {
  std::optional<Error> fault;      // the bus could not be read
  std::vector<GpuDevice> devices;  // display class (03) of any vendor, sorted by location
  std::vector<Error> damaged;      // devices that could not be understood
  /// Locations of NVIDIA's NVSwitch bridges (class 0680): with them a fabric manager is needed.
  std::vector<std::string> nvswitches;
};

void fields(auto& visit, Is<HardwareFacts> auto& facts) {
  visit("fault", facts.fault);
  visit("devices", facts.devices);
  visit("damaged", facts.damaged);
  visit("nvswitches", facts.nvswitches);
}

}  // namespace plumb
