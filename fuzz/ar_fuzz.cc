// SPDX-License-Identifier: Apache-2.0
// A static archive: each member listed must lie within it.
#include <cstdlib>

#include "binary/ar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto archive = plumb::read_ar(source);
  for (std::size_t i = 0; archive && i < archive->members.size(); ++i) {
    if (!plumb::fits(archive->members[i].offset, archive->members[i].size, source.size())) {
      std::abort();
    }
  }
  return 0;
}
