// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a snapshot keeps of the loader's replay, so that `which` can answer from it: for each
// process its choices, and for python alone what opening each CUDA library that lies somewhere
// would find.

#include <string>
#include <string_view>
#include <vector>

#include "facts/library_choice.h"
#include "facts/machine.h"
#include "observe/environment_loading.h"

namespace plumb {

/// Of a process in which frameworks were imported, without versions. `framework` is their names:
/// "torch + xformers".
[[nodiscard]] ProcessLibraries process_libraries(ReplayedProcess& process,
                                                 const std::string& framework, RealFiles& files,
                                                 const std::vector<std::string>& known_folders);

/// Of python by itself, without versions; without an environment, of any program of the host's
/// system.
[[nodiscard]] ProcessLibraries plain_libraries(const Host& host,
                                               const PythonEnvironment* environment);

/// library_folders() by their paths on the machine looked at.
[[nodiscard]] std::vector<std::string> known_library_folders(const Host& host,
                                                             const RealFiles& files,
                                                             const PythonEnvironment* environment);

/// The chosen file's own path, links followed, as a process shows what it has mapped.
void resolve_choice(RealFiles& files, LibraryChoice& choice);

/// Versions of the chosen files and the losers; each file is read once, however often it is named.
void add_versions(const Host& host, std::string_view system,
                  const std::vector<Distribution>& distributions,
                  const std::vector<LibraryChoice*>& choices);

}  // namespace plumb
