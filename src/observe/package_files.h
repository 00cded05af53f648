// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which libraries an installed package owns.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/machine.h"

namespace plumb {

struct OwnedLibrary {
  std::string path;        // below the site-packages folder, with '/'
  std::uint64_t size = 0;  // as RECORD says; 0 = not said
};

/// By RECORD; where there is none (conda, Debian), by walking `folders` below the site. Largest
/// first, at most kMostLibraries.
[[nodiscard]] std::vector<OwnedLibrary> owned_libraries(const Distribution& distribution,
                                                        const std::vector<std::string>& folders);
inline constexpr std::size_t kMostLibraries = 400;

/// The rows of a RECORD that are libraries. Paths that leave the site-packages folder are left out.
[[nodiscard]] std::vector<OwnedLibrary> libraries_of_record(std::string_view record);

/// .so, .so.1.2, .dll, .pyd
[[nodiscard]] bool is_library_name(std::string_view path);

}  // namespace plumb
