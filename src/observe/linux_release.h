// SPDX-License-Identifier: Apache-2.0
#pragma once
// Distribution, kernel and C library of a Linux.

#include "facts/system_state.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] LinuxRelease observe_linux_release(const Host& host);

}  // namespace plumb
