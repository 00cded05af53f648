// SPDX-License-Identifier: Apache-2.0
#pragma once
// METADATA, byte by byte: what it says, and what of it Python's own reader stumbles over.

#include <string>
#include <string_view>
#include <vector>

#include "facts/machine.h"
#include "facts/python_packages.h"

namespace plumb {

struct MetadataReading {
  std::string path;
  Fact<std::string> name;
  Fact<std::string> version;
  std::vector<std::string> requires_dist;
  std::vector<MetadataFault> faults;
};

[[nodiscard]] MetadataReading read_metadata_of(const Distribution& distribution);

/// Of a file's text (at most its first 256 KB).
void examine_metadata(std::string_view text, MetadataReading& reading);

/// "1.0.0" and "1.0" are one version, "1.0-rc1", "1.0_RC1" and "1.0rc1" too; a local part counts.
[[nodiscard]] bool is_same_version(std::string_view left, std::string_view right);

}  // namespace plumb
