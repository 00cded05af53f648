// SPDX-License-Identifier: Apache-2.0
#pragma once
// /etc/ld.so.cache, the list that the Linux loader looks names up in. Both layouts: the table of
// glibc before 2.2 ("ld.so-1.7.0"), which may stand in front or alone, and today's
// ("glibc-ld.so.cache1.1") with its glibc-hwcaps extension (2.33).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plumb {

struct CachedLibrary {
  std::string name;  // "libcuda.so.1"
  std::string path;
  std::string hwcap = {};  // "x86-64-v3": for CPUs of that level only; "" = for all
};

/// Entries for programs of `machine` ("x86_64", "aarch64"), in the file's order. Errors: malformed,
/// limit, truncated.
[[nodiscard]] Result<std::vector<CachedLibrary>> parse_library_cache(std::string_view bytes,
                                                                     std::string_view machine);

/// The path that ld.so takes for `name` on a CPU of these levels (best first): the best level's
/// entry, else the first without one. "" if it is not listed.
[[nodiscard]] std::string find_in_cache(const std::vector<CachedLibrary>& cache,
                                        std::string_view name,
                                        std::span<const std::string> hwcaps = {});

}  // namespace plumb
