// SPDX-License-Identifier: Apache-2.0
// The zip directory, then each member: drained, and read in places before and after.
#include <algorithm>
#include <array>

#include "binary/member_source.h"
#include "binary/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const plumb::MemorySource archive(std::as_bytes(std::span(data, size)));
  const auto directory = plumb::read_zip_directory(archive);
  std::uint64_t room = 1 << 20;  // unpacked bytes, all members together
  for (std::size_t i = 0; directory && i < std::min<std::size_t>(directory->entries.size(), 16);
       ++i) {
    const auto member = plumb::MemberSource::open(archive, directory->entries[i]);
    if (!member) {
      continue;
    }
    std::array<std::byte, 32> bytes{};
    const std::uint64_t place = (*member)->size() < (1 << 20) ? (*member)->size() / 2 : 70'000;
    static_cast<void>((*member)->read(place, bytes));
    static_cast<void>((*member)->drain([&](plumb::Bytes piece) -> plumb::Result<void> {
      room -= std::min<std::uint64_t>(room, piece.size());
      return room == 0 ? plumb::fail(plumb::ErrorCode::limit, "enough") : plumb::Result<void>();
    }));
    static_cast<void>((*member)->read(place / 3, bytes));
  }
  return 0;
}
