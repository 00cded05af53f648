// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows' registry, read only. Keys as in observe/registry.h: "HKLM\\SOFTWARE\\...", in the 64-bit
// view. registry_win32.cc; registry_posix.cc has none.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace plumb {

struct RawRegistryValue {
  std::uint32_t type = 0;  // REG_*
  std::string data;        // as stored
};

/// Errors: not_found, no_permission, limit (over 1 MB), io.
[[nodiscard]] Result<RawRegistryValue> read_registry_value(const std::string& key,
                                                           const std::string& name);
[[nodiscard]] Result<std::vector<std::string>> list_registry_keys(const std::string& key);
[[nodiscard]] Result<std::vector<std::string>> list_registry_values(const std::string& key);

}  // namespace plumb
