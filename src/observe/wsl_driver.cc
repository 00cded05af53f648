// SPDX-License-Identifier: Apache-2.0
// The driver store is a mount of Windows' disk by way of 9p, slow for each file: it is listed once,
// and of each of NVIDIA's packages the head of one file is read.
#include "observe/wsl_driver.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "binary/utf16.h"
#include "observe/driver_version.h"
#include "observe/host_files.h"
#include "observe/windows_dll.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kStore = "/usr/lib/wsl/drivers";
constexpr std::size_t kMostPackages = 32;
constexpr std::size_t kMostLibraries = 500;
constexpr std::uint64_t kInfStart = 64 << 10;

/// "nv_dispi.inf_amd64_0123456789abcdef" -> "nv_dispi.inf"
std::string inf_name(const std::string& folder) {
  return folder.substr(0, folder.find(".inf_") + 4);
}

WslDriverPackage read_package(const Host& host, const std::string& name) {
  WslDriverPackage package;
  package.folder = std::string(kStore) + "/" + name;
  const std::string inf = package.folder + "/" + inf_name(name);
  const auto text = read_text_start(host.at(inf), kInfStart);
  const auto version = text ? driver_version_of_inf(*text) : std::nullopt;
  package.version =
      version ? Fact<std::string>::present(*version, inf) : Fact<std::string>::absent(inf);
  for (const char* file : {"nvcuda64.dll", "nvml.dll"}) {
    if (package.version) {
      break;
    }
    const std::string path = package.folder + "/" + file;
    Fact<std::string> seen = dll_version(host.at(path), path);
    if (seen || seen.fault) {
      package.version = std::move(seen);
    }
  }
  if (package.version) {
    package.release = driver_of_file_version(*package.version.value).value_or("");
  }
  return package;
}

}  // namespace

std::optional<std::string> driver_version_of_inf(std::string_view text) {
  const std::string wide = text.starts_with("\xff\xfe")
                               ? utf8_from_utf16(std::as_bytes(std::span(text.substr(2))))
                               : std::string(text);
  for (std::string_view line : split(wide, '\n')) {
    line = trim(line);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos ||
        to_lower_ascii(trim(line.substr(0, equals))) != "driverver") {
      continue;
    }
    const std::size_t comma = line.find(',', equals);
    if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    std::string_view version = line.substr(comma + 1);
    version = trim(version.substr(0, version.find(';')));
    return Version::parse(version) ? std::optional(std::string(version)) : std::nullopt;
  }
  return std::nullopt;
}

WslDriver observe_wsl_driver(const Host& host, const LinuxDriver& linux_driver) {
  WslDriver facts;
  facts.dxg = existence_fact(host, "/dev/dxg");
  const std::string folder = "/usr/lib/wsl/lib";
  const auto entries = list_directory(host.at(folder));
  if (entries) {
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : *entries) {
      if (names.size() < kMostLibraries) {
        names.push_back(entry.name);
      }
    }
    facts.libraries = Fact<std::vector<std::string>>::present(std::move(names), folder);
  } else {
    facts.libraries = fact_of_error<std::vector<std::string>>(entries.error(), folder);
  }
  for (const DirectoryEntry& entry : entries_of(host, kStore)) {
    if (!is_nvidia_store_folder(entry.name) || facts.packages.size() >= kMostPackages) {
      continue;
    }
    WslDriverPackage package = read_package(host, entry.name);
    const std::string inside = package.folder + "/";
    // NVIDIA's audio and USB drivers have folders of such names, too.
    if (exists(host, inside + "nvcuda64.dll") || exists(host, inside + "nvml.dll") ||
        exists(host, inside + "libcuda.so.1.1")) {
      facts.packages.push_back(std::move(package));
    }
  }
  std::ranges::stable_sort(facts.packages, std::ranges::greater{},
                           [](const WslDriverPackage& package) {
                             return Version::parse(package.release).value_or(Version{});
                           });
  for (const DriverLibrary& library : linux_driver.libraries.libraries) {
    if (!library.version.empty() && !library.path.starts_with("/usr/lib/wsl/")) {
      facts.linux_driver.push_back(library.path);
    }
  }
  return facts;
}

}  // namespace plumb
