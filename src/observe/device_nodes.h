// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA's device nodes on Linux. They are made by nvidia-modprobe, udev or a container runtime,
// and so may be missing, forbidden or stale while the module is well.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "facts/linux_driver.h"
#include "observe/host.h"
#include "os/device_node.h"

namespace plumb {

/// Fills nodes, missing_nodes and imex_channels; reads modules and cards, which say what to expect.
/// `status` is node_status but in tests.
void observe_device_nodes(
    const Host& host, LinuxDriver& driver,
    const std::function<Result<NodeStatus>(const std::string&)>& status = node_status);

/// The character devices of /proc/devices: "nvidia-uvm" -> 238.
[[nodiscard]] std::map<std::string, std::uint64_t> parse_proc_devices(std::string_view text);

}  // namespace plumb
