// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where libraries for an environment may lie, whether a loader looks there or not: to say which
// other copies there are.

#include <string>
#include <vector>

#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// `environment` may have a system alone. NVIDIA's wheels, the environment's own folders, the
/// loader's, toolkits; only those that exist.
[[nodiscard]] std::vector<std::string> library_folders(const Host& host,
                                                       const PythonEnvironment& environment);

}  // namespace plumb
