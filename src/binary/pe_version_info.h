// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/source.h"

namespace plumb::pe {

/// VS_VERSIONINFO, what Explorer's "Details" page shows.
struct VersionInfo {
  std::optional<std::string> file_version;  // of VS_FIXEDFILEINFO: "32.0.15.6636"
  std::optional<std::string> product_version;
  std::map<std::string, std::string> strings;  // of the best language's StringTable, UTF-8
};

/// Fills `out` as far as it gets. Error: malformed.
[[nodiscard]] Result<void> parse_version_info(Bytes resource, VersionInfo& out);

}  // namespace plumb::pe
