// SPDX-License-Identifier: Apache-2.0
// Two views of an ELF file exist: the loader's (segments, PT_DYNAMIC) and the linker's (sections).
// plumb takes what the loader would use from the loader's view, so that a file without section
// headers still says what it needs, and sections only for what has no other name: where GPU code
// lies.

#include "binary/elf.h"

#include <algorithm>
#include <array>

#include "base/version.h"
#include "binary/elf_layout.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMaxSections = 100'000;
constexpr std::uint64_t kMaxDynamicEntries = 100'000;
constexpr std::uint64_t kMaxNameTable = 16 << 20;
constexpr std::uint64_t kMaxLoaderNames = 4 << 20;  // of all needed libraries together
constexpr std::uint64_t kMaxNotes = 1 << 20;        // of all note segments together
constexpr std::uint32_t kPtLoad = 1, kPtDynamic = 2, kPtInterp = 3, kPtNote = 4;

std::string machine_of(std::uint16_t id, bool is64, bool big_endian) {
  switch (id) {
    case 3:
      return "i386";
    case 8:
      return "mips";
    case 20:
      return "ppc";
    case 21:
      return big_endian ? "ppc64" : "ppc64le";
    case 22:
      return is64 ? "s390x" : "s390";
    case 40:
      return "arm";
    case 62:
      return is64 ? "x86_64" : "x32";
    case 183:
      return "aarch64";
    case 190:
      return "cuda";
    case 224:
      return "amdgpu";
    case 243:
      return is64 ? "riscv64" : "riscv32";
    case 258:
      return "loongarch";
    default:
      return "machine " + std::to_string(id);
  }
}

struct Header {
  std::uint64_t segment_offset, section_offset;
  std::uint16_t segment_size, segment_count, section_size, section_count, names_index;
};

Result<void> read_segments(PagedReader& reader, const Header& header, ElfFile& elf) {
  const std::size_t record_size = elf.is64 ? 56 : 32;
  if (header.segment_count > 0 && header.segment_size != record_size) {
    return fail(ErrorCode::malformed,
                "program headers have a size of " + std::to_string(header.segment_size));
  }
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    PLUMB_ASSIGN(const Bytes raw,
                 reader.read(header.segment_offset + i * record_size, record_size));
    const ElfRecord record(raw, elf.big_endian);
    ElfSegment segment;
    segment.type = record.at<std::uint32_t>(0);
    segment.flags = record.at<std::uint32_t>(elf.is64 ? 4 : 24);
    segment.offset = record.word(4, 8, elf.is64);
    segment.address = record.word(8, 16, elf.is64);
    segment.file_size = record.word(16, 32, elf.is64);
    segment.memory_size = record.word(20, 40, elf.is64);
    elf.segments.push_back(segment);
  }
  return {};
}

Result<void> read_sections(PagedReader& reader, const Header& header, ElfFile& elf) {
  if (header.section_offset == 0) {
    return {};
  }
  const std::size_t record_size = elf.is64 ? 64 : 40;
  if (header.section_size != record_size) {
    return fail(ErrorCode::malformed,
                "section headers have a size of " + std::to_string(header.section_size));
  }
  std::uint64_t count = header.section_count;
  std::uint64_t names_index = header.names_index;
  // More than 65,279 sections: the true numbers stand in section 0 (gABI, "e_shnum").
  PLUMB_ASSIGN(const Bytes first, reader.read(header.section_offset, record_size));
  const ElfRecord zero(first, elf.big_endian);
  if (count == 0) {
    count = zero.word(20, 32, elf.is64);
  }
  if (names_index == 0xffff) {
    names_index = zero.at<std::uint32_t>(elf.is64 ? 40 : 24);
  }
  if (count > kMaxSections) {
    return fail(ErrorCode::limit,
                std::to_string(count) + " sections are more than plumb reads (100000)");
  }
  std::vector<std::uint32_t> name_offsets;
  for (std::uint64_t i = 0; i < count; ++i) {
    PLUMB_ASSIGN(const Bytes raw,
                 reader.read(header.section_offset + i * record_size, record_size));
    const ElfRecord record(raw, elf.big_endian);
    ElfSection section;
    name_offsets.push_back(record.at<std::uint32_t>(0));
    section.type = record.at<std::uint32_t>(4);
    section.flags = record.word(8, 8, elf.is64);
    section.address = record.word(12, 16, elf.is64);
    section.offset = record.word(16, 24, elf.is64);
    section.size = record.word(20, 32, elf.is64);
    section.link = record.at<std::uint32_t>(elf.is64 ? 40 : 24);
    section.entry_size = record.word(36, 56, elf.is64);
    elf.sections.push_back(std::move(section));
  }
  if (names_index == 0) {
    return {};
  }
  if (names_index >= count) {
    return fail(ErrorCode::malformed, "the section name table is section " +
                                          std::to_string(names_index) + " of " +
                                          std::to_string(count));
  }
  const ElfSection& table = elf.sections[static_cast<std::size_t>(names_index)];
  PLUMB_ASSIGN(const std::vector<std::byte> names,
               read_range(reader.source(), table.offset, table.size, kMaxNameTable));
  const std::string_view text = as_text(names);
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    if (name_offsets[i] < text.size()) {
      const std::string_view rest = text.substr(name_offsets[i], 256);
      elf.sections[i].name = rest.substr(0, rest.find('\0'));
    }
  }
  return {};
}

