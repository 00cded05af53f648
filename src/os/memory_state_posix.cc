// SPDX-License-Identifier: Apache-2.0
#include "os/memory_state.h"

namespace plumb {

Result<MemoryState> memory_state() {
  return fail(ErrorCode::unsupported, "Linux tells its memory in /proc/meminfo");
}

}  // namespace plumb
