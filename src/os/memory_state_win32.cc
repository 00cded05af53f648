// SPDX-License-Identifier: Apache-2.0
#include "os/memory_state.h"

#include <windows.h>

#include "os/system_error.h"

namespace plumb {

Result<MemoryState> memory_state() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (::GlobalMemoryStatusEx(&status) == 0) {
    return std::unexpected(system_error(::GetLastError()));
  }
  return MemoryState{status.ullTotalPhys, status.ullAvailPhys, status.ullTotalPageFile,
                     status.ullAvailPageFile};
}

}  // namespace plumb
