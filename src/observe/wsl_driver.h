// SPDX-License-Identifier: Apache-2.0
#pragma once
// The driver inside WSL: Windows', reached through /dev/dxg, with libraries that Windows mounts.

#include <optional>
#include <string>
#include <string_view>

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

/// `linux_driver`: what was seen of a Linux driver, which must not be there.
[[nodiscard]] WslDriver observe_wsl_driver(const Host& host, const LinuxDriver& linux_driver);

/// "DriverVer = 08/14/2024, 32.0.15.6094" of an INF's text (UTF-16LE with its mark, or ANSI) ->
/// "32.0.15.6094".
[[nodiscard]] std::optional<std::string> driver_version_of_inf(std::string_view text);

}  // namespace plumb
