// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_display.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "observe/driver_version.h"
#include "observe/pci_facts.h"
#include "os/pci_ids.h"

namespace plumb {
namespace {

constexpr const char* kBus = "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI";
constexpr const char* kClasses = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\";
constexpr std::string_view kDisplayClass = "{4d36e968-e325-11ce-bfc1-08002be10318}";
constexpr std::string_view kComputeClass = "{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}";
constexpr std::size_t kMostDevices = 4096;  // looked at, of all kinds
constexpr std::uint64_t kConfigDisabled = 1;

/// By the ids that the bus gave; those of a key may lack the class, then the driver's class tells.
std::uint32_t class_code_of(const Registry& registry, const std::string& key) {
  for (const char* name : {"CompatibleIDs", "HardwareID"}) {
    for (const std::string& id :
         registry_list(registry, key, name).value.value_or(std::vector<std::string>{})) {
      if (const auto code = parse_pci_class(id)) {
        return *code;
      }
    }
  }
  const std::string class_id =
      to_lower_ascii(registry_text(registry, key, "ClassGUID").value.value_or(""));
  return class_id == kDisplayClass || class_id == kComputeClass ? kDisplayBaseClass << 16U : 0;
}

/// "@oem12.inf,%nvidia_dev.2782%;NVIDIA GeForce RTX 4070 Ti" -> what follows the last ';'.
std::string shown_name(const std::string& description) {
  return description.substr(description.find_last_of(';') + 1);
}

/// A {class}\\NNNN as the value Driver holds it; nothing else is looked up.
bool is_class_instance(std::string_view driver) {
  const std::size_t slash = driver.find('\\');
  const std::string_view number =
      slash == std::string_view::npos ? std::string_view{} : driver.substr(slash + 1);
  return driver.starts_with('{') && number.size() == 4 && parse_decimal(number).has_value();
}

DisplayKey read_display_key(const Registry& registry, const std::string& key, bool is_nvidia) {
  DisplayKey facts;
  facts.key = key;
  facts.description = registry_text(registry, key, "DriverDesc");
  facts.provider = registry_text(registry, key, "ProviderName");
  facts.version = registry_text(registry, key, "DriverVersion");
  facts.date = registry_text(registry, key, "DriverDate");
  facts.matching_id = registry_text(registry, key, "MatchingDeviceId");
  facts.inf = registry_text(registry, key, "InfPath");
  facts.user_mode_drivers = registry_list(registry, key, "UserModeDriverName");
  facts.adapter_type = registry_number(registry, key, "AdapterType");
  facts.memory_bytes = registry_number(registry, key, "HardwareInformation.qwMemorySize");
  if (!facts.memory_bytes) {
    Fact<std::uint64_t> old = registry_number(registry, key, "HardwareInformation.MemorySize");
    if (old || !facts.memory_bytes.fault) {
      facts.memory_capped = old.value.has_value();
      facts.memory_bytes = std::move(old);
    }
  }
  facts.release = Fact<std::string>::absent(facts.version.origin);
  if (is_nvidia && facts.version) {
    if (const auto release = driver_of_file_version(*facts.version.value)) {
      facts.release = Fact<std::string>::present(*release, facts.version.origin);
    }
  }
  return facts;
}

/// Empty for what is no display device.
std::optional<GpuDevice> read_device(const Registry& registry, const std::string& id,
                                     const std::string& key, std::uint32_t class_code) {
  const auto parsed = parse_pci_instance_id(id);
  if (!parsed) {
    return std::nullopt;
  }
  GpuDevice card;
  card.vendor = parsed->vendor;
  card.device = parsed->device;
  card.subsystem_vendor = parsed->subsystem_vendor;
  card.subsystem_device = parsed->subsystem_device;
  card.vendor_name = pci_vendor_name(card.vendor);
  card.is_nvidia = card.vendor == kNvidiaVendor;
  card.class_code = class_code;
  card.location = id;
  card.origin = key;
  card.presence = Presence::unknown;
  card.place = registry_text(registry, key, "LocationInformation").value.value_or("");
  if (card.place.starts_with('@')) {
    card.place = shown_name(card.place);
  }
  card.driver = registry_text(registry, key, "Service").value.value_or("");
  card.disabled =
      (registry_number(registry, key, "ConfigFlags").value.value_or(0) & kConfigDisabled) != 0;
  const std::string name = registry_text(registry, key, "FriendlyName").value.value_or("");
  card.name = shown_name(
      name.empty() ? registry_text(registry, key, "DeviceDesc").value.value_or("") : name);
  const std::string driver = registry_text(registry, key, "Driver").value.value_or("");
  if (is_class_instance(driver)) {
    card.display_key = read_display_key(registry, kClasses + driver, card.is_nvidia);
    card.memory_bytes = card.display_key->memory_bytes;
  }
  return card;
}

template <class T>
Fact<T> told(const std::optional<T>& value, const std::string& origin) {
  return value ? Fact<T>::present(*value, origin) : Fact<T>::absent(origin);
}

void add_live_facts(GpuDevice& card, const PciDevice& device) {
  card.presence = Presence::present;
  card.problem = device.problem;
  card.class_code = device.class_code;
  card.driver = device.driver;
  card.link.generation = told(device.link_generation, device.origin);
  card.link.width = told(device.link_width, device.origin);
  card.link.most_generation = told(device.most_link_generation, device.origin);
  card.link.most_width = told(device.most_link_width, device.origin);
  card.numa_node = told(device.numa_node, device.origin);
}

/// One that the configuration manager names and the registry hides from this user.
GpuDevice device_without_key(const PciDevice& device) {
  GpuDevice card;
  card.vendor = device.vendor;
  card.device = device.device;
  card.subsystem_vendor = device.subsystem_vendor;
  card.subsystem_device = device.subsystem_device;
  card.vendor_name = pci_vendor_name(card.vendor);
  card.is_nvidia = card.vendor == kNvidiaVendor;
  card.location = device.location;
  card.origin = device.origin;
  return card;
}

}  // namespace

HardwareFacts registry_hardware(const Registry& registry) {
  HardwareFacts facts;
  const auto models = registry.subkeys(kBus);
  if (!models) {
    if (models.error().code != ErrorCode::not_found) {
      facts.fault = models.error();
    }
    return facts;
  }
  std::size_t seen = 0;
  for (const std::string& model : *models) {
    const std::string model_key = std::string(kBus) + "\\" + model;
    for (const std::string& instance : registry_subkeys(registry, model_key)) {
      if (++seen > kMostDevices) {
        return facts;
      }
      const std::string key = model_key + "\\" + instance;
      const std::string id = "PCI\\" + model + "\\" + instance;
      const std::uint32_t class_code = class_code_of(registry, key);
      if (class_code >> 16U == kDisplayBaseClass) {
        if (auto card = read_device(registry, id, key, class_code)) {
          facts.devices.push_back(*std::move(card));
        }
      } else if (class_code >> 8U == kOtherBridgeClass) {
        const auto parsed = parse_pci_instance_id(id);
        if (parsed && parsed->vendor == kNvidiaVendor) {
          facts.nvswitches.push_back(id);
        }
      }
    }
  }
  std::ranges::sort(facts.devices, {}, &GpuDevice::location);
  return facts;
}

HardwareFacts join_hardware(HardwareFacts registry, const std::vector<PciDevice>& present) {
  HardwareFacts facts = std::move(registry);
  if (facts.fault) {  // what is there is known all the same
    facts.damaged.push_back(*std::exchange(facts.fault, std::nullopt));
  }
  std::vector<GpuDevice> devices;
  for (const PciDevice& device : present) {
    const std::string id = to_lower_ascii(device.location);
    const auto hit = std::ranges::find_if(
        facts.devices, [&](const GpuDevice& card) { return to_lower_ascii(card.location) == id; });
    if (hit == facts.devices.end()) {
      devices.push_back(device_without_key(device));
    } else {
      devices.push_back(std::move(*hit));
      facts.devices.erase(hit);
    }
    add_live_facts(devices.back(), device);
  }
  for (GpuDevice& card : facts.devices) {
    if (card.is_nvidia) {
      card.presence = Presence::gone;
      devices.push_back(std::move(card));
    }
  }
  std::ranges::sort(devices, {}, &GpuDevice::location);
  facts.devices = std::move(devices);
  return facts;
}

HardwareFacts observe_windows_hardware(const Host& host) {
  HardwareFacts facts = registry_hardware(*host.registry);
  if (!host.root.empty()) {
    return facts;
  }
  const auto present = list_display_devices();
  if (!present) {
    facts.fault = present.error();
    return facts;
  }
  return join_hardware(std::move(facts), *present);
}

}  // namespace plumb
