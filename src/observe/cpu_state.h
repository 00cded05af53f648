// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processor and the machine's maker. Serial numbers are never read.

#include "facts/system_state.h"
#include "observe/host.h"

namespace plumb {

[[nodiscard]] CpuFacts observe_cpu(const Host& host);

}  // namespace plumb
