// SPDX-License-Identifier: Apache-2.0
#pragma once
// Installs of NVIDIA's display drivers as Windows logged them, whoever asked for them:
// setupapi.dev.log in the folder INF of Windows (Windows Driver Kit, "Format of a Text Log
// Section"). The log grows to tens of megabytes, so only its end is read.

#include <string_view>
#include <vector>

#include "facts/windows_driver.h"
#include "observe/host.h"

namespace plumb {

/// Newest first.
[[nodiscard]] Fact<std::vector<DriverInstall>> observe_driver_installs(const Host& host);

/// Oldest first. A section whose head or end is cut off counts only if its head is there.
[[nodiscard]] std::vector<DriverInstall> parse_setup_log(std::string_view text);

}  // namespace plumb
