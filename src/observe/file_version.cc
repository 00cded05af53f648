// SPDX-License-Identifier: Apache-2.0
#include "observe/file_version.h"

#include <algorithm>

#include "base/text.h"
#include "binary/file_versions.h"
#include "binary/nvidia_names.h"
#include "observe/package_files.h"
#include "os/file.h"

namespace plumb {
namespace {

/// Of "libcublas.so.13.1.0.3" what follows ".so."; a single number is the SONAME's, not a version.
std::string version_in_file_name(const std::string& path) {
  const std::size_t at = path.rfind(".so.");
  if (at == std::string::npos) {
    return {};
  }
  const std::string version = path.substr(at + 4);
  return std::ranges::count(version, '.') > 0 &&
                 version.find_first_not_of("0123456789.") == std::string::npos
             ? version
             : std::string{};
}

std::string version_in_bytes(RealFiles& files, const std::string& path) {
  if (!is_nvidia_library(path)) {
    return {};
  }
  const auto source = files.open(path);
  if (!source) {
    return {};
  }
  std::map<std::string, std::string> versions;
  if (const auto elf = files.elf(path)) {
    versions = read_file_versions(**source, **elf);
  } else if (const auto pe = files.pe(path)) {
    versions = read_file_versions(**source, **pe);
  }
  return versions.empty() ? std::string{} : versions.begin()->second;
}

/// By RECORD: NVIDIA's wheels say in their names which version they bring.
std::string version_of_package(const std::string& here,
                               const std::vector<Distribution>& distributions) {
  for (const Distribution& distribution : distributions) {
    if (!here.starts_with(distribution.site) || !distribution.normalized.starts_with("nvidia-")) {
      continue;
    }
    std::string relative = here.substr(std::min(distribution.site.size() + 1, here.size()));
    std::ranges::replace(relative, '\\', '/');
    for (const OwnedLibrary& library : owned_libraries(distribution, {})) {
      if (library.path == relative) {
        return distribution.version;
      }
    }
  }
  return {};
}

}  // namespace

std::string version_of_file(RealFiles& files, const std::string& path,
                            const std::vector<Distribution>& distributions) {
  if (std::string version = version_in_bytes(files, path); !version.empty()) {
    return version;
  }
  if (std::string version = version_in_file_name(files.resolved(path)); !version.empty()) {
    return version;
  }
  if (ends_with_nocase(path, ".dll")) {
    const auto pe = files.pe(path);
    if (pe && (*pe)->file_version) {
      return *(*pe)->file_version;
    }
  }
  return is_nvidia_library(path) ? version_of_package(files.here(path), distributions)
                                 : std::string{};
}

}  // namespace plumb
