// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is this a container, of which kind, and was a GPU passed in? On a host: how GPUs would be.

#include <string>
#include <string_view>
#include <vector>

#include "facts/container_state.h"
#include "observe/host.h"
#include "observe/mount_table.h"

namespace plumb {

[[nodiscard]] ContainerState observe_container(const Host& host, const MountTable& mounts);

/// container_toolkit.cc
[[nodiscard]] ContainerToolkit observe_container_toolkit(const Host& host);

/// Driver versions in names such as "libcuda.so.570.86.15", each once, at most 8.
[[nodiscard]] std::vector<std::string> driver_versions_in(std::string_view text);

}  // namespace plumb
