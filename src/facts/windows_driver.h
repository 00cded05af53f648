// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of NVIDIA's driver on Windows, from its files and the registry. Paths are as opened, or
// as the registry has them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/fact.h"
#include "facts/fields.h"

namespace plumb {

struct DriverDll {
  std::string name;  // "nvcuda.dll"
  std::string path;
  Fact<std::string> version;  // FILEVERSION: "32.0.15.6094"
  std::string release;        // "560.94"; "" = not of NVIDIA's counting
};
void fields(auto& visit, Is<DriverDll> auto& dll) {
  visit("name", dll.name);
  visit("path", dll.path);
  visit("version", dll.version);
  visit("release", dll.release);
}

/// A folder of the driver store that holds a display driver of NVIDIA's. Windows keeps those of
/// earlier drivers.
struct StorePackage {
  std::string folder;
  bool active = false;  // the registry's places agree that this one is in use
  std::vector<DriverDll> files;
};
void fields(auto& visit, Is<StorePackage> auto& package) {
  visit("folder", package.folder);
  visit("active", package.active);
  visit("files", package.files);
}

struct DriverService {
  std::string name;           // "nvlddmkm"
  Fact<std::uint64_t> start;  // 2 automatic, 3 on demand, 4 disabled
  Fact<std::string> image;    // as written
};
void fields(auto& visit, Is<DriverService> auto& service) {
  visit("name", service.name);
  visit("start", service.start);
  visit("image", service.image);
}

/// One install of a driver for a PCI device of NVIDIA's (the card, its audio, its USB), by
/// whomever, as Windows' setup log has it.
struct DriverInstall {
  std::string device;  // hardware or instance id
  std::string time;    // local, as written: "2026/09/09 12:00:00.000"
  std::string inf;     // "oem42.inf"; "" = not told
  std::string provider;
  std::string version;  // "32.0.15.6094"
  std::string status;   // "SUCCESS", "FAILURE(0xe0000219)"; "" = its end is not in the log
};
void fields(auto& visit, Is<DriverInstall> auto& install) {
  visit("device", install.device);
  visit("time", install.time);
  visit("inf", install.inf);
  visit("provider", install.provider);
  visit("version", install.version);
  visit("status", install.status);
}

/// Timeout detection of the graphics scheduler, of the key GraphicsDrivers below
/// HKLM\\SYSTEM\\CurrentControlSet\\Control. Absent = Windows' default; unreadable = not a DWORD,
/// which Windows may ignore.
struct TdrSettings {
  Fact<std::uint64_t> level;        // 0 off ... 3 recover; default 3
  Fact<std::uint64_t> delay;        // seconds; default 2
  Fact<std::uint64_t> ddi_delay;    // seconds; default 5
  Fact<std::uint64_t> limit_time;   // seconds; default 60
  Fact<std::uint64_t> limit_count;  // default 5
};
void fields(auto& visit, Is<TdrSettings> auto& tdr) {
  visit("level", tdr.level);
  visit("delay", tdr.delay);
  visit("ddi_delay", tdr.ddi_delay);
  visit("limit_time", tdr.limit_time);
  visit("limit_count", tdr.limit_count);
}

/// What keeps Windows from changing the driver, or lets it.
struct DriverPolicy {
  Fact<std::uint64_t> update_excludes_drivers;        // 1 = Windows Update brings none
  Fact<std::uint64_t> update_state_excludes_drivers;  // the same as Windows Update sees it
  Fact<std::uint64_t> driver_search;                  // SearchOrderConfig: 0 = never
  Fact<std::uint64_t> driver_search_policy;
  Fact<std::uint64_t> deny_ids;            // 1 = devices of `denied_ids` may not be installed
  Fact<std::uint64_t> deny_ids_installed;  // ... also those that are installed already
  Fact<std::uint64_t> deny_classes;
  Fact<std::uint64_t> deny_unspecified;  // 1 = whatever no other policy allows
  std::vector<std::string> denied_ids;   // "PCI\\VEN_10DE&DEV_2484"
  std::vector<std::string> denied_classes;
};
void fields(auto& visit, Is<DriverPolicy> auto& policy) {
  visit("update_excludes_drivers", policy.update_excludes_drivers);
  visit("update_state_excludes_drivers", policy.update_state_excludes_drivers);
  visit("driver_search", policy.driver_search);
  visit("driver_search_policy", policy.driver_search_policy);
  visit("deny_ids", policy.deny_ids);
  visit("deny_ids_installed", policy.deny_ids_installed);
  visit("deny_classes", policy.deny_classes);
  visit("deny_unspecified", policy.deny_unspecified);
  visit("denied_ids", policy.denied_ids);
  visit("denied_classes", policy.denied_classes);
}

struct WindowsDriver {
  std::vector<DriverDll> system_files;  // nvcuda.dll, nvml.dll, nvapi64.dll in System32
  std::vector<DriverDll> nvsmi_files;   // %ProgramFiles%\\NVIDIA Corporation\\NVSMI: old drivers
  std::vector<DriverDll> stray_files;   // nvcuda.dll, nvml.dll elsewhere on PATH: wrong
  std::optional<Error> store_fault;     // the driver store could not be listed
  std::vector<StorePackage> packages;
  /// The folder in use by three places, as the registry has it: the display key's
  /// UserModeDriverName, the service's ImagePath, NGXCore's FullPath.
  Fact<std::string> user_mode_folder;
  Fact<std::string> service_folder;
  Fact<std::string> ngx_folder;
  Fact<std::uint64_t> dch;  // DCHUVen: present and not 0 = a DCH package, absent = a standard one
  std::vector<DriverService> services;  // of nvlddmkm, NVDisplay.ContainerLocalSystem: those there
  /// What NVIDIA's installer noted: stale or absent when Windows Update or a maker brought the
  /// driver.
  Fact<std::string> installed_release;
  std::vector<std::string> installed_before;  // every release it ever installed, newest first
  Fact<std::vector<DriverInstall>> installs;  // of the setup log's end, newest first
  TdrSettings tdr;
  Fact<std::uint64_t> hardware_scheduling;  // HwSchMode: 2 on, 1 off; absent = the driver's choice
  DriverPolicy policy;
};
void fields(auto& visit, Is<WindowsDriver> auto& driver) {
  visit("system_files", driver.system_files);
  visit("nvsmi_files", driver.nvsmi_files);
  visit("stray_files", driver.stray_files);
  visit("store_fault", driver.store_fault);
  visit("packages", driver.packages);
  visit("user_mode_folder", driver.user_mode_folder);
  visit("service_folder", driver.service_folder);
  visit("ngx_folder", driver.ngx_folder);
  visit("dch", driver.dch);
  visit("services", driver.services);
  visit("installed_release", driver.installed_release);
  visit("installed_before", driver.installed_before);
  visit("installs", driver.installs);
  visit("tdr", driver.tdr);
  visit("hardware_scheduling", driver.hardware_scheduling);
  visit("policy", driver.policy);
}

}  // namespace plumb
