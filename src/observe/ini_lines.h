// SPDX-License-Identifier: Apache-2.0
#pragma once
// The settings of INI files, and of those TOML files that hold no more than an INI file would.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/container_state.h"

namespace plumb {

/// The first 200 lines that set something. Sections and keys in lower case; quotes around a value
/// and a comment behind it are left out; a mark for UTF-8 at the front is skipped.
[[nodiscard]] std::vector<IniSetting> parse_ini_lines(std::string_view text);

/// The last value of section.key.
[[nodiscard]] std::optional<std::string> find_setting(const std::vector<IniSetting>& settings,
                                                      std::string_view section,
                                                      std::string_view key);

}  // namespace plumb
