// SPDX-License-Identifier: Apache-2.0
// A driver package lives in a folder of its own in the driver store; System32 holds fronts that
// load from there. Windows keeps the folders of earlier drivers, so which one is in use is asked of
// the registry, where three places know it.
#include "observe/windows_driver.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "observe/driver_installs.h"
#include "observe/driver_version.h"
#include "observe/host_files.h"
#include "observe/windows_dll.h"
#include "observe/windows_policy.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kServices = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\";
constexpr const char* kDisplayClass =
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}";
constexpr const char* kUninstall =
    "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\"
    "{B2FE1952-0186-46C3-BAEC-A80AA35AC5B8}_Display.Driver";
constexpr const char* kInstaller = "HKLM\\SOFTWARE\\NVIDIA Corporation\\Installer2\\Stripped";
constexpr std::array<const char*, 3> kSystemFiles = {"nvcuda.dll", "nvml.dll", "nvapi64.dll"};
constexpr std::array<const char*, 4> kStoreFiles = {"nvcuda64.dll", "nvcuda.dll", "nvml.dll",
                                                    "nvapi64.dll"};
constexpr std::array<const char*, 2> kStrayFiles = {"nvcuda.dll", "nvml.dll"};
constexpr std::size_t kMostPackages = 64;
constexpr std::size_t kMostFolders = 1000;
constexpr std::size_t kMostReleases = 200;

void add_dll(const std::string& folder, const char* name, std::vector<DriverDll>& files) {
  const std::string path = join_path(folder, name);
  DriverDll dll{name, path, dll_version(path, path), ""};
  if (!dll.version && !dll.version.fault) {
    return;
  }
  if (dll.version) {
    dll.release = driver_of_file_version(*dll.version.value).value_or("");
  }
  files.push_back(std::move(dll));
}

/// "x/y\\Z" and "x\\y\\z" are one folder.
std::string folded(std::string_view path) {
  std::string text = to_lower_ascii(path);
  std::ranges::replace(text, '/', '\\');
  while (text.ends_with('\\')) {
    text.pop_back();
  }
  return text;
}

/// The name of a driver package's folder, or "".
std::string package_name(const Fact<std::string>& folder) {
  return folder ? to_lower_ascii(base_name(*folder.value)) : std::string{};
}

Fact<std::string> in_store(const Fact<std::string>& path) {
  if (!path) {
    return path;
  }
  const std::string folder = store_folder_of(*path.value);
  return folder.empty() ? Fact<std::string>::absent(path.origin)
                        : Fact<std::string>::present(folder, path.origin);
}

bool is_nvidia_key(const Registry& registry, const std::string& key) {
  const auto id = registry_text(registry, key, "MatchingDeviceId");
  return (id && to_lower_ascii(*id.value).find("ven_10de") != std::string::npos) ||
         registry_text(registry, key, "ProviderName").value == "NVIDIA";
}

/// Keys of cards that were taken out stay behind, so one that agrees with the service comes first.
Fact<std::string> user_mode_folder(const Registry& registry, const Fact<std::string>& service) {
  Fact<std::string> first = Fact<std::string>::absent(kDisplayClass);
  for (const std::string& name : registry_subkeys(registry, kDisplayClass)) {
    const std::string key = std::string(kDisplayClass) + "\\" + name;
    if (name.size() != 4 || !parse_decimal(name) || !is_nvidia_key(registry, key)) {
      continue;
    }
    const auto drivers = registry_list(registry, key, "UserModeDriverName");
    for (const std::string& path : drivers.value.value_or(std::vector<std::string>{})) {
      const std::string folder = store_folder_of(path);
      if (folder.empty()) {
        continue;
      }
      auto found = Fact<std::string>::present(folder, drivers.origin);
      if (package_name(found) == package_name(service)) {
        return found;
      }
      first = first ? first : std::move(found);
      break;
    }
  }
  return first;
}

void add_store(const std::string& folder, WindowsDriver& facts) {
  const auto entries = list_directory(folder);
  if (!entries) {
    if (entries.error().code != ErrorCode::not_found) {
      facts.store_fault = Error(entries.error()).in(folder);
    }
    return;
  }
  const std::array active = {package_name(facts.user_mode_folder),
                             package_name(facts.service_folder), package_name(facts.ngx_folder)};
  for (const DirectoryEntry& entry : *entries) {
    if (!is_nvidia_store_folder(entry.name) || facts.packages.size() >= kMostPackages) {
      continue;
    }
    StorePackage package{join_path(folder, entry.name), false, {}};
    for (const char* file : kStoreFiles) {
      add_dll(package.folder, file, package.files);
    }
    if (package.files.empty()) {
      continue;  // NVIDIA's audio, USB and other drivers
    }
    // In the order of trust; one that names another folder outweighs those after it.
    const auto* const first =
        std::ranges::find_if(active, [](const std::string& name) { return !name.empty(); });
    package.active = first != active.end() && *first == to_lower_ascii(entry.name);
    facts.packages.push_back(std::move(package));
  }
}

