// SPDX-License-Identifier: Apache-2.0
// All from the registry, which a process cannot be given another view of: GetACP() says 65001 to a
// program whose manifest asks for UTF-8, GetVersionEx() what the manifest knows, and ProductName
// says "Windows 10" on Windows 11.
#include "observe/windows_system.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "binary/pe.h"
#include "observe/text_fact.h"
#include "os/environment.h"

namespace plumb {
namespace {

constexpr const char* kRelease = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
const std::string kControl = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\";
const std::string kDefender = "SOFTWARE\\Microsoft\\Windows Defender\\";
const std::string kDefenderPolicy = "SOFTWARE\\Policies\\Microsoft\\Windows Defender\\";
constexpr std::uint64_t kFirstWindows11 = 22000;

/// A number that is stored as a DWORD or, as some do, as decimal text.
Fact<std::uint64_t> number_or_text(const Registry& registry, const std::string& key,
                                   const std::string& name) {
  Fact<std::uint64_t> number = registry_number(registry, key, name);
  if (!number.fault) {
    return number;
  }
  const Fact<std::string> text = registry_text(registry, key, name);
  const auto parsed = text ? parse_decimal(trim(*text.value)) : std::nullopt;
  return parsed ? Fact<std::uint64_t>::present(*parsed, number.origin) : number;
}

/// The policy's value wins where there is one.
Fact<std::uint64_t> with_policy(const Registry& registry, const std::string& part,
                                const std::string& name) {
  Fact<std::uint64_t> policy = number_or_text(registry, "HKLM\\" + kDefenderPolicy + part, name);
  return policy ? policy : number_or_text(registry, "HKLM\\" + kDefender + part, name);
}

Fact<bool> is_one(const Fact<std::uint64_t>& number) {
  return converted<bool>(number, [](std::uint64_t value) { return std::optional(value == 1); });
}

template <class E>
Fact<E> as_enum(const Fact<std::uint64_t>& number) {
  return converted<E>(number, [](std::uint64_t value) {
    return value < enum_names(E{}).size() ? std::optional(static_cast<E>(value)) : std::nullopt;
  });
}

void observe_release(const Registry& registry, WindowsSystem& system) {
  system.build = number_or_text(registry, kRelease, "CurrentBuild");
  system.revision = number_or_text(registry, kRelease, "UBR");
  system.release = registry_text(registry, kRelease, "DisplayVersion");
  if (!system.release) {
    if (auto older = registry_text(registry, kRelease, "ReleaseId")) {
      system.release = std::move(older);
    }
  }
  system.edition = registry_text(registry, kRelease, "EditionID");
  system.kind = registry_text(registry, kRelease, "InstallationType");
  if (system.build && system.kind) {
    system.is_windows_11 = Fact<bool>::present(
        *system.build.value >= kFirstWindows11 && to_lower_ascii(*system.kind.value) == "client",
        system.build.origin);
  }
}

Fact<std::string> language_of(const Host& host) {
  if (host.root.empty()) {
    return Fact<std::string>::present(user_language(), "GetUserDefaultUILanguage");
  }
  const auto list =
      registry_list(*host.registry, "HKCU\\Control Panel\\Desktop", "PreferredUILanguages");
  if (list && (list.value->empty() || list.value->front().empty())) {
    return Fact<std::string>::absent(list.origin);
  }
  return converted<std::string>(
      list, [](const std::vector<std::string>& names) { return std::optional(names.front()); });
}

void observe_settings(const Host& host, WindowsSystem& system) {
  const Registry& registry = *host.registry;
  system.long_paths =
      is_one(registry_number(registry, kControl + "FileSystem", "LongPathsEnabled"));
  system.ansi_page = number_or_text(registry, kControl + "Nls\\CodePage", "ACP");
  system.oem_page = number_or_text(registry, kControl + "Nls\\CodePage", "OEMCP");
  system.developer_mode = is_one(registry_number(
      registry, "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\AppModelUnlock",
      "AllowDevelopmentWithoutDevLicense"));
  system.ui_language = language_of(host);
  system.secure_boot =
      is_one(registry_number(registry, kControl + "SecureBoot\\State", "UEFISecureBootEnabled"));
}

void observe_protection(const Registry& registry, WindowsSystem& system) {
  system.defender_real_time =
      converted<bool>(with_policy(registry, "Real-Time Protection", "DisableRealtimeMonitoring"),
                      [](std::uint64_t disabled) { return std::optional(disabled == 0); });
  system.controlled_folder_access = as_enum<FolderAccess>(
      with_policy(registry, "Windows Defender Exploit Guard\\Controlled Folder Access",
                  "EnableControlledFolderAccess"));
  system.smart_app_control = as_enum<AppControl>(
      registry_number(registry, kControl + "CI\\Policy", "VerifiedAndReputablePolicyState"));
}

/// The x86 package writes into the 32-bit view, which is stored below WOW6432Node.
void observe_vc_runtimes(const Registry& registry, WindowsSystem& system) {
  for (const char* machine : {"x64", "x86", "arm64"}) {
    for (const char* view : {"SOFTWARE\\", "SOFTWARE\\WOW6432Node\\"}) {
      const std::string key =
          "HKLM\\" + std::string(view) + "Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\" + machine;
      VcRuntime runtime{machine, registry_text(registry, key, "Version"),
                        is_one(registry_number(registry, key, "Installed")), key};
      if (runtime.version && runtime.version.value->starts_with('v')) {
        runtime.version.value->erase(0, 1);
      }
      if (runtime.version || runtime.version.fault || runtime.installed ||
          runtime.installed.fault) {
        system.vc_runtimes.push_back(std::move(runtime));
      }
    }
  }
}

Fact<std::string> version_of_dll(const std::string& path) {
  const auto file = open_file(path);
  if (!file) {
    return file.error().code == ErrorCode::not_found
               ? Fact<std::string>::absent(path)
               : Fact<std::string>::unreadable(file.error(), path);
  }
  const auto pe = read_pe(**file, {});
  if (!pe) {
    return Fact<std::string>::unreadable(pe.error(), path);
  }
  if (!pe->file_version) {
    return Fact<std::string>::unreadable(
        {ErrorCode::malformed, "has no version resource", path, {}}, path);
  }
  return Fact<std::string>::present(*pe->file_version, path);
}

}  // namespace

WindowsSystem observe_windows_system(const Host& host) {
  WindowsSystem system;
  if (!host.is_windows()) {
    return system;
  }
  observe_release(*host.registry, system);
  observe_settings(host, system);
  observe_protection(*host.registry, system);
  observe_vc_runtimes(*host.registry, system);
  for (const char* name : {"vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll",
                           "msvcp140_1.dll", "vcomp140.dll", "concrt140.dll"}) {
    system.vc_files.push_back({name, version_of_dll(join_path(host.system_folder, name))});
  }
  return system;
}

}  // namespace plumb
