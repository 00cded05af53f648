// SPDX-License-Identifier: Apache-2.0
#pragma once
// Packages for inspect.cc: wheels and conda packages, streamed.

#include <string>

#include "base/source.h"
#include "observe/inspect.h"

namespace plumb {

/// By the ending: .whl, .conda, .tar.bz2.
[[nodiscard]] bool is_package_name(std::string_view path);

/// The package and its binary members, in the order of their names.
[[nodiscard]] Inspection inspect_package(const std::string& path, const Source& source,
                                         const InspectOptions& options);

/// Sets package.facts.gpu to the union of the members' GPU code: images and containers of all,
/// without offsets.
void unite_gpu_code(BinaryFacts& package, std::span<const InspectedFile> members);

}  // namespace plumb