void add_services(const Registry& registry, WindowsDriver& facts) {
  for (const char* name : {"nvlddmkm", "NVDisplay.ContainerLocalSystem"}) {
    const std::string key = std::string(kServices) + name;
    DriverService service{name, registry_dword(registry, key, "Start"),
                          registry_text(registry, key, "ImagePath")};
    if (service.start || service.start.fault || service.image || service.image.fault) {
      facts.services.push_back(std::move(service));
    }
  }
}

/// "Display.Driver/560.94" in names of values or keys.
std::vector<std::string> installed_before(const Registry& registry) {
  constexpr std::string_view kDriver = "Display.Driver/";
  std::vector<std::string> names = registry.values(kInstaller).value_or(std::vector<std::string>{});
  for (std::string& key : registry_subkeys(registry, kInstaller)) {
    names.push_back(std::move(key));
  }
  std::vector<std::string> releases;
  for (const std::string& name : names) {
    const std::size_t at = name.find(kDriver);
    if (at == std::string::npos) {
      continue;
    }
    const std::string_view rest = std::string_view(name).substr(at + kDriver.size());
    const std::string release(rest.substr(0, rest.find_first_not_of("0123456789.")));
    if (Version::parse(release) && std::ranges::find(releases, release) == releases.end() &&
        releases.size() < kMostReleases) {
      releases.push_back(release);
    }
  }
  std::ranges::sort(releases, std::ranges::greater{},
                    [](const std::string& text) { return *Version::parse(text); });
  return releases;
}

std::string program_files(const Host& host) {
  return host.root.empty()
             ? host.set_variable("ProgramW6432")
                   .value_or(host.set_variable("ProgramFiles").value_or("C:\\Program Files"))
             : host.at("/Program Files");
}

/// A folder of PATH as a path to open here; "" for those that are no plain folder of a local disk
/// (a share that does not answer would hold plumb up).
std::string folder_here(const Host& host, std::string_view part) {
  std::string folder(trim(part));
  std::erase(folder, '"');
  if (folder.size() < 3 || folder[1] != ':') {
    return {};
  }
  if (host.root.empty()) {
    return folder;
  }
  std::ranges::replace(folder, '\\', '/');
  return host.at(std::string_view(folder).substr(2));
}

void add_stray_files(const Host& host, WindowsDriver& facts) {
  const std::string path = expand_variables(host.set_variable("PATH").value_or(""), host.variable);
  const std::string system = folded(host.system_folder);
  const std::string nvsmi = folded(join_path(program_files(host), "NVIDIA Corporation\\NVSMI"));
  std::vector<std::string> seen;
  for (const std::string_view part : split(path, ';')) {
    const std::string folder = folder_here(host, part);
    const std::string key = folded(folder);
    // SysWOW64 holds the DLLs for programs of 32 bits.
    const bool is_known = key.empty() || key == system || key == nvsmi ||
                          key.ends_with("\\windows\\syswow64") || !store_folder_of(key).empty() ||
                          std::ranges::find(seen, key) != seen.end();
    if (is_known || seen.size() >= kMostFolders) {
      continue;
    }
    seen.push_back(key);
    for (const char* name : kStrayFiles) {
      add_dll(folder, name, facts.stray_files);
    }
  }
}

}  // namespace

std::string store_folder_of(std::string_view path) {
  std::string lower = folded(path);
  constexpr std::string_view kRepository = "\\filerepository\\";
  const std::size_t at = lower.find(kRepository);
  if (at == std::string::npos || !lower.substr(0, at).ends_with("driverstore")) {
    return {};
  }
  const std::size_t start = at + kRepository.size();
  const std::size_t end = std::min(lower.find('\\', start), lower.size());
  return end > start ? std::string(path.substr(0, end)) : std::string{};
}

WindowsDriver observe_windows_driver_state(const Host& host) {
  const Registry& registry = *host.registry;
  WindowsDriver facts;
  for (const char* name : kSystemFiles) {
    add_dll(host.system_folder, name, facts.system_files);
  }
  const std::string nvsmi =
      join_path(join_path(program_files(host), "NVIDIA Corporation"), "NVSMI");
  add_dll(nvsmi, "nvml.dll", facts.nvsmi_files);
  add_stray_files(host, facts);
  add_services(registry, facts);
  const std::string service = std::string(kServices) + "nvlddmkm";
  facts.service_folder = in_store(registry_text(registry, service, "ImagePath"));
  facts.user_mode_folder = user_mode_folder(registry, facts.service_folder);
  facts.ngx_folder = in_store(
      registry_text(registry, "HKLM\\SOFTWARE\\NVIDIA Corporation\\Global\\NGXCore", "FullPath"));
  // In a virtual machine that shares its host's card the packages are the host's.
  for (const char* store : {"DriverStore", "HostDriverStore"}) {
    add_store(join_path(join_path(host.system_folder, store), "FileRepository"), facts);
  }
  facts.dch = registry_number(registry, service, "DCHUVen");
  facts.installed_release = registry_text(registry, kUninstall, "DisplayVersion");
  facts.installed_before = installed_before(registry);
  facts.installs = observe_driver_installs(host);
  facts.tdr = observe_tdr(registry);
  facts.hardware_scheduling = observe_hardware_scheduling(registry);
  facts.policy = observe_driver_policy(registry);
  return facts;
}

}  // namespace plumb
