// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA's daemons on Linux: which are there and run, asked of files and of no service manager.

#include "facts/linux_driver.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] DriverServices observe_driver_services(const Host& host);

}  // namespace plumb
