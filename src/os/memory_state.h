// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of the running Windows. memory_state_win32.cc; memory_state_posix.cc has none, because
// Linux tells it in /proc/meminfo.

#include <cstdint>

#include "base/result.h"

namespace plumb {

struct MemoryState {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
  std::uint64_t commit_limit_bytes = 0;  // memory and page files together
  std::uint64_t commit_available_bytes = 0;
};

/// Errors: unsupported (Linux), io.
[[nodiscard]] Result<MemoryState> memory_state();

}  // namespace plumb
