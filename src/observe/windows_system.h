// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows' release, settings, protection and Visual C++ runtime.

#include "facts/windows_system.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] WindowsSystem observe_windows_system(const Host& host);

}  // namespace plumb