Result<void> read_loader_facts(PagedReader& reader, const ElfDynamic& dynamic, ElfFile& elf) {
  constexpr std::uint64_t kDfSymbolic = 2;
  elf.symbolic = dynamic.value(kDtSymbolic) || (dynamic.value(kDtFlags).value_or(0) & kDfSymbolic);
  elf.flags_1 = dynamic.value(kDtFlags1).value_or(0);
  const auto strings_address = dynamic.value(kDtStrtab);
  if (!strings_address) {
    return {};
  }
  const auto strings = elf.offset_of_address(*strings_address);
  if (!strings) {
    return fail(ErrorCode::malformed, "the dynamic string table lies in no segment");
  }
  std::uint64_t room = kMaxLoaderNames;  // 100,000 entries may all name one long string
  const auto string_at = [&](std::uint64_t offset) -> Result<std::string> {
    if (*strings > reader.size() || offset > reader.size() - *strings) {
      return fail(ErrorCode::truncated, "a dynamic string lies past the end of the file");
    }
    PLUMB_ASSIGN(std::string text, reader.read_string(*strings + offset, 64 * 1024));
    if (text.size() > room) {
      return fail(ErrorCode::limit, "the names of needed libraries are longer than plumb reads");
    }
    room -= text.size();
    return text;
  };
  for (const std::uint64_t offset : dynamic.needed) {
    PLUMB_ASSIGN(std::string name, string_at(offset));
    elf.needed.push_back(std::move(name));
  }
  const std::array<std::pair<std::uint64_t, std::optional<std::string>*>, 3> singles = {
      {{kDtSoname, &elf.soname}, {kDtRpath, &elf.rpath}, {kDtRunpath, &elf.runpath}}};
  for (const auto& [tag, target] : singles) {
    if (const auto offset = dynamic.value(tag)) {
      PLUMB_ASSIGN(*target, string_at(*offset));
    }
  }
  return {};
}

void find_glibc_floor(ElfFile& elf) {
  std::optional<Version> highest;
  for (const ElfVersionNeed& need : elf.version_needs) {
    for (const std::string& name : need.versions) {
      std::optional<Version> version;
      if (name == "GLIBC_ABI_DT_RELR") {
        version = Version::parse("2.36");
      } else if (name.starts_with("GLIBC_")) {
        version = Version::parse(std::string_view(name).substr(6));
      }
      if (version && (!highest || *version > *highest)) {
        highest = version;
      }
    }
  }
  if (highest) {
    elf.glibc_min = highest->text();
  }
}

Result<void> read_segment_texts(PagedReader& reader, ElfFile& elf) {
  std::uint64_t room = kMaxNotes;
  for (const ElfSegment& segment : elf.segments) {
    if (segment.type == kPtInterp && segment.file_size <= 4096 && !elf.interpreter) {
      PLUMB_ASSIGN(elf.interpreter, reader.read_string(segment.offset));
    }
    if (segment.type != kPtNote || segment.file_size > std::min<std::uint64_t>(room, 64 * 1024) ||
        !elf.build_id.empty()) {
      continue;
    }
    room -= segment.file_size;
    PLUMB_ASSIGN(const Bytes raw, reader.read(segment.offset, segment.file_size));
    const std::vector<std::byte> notes(raw.begin(), raw.end());
    std::uint64_t at = 0;
    while (fits(at, 16, notes.size())) {
      const ElfRecord record(Bytes(notes).subspan(static_cast<std::size_t>(at)), elf.big_endian);
      const std::uint64_t name_size = record.at<std::uint32_t>(0);
      const std::uint64_t desc_size = record.at<std::uint32_t>(4);
      const std::uint64_t desc = at + 12 + (name_size + 3) / 4 * 4;
      if (!fits(desc, desc_size, notes.size())) {
        break;
      }
      if (record.at<std::uint32_t>(8) == 3 && name_size == 4 &&
          as_text(notes).substr(static_cast<std::size_t>(at + 12), 3) == "GNU" && desc_size <= 64) {
        for (std::uint64_t i = 0; i < desc_size; ++i) {
          constexpr std::string_view kHex = "0123456789abcdef";
          const auto byte = std::to_integer<unsigned>(notes[static_cast<std::size_t>(desc + i)]);
          elf.build_id += kHex[byte >> 4];
          elf.build_id += kHex[byte & 15];
        }
      }
      at = desc + (desc_size + 3) / 4 * 4;
    }
  }
  return {};
}

}  // namespace

