// SPDX-License-Identifier: Apache-2.0
#pragma once
// Control groups of Linux: the share of the machine that this process's group was given. Only files
// are read, so a made-up tree works on both systems.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Processors by quota (1.5 = one and a half), the smallest of this process's cgroup and those
/// above it, from cgroup v2 or v1; empty without a quota. `root` is "/" outside tests.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(const std::string& root = "/");

struct CgroupFolder {
  std::string path;
  bool v2 = false;
};

/// The folders whose files limit this process for a controller ("memory", "cpuset"): its own group
/// first, then those above it up to the mount. A group that is not there has a folder here, too: in
/// a container the path may be the host's.
[[nodiscard]] std::vector<CgroupFolder> cgroup_folders(std::string_view controller,
                                                       const std::string& root = "/");

}  // namespace plumb
