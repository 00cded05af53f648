// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the loader would make of an environment's frameworks and extensions: where each CUDA library
// that they ask for comes from, and what would fail when they are imported. Nothing is run.

#include <vector>

#include "facts/library_choice.h"
#include "facts/machine.h"
#include "observe/host.h"

namespace plumb {

/// Fills bases, needs and load_faults of each framework from its `libraries` and the replay of its
/// import; the driver's own libraries are left out of `needs`. What could not be read goes to
/// `errors`. With `processes`, what each import has loaded is added to it.
void observe_loading(const Host& host, const PythonEnvironment& environment,
                     const std::vector<Distribution>& distributions,
                     std::vector<FrameworkFacts>& frameworks, std::vector<Error>& errors,
                     std::vector<ProcessLibraries>* processes = nullptr);

}  // namespace plumb
