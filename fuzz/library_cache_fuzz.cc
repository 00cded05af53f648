// SPDX-License-Identifier: Apache-2.0
// /etc/ld.so.cache in both layouts, and the text that is built into ld.so.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "binary/library_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto cache = plumb::parse_library_cache(bytes, "x86_64");
  const std::string levels[] = {"x86-64-v3", "x86-64-v2"};
  for (std::size_t i = 0; cache && i < cache->size() && i < 50; ++i) {
    const plumb::CachedLibrary& library = (*cache)[i];
    if (library.name.empty() || library.path.empty() ||
        (library.hwcap.empty() && plumb::find_in_cache(*cache, library.name, levels).empty())) {
      std::abort();
    }
  }
  return 0;
}
