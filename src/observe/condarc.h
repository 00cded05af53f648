// SPDX-License-Identifier: Apache-2.0
#pragma once
// conda's configuration files: which there are, in conda's order (later ones win), and the part of
// YAML in which they are written.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "observe/host.h"

namespace plumb {

/// Those that exist. `prefix` is the environment in force, "" for CONDA_PREFIX.
[[nodiscard]] std::vector<std::string> condarc_files(const Host& host,
                                                     const std::string& prefix = {});

struct Condarc {
  /// "channels" -> {"conda-forge", "nvidia"}; a scalar is a list of one; "proxy_servers.https".
  std::map<std::string, std::vector<std::string>> values;
  std::vector<Error> errors;  // lines that are no YAML, `where` as "FILE:LINE"
};

/// Keys of one or two levels with scalars and lists, block or [inline]; anchors, multi-line scalars
/// and deeper levels are passed over. `path` is for errors.
[[nodiscard]] Condarc parse_condarc(std::string_view text, const std::string& path);

/// Values of `key` in all files, later files first, as conda merges lists.
[[nodiscard]] std::vector<std::string> condarc_list(const Host& host, const std::string& key);

}  // namespace plumb
