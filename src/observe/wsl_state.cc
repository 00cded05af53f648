// SPDX-License-Identifier: Apache-2.0
// Registry values as in microsoft/WSL, DistributionRegistration.h. "Version" there is the form of
// the file system; whether a distribution is WSL 2 says bit 3 of "Flags".
#include "observe/wsl_state.h"

#include <algorithm>

#include "base/text.h"
#include "observe/ini_lines.h"
#include "observe/text_fact.h"

namespace plumb {
namespace {

const std::string kLxssUser = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss";
const std::string kLxssPackage = "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss\\MSI";
constexpr std::uint64_t kVmMode = 8;
constexpr std::size_t kMostDistributions = 200;

Fact<std::vector<IniSetting>> settings_at(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) {
    return text.error().code == ErrorCode::not_found
               ? Fact<std::vector<IniSetting>>::absent(path)
               : Fact<std::vector<IniSetting>>::unreadable(text.error(), path);
  }
  return Fact<std::vector<IniSetting>>::present(parse_ini_lines(*text), path);
}

FileKind kind_of(const Host& host, const std::string& path) {
  return file_status(host.at(path)).value_or(FileStatus{}).kind;
}

Fact<bool> is_there(const Host& host, const std::string& path) {
  return Fact<bool>::present(kind_of(host, path) != FileKind::missing, path);
}

Fact<bool> interop_of(const Host& host) {
  const std::string folder = "/proc/sys/fs/binfmt_misc";
  const auto entries = list_directory(host.at(folder));
  const bool registered = entries && std::ranges::any_of(*entries, [](const DirectoryEntry& e) {
                            return e.name.starts_with("WSLInterop");
                          });
  if (registered || host.set_variable("WSL_INTEROP")) {
    return Fact<bool>::present(true, registered ? folder : "WSL_INTEROP");
  }
  return Fact<bool>::present(false, folder);
}

/// "4.4.0-19041-Microsoft" is WSL 1; "...-microsoft-standard-WSL2" is WSL 2. A kernel that someone
/// built need not say so; then /dev/dxg or WSL's own folder does.
Fact<std::uint64_t> version_inside(const Host& host) {
  const std::string path = "/proc/sys/kernel/osrelease";
  const std::string release = read_text_file(host.at(path), 4096).value_or("");
  const std::string lower = to_lower_ascii(release);
  if (lower.find("microsoft") != std::string::npos) {
    const bool first = lower.find("wsl2") == std::string::npos &&
                       lower.find("standard") == std::string::npos && lower.starts_with("4.4.");
    return Fact<std::uint64_t>::present(first ? 1 : 2, path);
  }
  for (const char* mark : {"/dev/dxg", "/run/WSL"}) {
    const FileKind kind = kind_of(host, mark);
    if (kind == FileKind::special || (kind == FileKind::directory && mark[1] == 'r')) {
      return Fact<std::uint64_t>::present(2, mark);
    }
  }
  return Fact<std::uint64_t>::absent(path);
}

void observe_from_inside(const Host& host, WslState& wsl) {
  wsl.version = version_inside(host);
  if (!wsl.version) {
    return;
  }
  wsl.distribution = fact_of_variable(host, "WSL_DISTRO_NAME");
  wsl.interop = interop_of(host);
  wsl.gpu_device = is_there(host, "/dev/dxg");
  wsl.library_folder = is_there(host, "/usr/lib/wsl/lib");
  wsl.wsl_conf = settings_at(host.at("/etc/wsl.conf"));
}

void observe_from_windows(const Host& host, WslState& wsl) {
  const Registry& registry = *host.registry;
  const auto chosen = registry_text(registry, kLxssUser, "DefaultDistribution");
  const std::string default_id = to_lower_ascii(chosen.value.value_or(""));
  for (const std::string& id : registry_subkeys(registry, kLxssUser)) {
    if (!id.starts_with('{') || wsl.distributions.size() == kMostDistributions) {
      continue;  // "AppxInstallerCache"
    }
    WslDistribution distribution;
    distribution.origin = kLxssUser + "\\" + id;
    distribution.name = registry_text(registry, distribution.origin, "DistributionName");
    distribution.version = converted<std::uint64_t>(
        registry_number(registry, distribution.origin, "Flags"), [](std::uint64_t flags) {
          return std::optional<std::uint64_t>((flags & kVmMode) != 0 ? 2 : 1);
        });
    const auto state = registry_number(registry, distribution.origin, "State");
    if (state && *state.value < enum_names(WslDistributionState{}).size()) {
      distribution.state = static_cast<WslDistributionState>(*state.value);
    }
    distribution.is_default = to_lower_ascii(id) == default_id;
    wsl.distributions.push_back(std::move(distribution));
  }
  wsl.default_version = registry_number(registry, kLxssUser, "DefaultVersion");
  wsl.package_version = registry_text(registry, kLxssPackage, "Version");
  if (!host.home.empty()) {
    wsl.wslconfig = settings_at(join_path(host.home, ".wslconfig"));
  }
}

}  // namespace

WslState observe_wsl(const Host& host) {
  WslState wsl;
  if (host.is_windows()) {
    observe_from_windows(host, wsl);
  } else {
    observe_from_inside(host, wsl);
  }
  return wsl;
}

}  // namespace plumb
