// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// All probes of `check`, one after the other: files and folders only. No process is started, no
/// library loaded, no card woken. `environment` is --env's value or "".
[[nodiscard]] MachineFacts observe_machine(const Host& host, const std::string& environment);

}  // namespace plumb
