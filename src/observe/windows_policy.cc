// SPDX-License-Identifier: Apache-2.0
#include "observe/windows_policy.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace plumb {
namespace {

constexpr std::uint32_t kDword = 4;
constexpr std::size_t kMostDenied = 500;
constexpr const char* kGraphics = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers";
constexpr const char* kWindowsPolicies = "HKLM\\SOFTWARE\\Policies\\Microsoft\\Windows\\";

/// The texts of a key's values, which are named 1, 2, 3.
std::vector<std::string> listed_texts(const Registry& registry, const std::string& key) {
  std::vector<std::string> texts;
  for (const std::string& name : registry.values(key).value_or(std::vector<std::string>{})) {
    Fact<std::string> text = registry_text(registry, key, name);
    if (text && texts.size() < kMostDenied) {
      texts.push_back(*std::move(text.value));
    }
  }
  return texts;
}

}  // namespace

Fact<std::uint64_t> registry_dword(const Registry& registry, const std::string& key,
                                   const std::string& name) {
  Fact<std::uint64_t> fact = registry_number(registry, key, name);
  const auto value = registry.value(key, name);
  if (fact && value && value->type != kDword) {
    return Fact<std::uint64_t>::unreadable(
        {ErrorCode::malformed,
         "the value has type " + std::to_string(value->type) + ", not DWORD",
         fact.origin,
         {}},
        fact.origin);
  }
  return fact;
}

TdrSettings observe_tdr(const Registry& registry) {
  TdrSettings tdr;
  tdr.level = registry_dword(registry, kGraphics, "TdrLevel");
  tdr.delay = registry_dword(registry, kGraphics, "TdrDelay");
  tdr.ddi_delay = registry_dword(registry, kGraphics, "TdrDdiDelay");
  tdr.limit_time = registry_dword(registry, kGraphics, "TdrLimitTime");
  tdr.limit_count = registry_dword(registry, kGraphics, "TdrLimitCount");
  return tdr;
}

Fact<std::uint64_t> observe_hardware_scheduling(const Registry& registry) {
  return registry_dword(registry, kGraphics, "HwSchMode");
}

DriverPolicy observe_driver_policy(const Registry& registry) {
  const std::string policies = kWindowsPolicies;
  const std::string restrictions = policies + "DeviceInstall\\Restrictions";
  DriverPolicy policy;
  policy.update_excludes_drivers =
      registry_dword(registry, policies + "WindowsUpdate", "ExcludeWUDriversInQualityUpdate");
  policy.update_state_excludes_drivers = registry_dword(
      registry, "HKLM\\SOFTWARE\\Microsoft\\WindowsUpdate\\UpdatePolicy\\PolicyState",
      "ExcludeWUDrivers");
  policy.driver_search = registry_dword(
      registry, "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\DriverSearching",
      "SearchOrderConfig");
  policy.driver_search_policy =
      registry_dword(registry, policies + "DriverSearching", "SearchOrderConfig");
  policy.deny_ids = registry_dword(registry, restrictions, "DenyDeviceIDs");
  policy.deny_ids_installed = registry_dword(registry, restrictions, "DenyDeviceIDsRetroactive");
  policy.deny_classes = registry_dword(registry, restrictions, "DenyDeviceClasses");
  policy.deny_unspecified = registry_dword(registry, restrictions, "DenyUnspecified");
  policy.denied_ids = listed_texts(registry, restrictions + "\\DenyDeviceIDs");
  policy.denied_classes = listed_texts(registry, restrictions + "\\DenyDeviceClasses");
  return policy;
}

}  // namespace plumb
