// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the CUDA libraries that a framework's own libraries ask for by name may be found: in any
// place that its loading can reach. Being found here does not prove that the loader takes this
// file; being found nowhere does prove that loading fails.

#include <string>
#include <vector>

#include "binary/library_cache.h"
#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// Every folder in which libraries for this environment may lie, whether a loader looks there or
/// not: NVIDIA's wheels, the environment's own, the loader's, toolkits. Only those that exist.
[[nodiscard]] std::vector<std::string> library_folders(const Host& host,
                                                       const PythonEnvironment& environment);

/// Fills framework.needs from framework.libraries; the driver's own libraries are left out.
void find_needed_libraries(const Host& host, const PythonEnvironment& environment,
                           const std::vector<CachedLibrary>& cache, FrameworkFacts& framework);

}  // namespace plumb
