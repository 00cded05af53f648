// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/machine.h"
#include "facts/snapshot.h"
#include "observe/host.h"

namespace plumb {

/// All probes of `check`: files and folders only. No process is started, no
/// library loaded, no card woken. `environment` is --env's value or "". With `processes`, what each
/// framework's import loads, and what python alone would, is kept too, without versions.
[[nodiscard]] MachineFacts observe_machine(const Host& host, const std::string& environment,
                                           std::vector<ProcessLibraries>* processes = nullptr);

/// The same with all that a snapshot holds besides; the caller adds plumb's version and the time.
[[nodiscard]] Snapshot take_snapshot(const Host& host, const std::string& environment);

}  // namespace plumb
