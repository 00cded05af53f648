// SPDX-License-Identifier: Apache-2.0
#pragma once
// The share of the machine's processors that a container was given (Linux only;
// cgroup_quota_linux.cc).

#include <optional>
#include <string>

namespace plumb {

/// Processors by quota (1.5 = one and a half), the smallest of this process's cgroup and those
/// above it, from cgroup v2 or v1; empty without a quota. `root` is "/" outside tests.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(const std::string& root = "/");

}  // namespace plumb
