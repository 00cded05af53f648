// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Windows Subsystem for Linux, seen from inside it or from its Windows.

#include "facts/container_state.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] WslState observe_wsl(const Host& host);

}  // namespace plumb
