// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frameworks of an environment: which packages make one, what its version file says, and what
// its own libraries really hold. "Own" is what its RECORD lists; NVIDIA's libraries that some bring
// along are not.

#include <vector>

#include "facts/machine.h"
#include "observe/host.h"
#include "binary/library_cache.h"

namespace plumb {

/// Frameworks first, in order of name, then extensions that have to do with CUDA. What could not be
/// read goes to `errors`.
[[nodiscard]] std::vector<FrameworkFacts> observe_frameworks(
    const Host& host, const PythonEnvironment& environment,
    const std::vector<Distribution>& distributions, const std::vector<CachedLibrary>& cache,
    std::vector<Error>& errors);

}  // namespace plumb
