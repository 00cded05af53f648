// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which packages of NVIDIA's driver Linux' package managers think are installed, without running
// one: dpkg's status file, the folder names of pacman, DNF's module file; and what NVIDIA's own
// .run installer leaves. RPM's databases are binary and are not read: the driver's files tell.

#include <string>
#include <string_view>
#include <vector>

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] DriverPackages observe_driver_packages(const Host& host);

/// Those of dpkg's /var/lib/dpkg/status that are of the driver.
[[nodiscard]] std::vector<DriverPackage> parse_dpkg_status(std::string_view text,
                                                           const std::string& path);

}  // namespace plumb
