// SPDX-License-Identifier: Apache-2.0
#pragma once
// Room on the disks where programs for GPUs write: caches of packages and models, temporary files,
// the environment itself.

#include <string>
#include <vector>

#include "facts/system_state.h"
#include "observe/host.h"
#include "observe/mount_table.h"

namespace plumb {

/// `environment` is the root of the Python environment in force; "" = none.
[[nodiscard]] std::vector<DiskFacts> observe_disks(const Host& host, const MountTable& mounts,
                                                   const std::string& environment);

}  // namespace plumb
