// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA's driver on Windows beyond its version: files in System32 and in the driver store, the
// registry's word on packages, services, time limits and policies.

#include <string>
#include <string_view>

#include "facts/windows_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] WindowsDriver observe_windows_driver_state(const Host& host);

/// The folder of the driver store in a path below it, or that path's own, without what follows:
/// "C:\\Windows\\System32\\DriverStore\\FileRepository\\nv_dispi.inf_amd64_0\\nvldumdx.dll" ->
/// up to "nv_dispi.inf_amd64_0". "" if the path is not in the store. "\\SystemRoot" stays.
[[nodiscard]] std::string store_folder_of(std::string_view path);

}  // namespace plumb
