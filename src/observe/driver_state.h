// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole state of NVIDIA's driver, some tens of small files: nothing is loaded, no device is
// opened, no card is woken.

#include <vector>

#include "binary/library_cache.h"
#include "facts/driver_state.h"
#include "observe/host.h"

namespace plumb {

/// `wsl`: as observe_system() tells; `cache`: of read_library_cache().
[[nodiscard]] DriverState observe_driver_state(const Host& host, bool wsl,
                                               const std::vector<CachedLibrary>& cache);
/// The same, asking for both itself.
[[nodiscard]] DriverState observe_driver_state(const Host& host);

/// Those that are set, if to nothing, in a fixed order.
[[nodiscard]] std::vector<GpuVariable> observe_gpu_variables(const Host& host);

}  // namespace plumb
