// SPDX-License-Identifier: Apache-2.0
#pragma once
// What ld.so says of a file by its ELF header, before it looks at anything else: whether it may be
// loaded, is passed over, or ends the search. In glibc: open_verify() of elf/dl-load.c.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/source.h"
#include "binary/elf.h"

namespace plumb {

inline constexpr std::uint64_t kElfHeaderSize = 64;

struct ElfHeaderVerdict {
  enum class Kind : std::uint8_t { right, other_class, other_machine, refused };
  Kind kind = Kind::right;
  std::string words;  // ld.so's; "" for `right` and `other_machine`, which it says nothing of
};

/// Of the file's first bytes (kElfHeaderSize of them, or all that it has).
[[nodiscard]] ElfHeaderVerdict judge_elf_header(Bytes bytes, std::string_view machine);
/// Of a header that was read.
[[nodiscard]] ElfHeaderVerdict judge_elf_header(const ElfFile& elf, std::string_view machine);

}  // namespace plumb
