// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a snapshot keeps of the loader's replay, so that `which` can answer from it: for each
// process its choices, and for python alone what opening each CUDA library that lies somewhere
// would find.

#include <string>
#include <vector>

#include "facts/library_choice.h"
#include "facts/machine.h"
#include "observe/environment_loading.h"

namespace plumb {

/// Of a process in which frameworks were imported. `framework` is their names: "torch + xformers".
[[nodiscard]] ProcessLibraries process_libraries(ReplayedProcess& process,
                                                 const std::string& framework, RealFiles& files,
                                                 const std::vector<std::string>& known_folders,
                                                 const std::vector<Distribution>& distributions);

/// Of python by itself; without an environment, of any program of the host's system.
[[nodiscard]] ProcessLibraries plain_libraries(const Host& host,
                                               const PythonEnvironment* environment,
                                               const std::vector<Distribution>& distributions);

/// library_folders() by their paths on the machine looked at.
[[nodiscard]] std::vector<std::string> known_library_folders(const Host& host,
                                                             const RealFiles& files,
                                                             const PythonEnvironment* environment);

/// Adds versions, and the chosen file's own path, links followed, as a process shows what it has
/// mapped.
void complete_choice(RealFiles& files, const std::vector<Distribution>& distributions,
                     LibraryChoice& choice);

}  // namespace plumb
