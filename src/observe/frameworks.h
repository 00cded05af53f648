// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frameworks of an environment: which packages make one, what its version file says, and what
// its own libraries really hold. "Own" is what its RECORD lists; NVIDIA's libraries that some bring
// along are not.

#include <vector>

#include "facts/machine.h"

namespace plumb {

/// The same frameworks and extensions by their packages and version files alone: no library is
/// opened, `libraries` and `needs` stay empty. Extensions of every GPU project are in it.
[[nodiscard]] std::vector<FrameworkFacts> list_frameworks(
    const std::vector<Distribution>& distributions);

/// Any package as an extension: what it loads is what its own modules need.
[[nodiscard]] FrameworkFacts extension_of(const Distribution& distribution);

/// Those of `frameworks` that an extension's package requires.
[[nodiscard]] std::vector<const FrameworkFacts*> required_frameworks(
    const FrameworkFacts& extension, const std::vector<FrameworkFacts>& frameworks,
    const std::vector<Distribution>& distributions);

/// Those whose own libraries are among these names: "libtorch_cpu.so" means torch.
[[nodiscard]] std::vector<const FrameworkFacts*> frameworks_of_libraries(
    const std::vector<std::string>& names, const std::vector<FrameworkFacts>& frameworks);

/// Paths of the libraries that one of them owns, largest first; NVIDIA's own are left out.
[[nodiscard]] std::vector<std::string> libraries_of_framework(
    const FrameworkFacts& facts, const std::vector<Distribution>& distributions);

/// Frameworks first, in order of name, then extensions that have to do with CUDA, with what their
/// own libraries hold; `needs` and `load_faults` are observe_loading()'s. What could not be read
/// goes to `errors`.
[[nodiscard]] std::vector<FrameworkFacts> observe_frameworks(
    const std::vector<Distribution>& distributions, std::vector<Error>& errors);

}  // namespace plumb
