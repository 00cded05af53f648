// SPDX-License-Identifier: Apache-2.0
#pragma once
// The probes of the operating system together: memory, limits, disks, C runtime, containers, WSL,
// job schedulers, proxies, variables. Small files and registry values only; nothing is started.

#include <string>

#include "facts/system_state.h"
#include "observe/host.h"

namespace plumb {

/// `environment` is the root of the Python environment in force, whose disk is looked at; "" =
/// none.
[[nodiscard]] SystemState observe_system_state(const Host& host,
                                               const std::string& environment = {});

}  // namespace plumb
