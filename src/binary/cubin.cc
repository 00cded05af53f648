// SPDX-License-Identifier: Apache-2.0
#include "binary/cubin.h"

#include <algorithm>
#include <string>

namespace plumb {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint8_t kOsAbiV7 = 0x33;  // CUDA up to 12
constexpr std::uint8_t kOsAbiV8 = 0x41;  // CUDA 13, and 12.8/12.9 for SM >= 100
constexpr std::uint32_t kArchSpecificV7 = 0x800;
constexpr std::uint32_t kArchSpecificV8 = 0x8;
constexpr std::uint32_t kSectionProgbits = 1;
constexpr std::uint32_t kSectionNote = 7;
constexpr std::uint64_t kMaxSections = 1U << 20;
constexpr std::uint64_t kMaxNotes = 1 << 20;       // of all note sections together
constexpr std::string_view kCodePrefix = ".text";  // ".text.NAME", one section a kernel or function

struct CubinSection {
  std::uint32_t name, type;
  std::uint64_t offset, size;
};

// .note.nv.cuinfo: u16 format, u16 virtual SM, u32 10 * toolkit. .note.nv.tkinfo: tool name,
// version text, and the options with the true target ("-arch sm_90a"). Both are owned by "NVIDIA
// Corp".
void read_notes(Bytes notes, CubinHeader& header) {
  std::size_t at = 0;
  while (notes.size() - at >= 12) {
    const auto name_size = load_le<std::uint32_t>(notes, at);
    const auto desc_size = load_le<std::uint32_t>(notes, at + 4);
    const std::uint64_t name_padded = (std::uint64_t{name_size} + 3) / 4 * 4;
    const std::uint64_t desc_padded = (std::uint64_t{desc_size} + 3) / 4 * 4;
    if (!fits(at + 12, name_padded, notes.size()) ||
        !fits(at + 12 + name_padded, desc_size, notes.size())) {
      return;
    }
    const std::string_view name = as_text(notes.subspan(at + 12, name_size));
    const Bytes desc = notes.subspan(static_cast<std::size_t>(at + 12 + name_padded), desc_size);
    if (name.starts_with("NVIDIA Corp")) {
      if (desc.size() == 8 && load_le<std::uint16_t>(desc) == 2) {
        const auto toolkit = load_le<std::uint32_t>(desc, 4);
        if (header.toolkit == 0 && toolkit < 1000) {
          header.toolkit = static_cast<std::uint16_t>(toolkit);
        }
      }
      const std::string_view text = as_text(desc);
      const std::string wanted = "-arch sm_" + std::to_string(header.target.sm);
      const std::size_t found = text.find(wanted);
      if (found != std::string_view::npos && found + wanted.size() < text.size()) {
        const char suffix = text[found + wanted.size()];
        if (suffix == 'a' || suffix == 'f') {
          header.target.suffix = suffix;
        }
      }
    }
    at = static_cast<std::size_t>(
        std::min<std::uint64_t>(at + 12 + name_padded + desc_padded, notes.size()));
  }
}

}  // namespace

std::optional<CubinHeader> parse_cubin_header(Bytes head) {
  if (head.size() < 64 || load_le<std::uint32_t>(head) != 0x464c457fU ||
      load_le<std::uint16_t>(head, 4) != 0x0102 ||
      load_le<std::uint16_t>(head, 18) != kMachineCuda) {
    return std::nullopt;
  }
  const auto abi = load_le<std::uint8_t>(head, 7);
  const auto version = load_le<std::uint32_t>(head, 0x14);
  const auto flags = load_le<std::uint32_t>(head, 0x30);
  CubinHeader header;
  if (abi == kOsAbiV8) {
    header.target.sm = static_cast<std::uint16_t>((flags >> 8) & 0xff);
    header.target.suffix = (flags & kArchSpecificV8) != 0 ? 'a' : '\0';
  } else if (abi == kOsAbiV7) {
    header.target.sm = static_cast<std::uint16_t>(flags & 0xff);
    header.target.suffix = (flags & kArchSpecificV7) != 0 ? 'a' : '\0';
    if (version >= 10 && version < 1000) {
      header.toolkit = static_cast<std::uint16_t>(version);
    }
  } else {
    return std::nullopt;
  }
  return header;
}

Result<CubinFacts> read_cubin(const Source& source) {
  PagedReader reader(source);
  PLUMB_ASSIGN(const Bytes head, reader.read(0, 64));
  const auto header = parse_cubin_header(head);
  if (!header) {
    return fail(ErrorCode::not_binary, "not a cubin");
  }
  CubinFacts facts{*header, false};
  const auto table_offset = load_le<std::uint64_t>(head, 0x28);
  const auto entry_size = load_le<std::uint16_t>(head, 0x3a);
  std::uint64_t count = load_le<std::uint16_t>(head, 0x3c);
  std::uint64_t names_index = load_le<std::uint16_t>(head, 0x3e);
  if (table_offset == 0) {
    return facts;
  }
  PLUMB_ASSIGN(const Bytes zero, reader.read(table_offset, 64));
  count = count != 0 ? count : load_le<std::uint64_t>(zero, 32);
  names_index = names_index != 0xffff ? names_index : load_le<std::uint32_t>(zero, 40);
  if (entry_size != 64 || count > kMaxSections || names_index >= count) {
    return fail(ErrorCode::malformed, "the cubin's section table is not one of 64-byte entries");
  }
  std::vector<CubinSection> sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    PLUMB_ASSIGN(const Bytes raw, reader.read(table_offset + i * 64, 64));
    sections.push_back({load_le<std::uint32_t>(raw, 0), load_le<std::uint32_t>(raw, 4),
                        load_le<std::uint64_t>(raw, 24), load_le<std::uint64_t>(raw, 32)});
  }
  std::uint64_t room = kMaxNotes;
  for (const CubinSection& section : sections) {
    if (section.type == kSectionNote && section.size <= room) {
      room -= section.size;
      PLUMB_ASSIGN(const Bytes notes, reader.read(section.offset, section.size));
      read_notes(notes, facts.header);
    }
    if (section.type == kSectionProgbits && section.size > 0 && !facts.has_code) {
      const std::uint64_t name_at = sections[names_index].offset + section.name;
      if (fits(name_at, kCodePrefix.size(), reader.size())) {
        PLUMB_ASSIGN(const Bytes name, reader.read(name_at, kCodePrefix.size()));
        facts.has_code = as_text(name) == kCodePrefix;
      }
    }
  }
  return facts;
}

CodeBySize code_by_size(Target target, std::uint64_t unpacked_bytes) {
  struct Limits {
    std::uint64_t none, some;
  };
  const Limits limits = target.sm >= 100  ? Limits{2300, 4900}
                        : target.sm >= 90 ? Limits{1760, 3400}
                                          : Limits{1500, 2800};
  return unpacked_bytes <= limits.none  ? CodeBySize::none
         : unpacked_bytes < limits.some ? CodeBySize::maybe
                                        : CodeBySize::some;
}

}  // namespace plumb
