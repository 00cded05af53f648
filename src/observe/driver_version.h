// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA's driver as files tell it: nothing is loaded, no device is opened, no card is woken.

#include <optional>
#include <string>
#include <string_view>

#include "binary/library_cache.h"
#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] DriverFacts observe_driver(const Host& host, const SystemFacts& system,
                                         const std::vector<CachedLibrary>& cache);

/// The loader's cache of a Linux host; empty where there is none.
[[nodiscard]] std::vector<CachedLibrary> read_library_cache(const Host& host);

struct ModuleVersion {
  std::string version;
  bool open = false;
};
/// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
[[nodiscard]] std::optional<ModuleVersion> parse_nvrm_version(std::string_view text);

/// Windows' "32.0.15.6636" -> "566.36"; empty for versions that are not NVIDIA's (10.0.x).
[[nodiscard]] std::optional<std::string> driver_of_file_version(std::string_view file_version);

/// "libcuda.so.580.159.04" -> "580.159.04"; empty for libcuda.so.1 and libcuda.so.1.1.
[[nodiscard]] std::optional<std::string> version_in_name(std::string_view path);

}  // namespace plumb