const ElfSection* ElfFile::find_section(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &ElfSection::name);
  return found == sections.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> ElfFile::offset_of_address(std::uint64_t address) const {
  for (const ElfSegment& segment : segments) {
    if (segment.type == kPtLoad && address >= segment.address &&
        address - segment.address < segment.file_size) {
      return segment.offset + (address - segment.address);
    }
  }
  return std::nullopt;
}

bool looks_like_elf(Bytes first_bytes) {
  return first_bytes.size() >= 4 && load_le<std::uint32_t>(first_bytes) == 0x464c457fU;
}

Result<ElfDynamic> read_elf_dynamic(PagedReader& reader, const ElfFile& elf) {
  ElfDynamic dynamic;
  const auto segment = std::ranges::find(elf.segments, kPtDynamic, &ElfSegment::type);
  if (segment == elf.segments.end()) {
    return dynamic;
  }
  const std::uint64_t record_size = elf.is64 ? 16 : 8;
  const std::uint64_t count = std::min(segment->file_size / record_size, kMaxDynamicEntries);
  for (std::uint64_t i = 0; i < count; ++i) {
    PLUMB_ASSIGN(const Bytes raw, reader.read(segment->offset + i * record_size, record_size));
    const ElfRecord record(raw, elf.big_endian);
    const std::uint64_t tag = record.word(0, 0, elf.is64);
    const std::uint64_t value = record.word(4, 8, elf.is64);
    if (tag == 0) {
      break;
    }
    if (tag == kDtNeeded) {
      dynamic.needed.push_back(value);
    } else {
      dynamic.values[tag] = value;
    }
  }
  return dynamic;
}

Result<ElfFile> read_elf(const Source& source, const ElfOptions& options) {
  PagedReader reader(source);
  PLUMB_ASSIGN(const Bytes ident, reader.read(0, 20));
  const auto file_class = load_le<std::uint8_t>(ident, 4);
  const auto data = load_le<std::uint8_t>(ident, 5);
  if (!looks_like_elf(ident)) {
    return fail(ErrorCode::not_binary, "not an ELF file");
  }
  if ((file_class != 1 && file_class != 2) || (data != 1 && data != 2)) {
    return fail(ErrorCode::malformed, "ELF class " + std::to_string(file_class) +
                                          ", data encoding " + std::to_string(data) +
                                          ": neither is known");
  }
  ElfFile elf;
  elf.is64 = file_class == 2;
  elf.big_endian = data == 2;
  PLUMB_ASSIGN(const Bytes raw, reader.read(0, elf.is64 ? 64 : 52));
  const ElfRecord record(raw, elf.big_endian);
  const auto os_abi = load_le<std::uint8_t>(raw, 7);
  elf.odd_header = load_le<std::uint8_t>(raw, 6) != 1 || (os_abi != 0 && os_abi != 3) ||
                   record.at<std::uint32_t>(20) != 1;
  elf.type = record.at<std::uint16_t>(16);
  elf.machine_id = record.at<std::uint16_t>(18);
  elf.machine = machine_of(elf.machine_id, elf.is64, elf.big_endian);
  const std::size_t tail = elf.is64 ? 54 : 42;  // e_phentsize and what follows it
  const Header header{record.word(28, 32, elf.is64),      record.word(32, 40, elf.is64),
                      record.at<std::uint16_t>(tail),     record.at<std::uint16_t>(tail + 2),
                      record.at<std::uint16_t>(tail + 4), record.at<std::uint16_t>(tail + 6),
                      record.at<std::uint16_t>(tail + 8)};
  PLUMB_TRY(read_segments(reader, header, elf));

  const auto note = [&elf](Result<void> result, std::string_view doing) {
    if (!result) {
      elf.faults.push_back(std::move(result).error().while_doing(doing));
    }
  };
  note(read_sections(reader, header, elf), "reading the section table");
  note(read_segment_texts(reader, elf), "reading notes");
  auto dynamic = read_elf_dynamic(reader, elf);
  if (!dynamic) {
    elf.faults.push_back(std::move(dynamic).error().while_doing("reading the dynamic section"));
    return elf;
  }
  note(read_loader_facts(reader, *dynamic, elf), "reading the dynamic section");
  note(read_elf_exports(source, *dynamic, options.exports, elf), "reading the dynamic symbols");
  find_glibc_floor(elf);
  return elf;
}

}  // namespace plumb
