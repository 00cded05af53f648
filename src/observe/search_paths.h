// SPDX-License-Identifier: Apache-2.0
#pragma once
// PATH and its kin: what they hold, and what is wrong with their entries.

#include "facts/process_state.h"
#include "observe/host.h"
#include "observe/mount_table.h"

namespace plumb {

[[nodiscard]] SearchPaths observe_search_paths(const Host& host, const MountTable& mounts);

}  // namespace plumb
