// SPDX-License-Identifier: Apache-2.0
#pragma once
// /etc/ld.so.cache, the list that the Linux loader looks names up in.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plumb {

struct CachedLibrary {
  std::string name;  // "libcuda.so.1"
  std::string path;
};

/// Entries for programs of `machine` ("x86_64", "aarch64"), in the loader's order: the first of a
/// name wins. Errors: malformed, limit, truncated.
[[nodiscard]] Result<std::vector<CachedLibrary>> parse_library_cache(std::string_view bytes,
                                                                     std::string_view machine);

/// The path of `name`; "" if it is not listed.
[[nodiscard]] std::string find_in_cache(const std::vector<CachedLibrary>& cache,
                                        std::string_view name);

}  // namespace plumb
