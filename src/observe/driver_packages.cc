// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_packages.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLargestStatus = 64 << 20;
constexpr std::size_t kMostPackages = 1000;
constexpr std::array<const char*, 5> kRunInstaller = {
    "/usr/bin/nvidia-uninstall", "/usr/bin/nvidia-installer", "/var/log/nvidia-installer.log",
    "/etc/modprobe.d/nvidia-installer-disable-nouveau.conf",
    "/usr/lib/modprobe.d/nvidia-installer-disable-nouveau.conf"};

bool is_of_driver(std::string_view name) {
  return name.find("nvidia") != std::string_view::npos || name.starts_with("libcuda1") ||
         name.starts_with("cuda-drivers") || name.starts_with("cuda-compat") ||
         name.starts_with("bumblebee");
}

/// "install ok installed": what is wanted, whether it is well, how far it got (dpkg(1)).
std::optional<PackageState> state_of(std::string_view status) {
  const std::vector<std::string_view> words = split(status, ' ');
  if (words.size() != 3 || words[2] == "not-installed") {
    return std::nullopt;
  }
  if (words[1] != "ok") {
    return PackageState::broken;
  }
  return words[2] == "installed"      ? PackageState::installed
         : words[2] == "config-files" ? PackageState::leftover
                                      : PackageState::broken;
}

/// "nvidia-utils-580.95.05-1" -> name, version with release.
std::optional<std::pair<std::string_view, std::string_view>> split_pacman_name(
    std::string_view name) {
  const std::size_t release = name.rfind('-');
  const std::size_t version =
      release == std::string_view::npos || release == 0 ? release : name.rfind('-', release - 1);
  if (version == std::string_view::npos || version == 0) {
    return std::nullopt;
  }
  return std::pair(name.substr(0, version), name.substr(version + 1));
}

void add_pacman(const Host& host, DriverPackages& facts) {
  const std::string folder = "/var/lib/pacman/local";
  for (const DirectoryEntry& entry : entries_of(host, folder)) {
    const auto parts = split_pacman_name(entry.name);
    if (parts && is_of_driver(parts->first) && facts.packages.size() < kMostPackages) {
      facts.packages.push_back({std::string(parts->first), std::string(parts->second), "",
                                PackageState::installed, "", folder + "/" + entry.name});
    }
  }
}

/// DNF's module stream decides which driver an update brings: "stream=575-dkms".
void add_dnf_module(const Host& host, DriverPackages& facts) {
  const std::string path = "/etc/dnf/modules.d/nvidia-driver.module";
  const auto text = read_text_file(host.at(path), 64 << 10);
  if (!text) {
    return;
  }
  DriverPackage module{"nvidia-driver", "", "", PackageState::installed, "", path};
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view key = trim(line.substr(0, equals));
    if (key == "stream") {
      module.version = trim(line.substr(equals + 1));
    } else if (key == "state") {
      module.status = trim(line.substr(equals + 1));
    }
  }
  if (module.status == "enabled") {
    facts.packages.push_back(std::move(module));
  }
}

}  // namespace

std::vector<DriverPackage> parse_dpkg_status(std::string_view text, const std::string& path) {
  std::vector<DriverPackage> packages;
  DriverPackage current;
  const auto finish = [&] {
    if (const auto state = state_of(current.status);
        state && is_of_driver(current.name) && packages.size() < kMostPackages) {
      current.state = *state;
      current.origin = path;
      packages.push_back(std::move(current));
    }
    current = {};
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (trim(line).empty()) {
      finish();
    } else if (line.starts_with("Package: ")) {
      current.name = trim(line.substr(9));
    } else if (is_of_driver(current.name)) {
      if (line.starts_with("Status: ")) {
        current.status = trim(line.substr(8));
      } else if (line.starts_with("Version: ")) {
        current.version = trim(line.substr(9));
      } else if (line.starts_with("Architecture: ")) {
        current.architecture = trim(line.substr(14));
      }
    }
  }
  finish();
  return packages;
}

DriverPackages observe_driver_packages(const Host& host) {
  DriverPackages facts;
  const std::string status = "/var/lib/dpkg/status";
  const auto text = read_text_file(host.at(status), kLargestStatus);
  if (text) {
    facts.packages = parse_dpkg_status(*text, status);
  } else if (text.error().code != ErrorCode::not_found) {
    facts.fault = Error(text.error()).in(status);
  }
  add_pacman(host, facts);
  add_dnf_module(host, facts);
  for (const char* path : kRunInstaller) {
    if (exists(host, path)) {
      facts.run_installer.emplace_back(path);
    }
  }
  return facts;
}

}  // namespace plumb
