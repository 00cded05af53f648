// SPDX-License-Identifier: Apache-2.0
#pragma once
// Settings of Windows that bear on the GPU driver: time limits, scheduling, who may change drivers.

#include <cstdint>
#include <string>

#include "facts/windows_driver.h"
#include "observe/registry.h"

namespace plumb {

/// A DWORD and nothing else: other types are unreadable, since what reads the setting may ignore
/// them.
[[nodiscard]] Fact<std::uint64_t> registry_dword(const Registry& registry, const std::string& key,
                                                 const std::string& name);

[[nodiscard]] TdrSettings observe_tdr(const Registry& registry);
[[nodiscard]] Fact<std::uint64_t> observe_hardware_scheduling(const Registry& registry);
[[nodiscard]] DriverPolicy observe_driver_policy(const Registry& registry);

}  // namespace plumb
